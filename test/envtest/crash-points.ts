// Where a crash sweep kills: before and after each write, counted from 1.

/** One of them. */
export interface CrashPoint {
  readonly write: number;
  readonly when: 'before' | 'after';
}

/** All points of so many writes, in order. */
export function crashPoints(writes: number): readonly CrashPoint[] {
  return Array.from({ length: writes }, (_, index) => index + 1).flatMap((write): readonly CrashPoint[] => [
    { write, when: 'before' },
    { write, when: 'after' },
  ]);
}
