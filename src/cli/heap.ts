// How much garbage V8 may keep.
//
// A burst leaves little behind: a few kilobytes for each object. By its own judgement V8 lets the heap grow to several times of
// that before it collects, because it takes the burst for a program that needs more and more.

import { setFlagsFromString } from 'node:v8';
import { HEAP_GROWTH_PERCENT } from '../limits.js';

/** Collects when the heap has grown by HEAP_GROWTH_PERCENT, and leaves the space for new objects as large as the start made it. */
export function keepHeapSmall(): void {
  // V8 reads both again and again while it runs; sizes that it reads once, at its start, are the command line's alone.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  setFlagsFromString('--semi-space-growth-factor=1');
}
