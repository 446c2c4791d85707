// The lines of a run, and their hash: the same seed gives the same lines.
import { hashText } from './seeded.js';
import type { VirtualTime } from './virtual-time.js';

/** What happened, in order. */
export interface Trace {
  line(text: string): void;
  hash(): string;
  readonly lines: readonly string[];
  /** Kinds of faults that hit something. */
  readonly hits: Set<string>;
}

/** A trace that keeps its lines, or their hash alone. */
export function createTrace(time: VirtualTime, isKept: boolean): Trace {
  const lines: string[] = [];
  let hash = hashText('');
  let count = 0;
  return {
    lines,
    hits: new Set(),
    line(text) {
      const line = `${(time.nowMs / 1000).toFixed(3)} ${text}`;
      hash = hashText(line, hash);
      count += 1;
      if (isKept) lines.push(line);
    },
    hash: () => `${hash.toString(16).padStart(8, '0')}-${count}`,
  };
}
