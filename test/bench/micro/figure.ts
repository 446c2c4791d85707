// What a micro bench gives, and how it measures.

/** One figure. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** Runs work again and again for a while; how often per second, the best of three: others share the machine. */
export function perSecond(work: () => void, forMs = 400): number {
  let best = 0;
  for (let round = 0; round < 3; round += 1) {
    const startMs = performance.now();
    let count = 0;
    while (performance.now() - startMs < forMs) {
      for (let index = 0; index < 50; index += 1) work();
      count += 50;
    }
    best = Math.max(best, (count * 1000) / (performance.now() - startMs));
  }
  return best;
}

/** Durations of work in milliseconds, sorted. The first ones are for the compiler. */
export async function durations(work: () => Promise<unknown>, count: number, warmUp = 200): Promise<readonly number[]> {
  for (let index = 0; index < warmUp; index += 1) await work();
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startMs = performance.now();
    await work();
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b);
}

/** The value below which a share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Bytes of live objects, after the collector has run. */
export function heapBytes(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
