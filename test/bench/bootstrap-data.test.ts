// How long bootstrap data takes, from objects to bytes, without making keys. Printed, not judged: the targets are 1 ms for
// a worker join and 3 ms for an init.
import { describe, expect, test } from '@jest/globals';

import { evaluate, vector } from '../golden/bootstrap-vector.js';
import { sized } from '../test-size.js';

const cases = [
  ['worker join, cloud-config', 'kc-vec-404'],
  ['control plane join, cloud-config', 'kc-vec-223'],
  ['init, cloud-config', 'kc-vec-402'],
  ['init, every field of clusterConfiguration', 'kc-vec-145'],
  ['control plane join, Ignition', 'kc-vec-409'],
] as const;

async function microseconds(id: string, runs: number): Promise<{ readonly median: number; readonly p99: number }> {
  const given = vector(id);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    const result = await evaluate(given);
    times.push((performance.now() - start) * 1000);
    expect(result.kind).toBe('data');
  }
  times.sort((a, b) => a - b);
  return { median: times[Math.floor(runs / 2)] ?? 0, p99: times[Math.floor(runs * 0.99)] ?? 0 };
}

describe('bench', () => {
  test.each(cases)('bootstrap data: %s -> its time is printed', async (title, id) => {
    await microseconds(id, 50);
    const { median, p99 } = await microseconds(id, sized(100, 2000));
    process.stdout.write(`bench: ${title}: median ${median.toFixed(0)} us, p99 ${p99.toFixed(0)} us\n`);
  });
});
