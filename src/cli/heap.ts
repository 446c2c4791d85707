// How much memory V8 may use for garbage and for code.
//
// A burst leaves little behind: a few kilobytes for each object. By its own judgement V8 lets the heap grow to several times of
// that before it collects, because it takes the burst for a program that needs more and more. For the same reason it would
// compile half of the program a second time, with everything inlined, for the few seconds that the burst lasts.

import { setFlagsFromString } from 'node:v8';
import { CODE_OPTIMISED_AFTER_BYTES, HEAP_GROWTH_PERCENT } from '../limits.js';

/** The first major version of V8 that counts calls, and many of them, before it optimises. */
const COUNTS_CALLS_SINCE = 12;

/**
 * Flags for a version of V8 such as `11.3.244.8-node.38`. All are read again and again while a program runs; sizes that V8 reads
 * once, at its start, are the command line's alone. V8 complains about flags that it does not know: there are none here.
 */
export function memoryFlags(v8Version: string): readonly string[] {
  const major = Number(v8Version.split('.')[0]);
  return [
    `--heap-growing-percent=${HEAP_GROWTH_PERCENT}`,
    // The space for new objects stays as large as the start made it.
    '--semi-space-growth-factor=1',
    ...(major < COUNTS_CALLS_SINCE ? [`--interrupt-budget=${CODE_OPTIMISED_AFTER_BYTES}`] : []),
  ];
}

/** Collects when the heap has grown by HEAP_GROWTH_PERCENT, and optimises what has run for long. */
export function keepMemorySmall(): void {
  for (const flag of memoryFlags(process.versions.v8)) setFlagsFromString(flag);
}
