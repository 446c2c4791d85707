// Key generation: how long a key takes, and how long it keeps everything else waiting.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createKeyPool } from '../../../src/bootstrap/certificates/key-pool.js';
import { generateKeyPair } from '../../../src/bootstrap/certificates/keys.js';
import type { Figure } from './figure.js';

const keys = 16;

/** Sixteen keys of two owners through the pool, with somebody watching the event loop. */
export async function keyFigures(): Promise<readonly Figure[]> {
  const pool = createKeyPool({ generate: generateKeyPair });
  const signal = new AbortController().signal;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startMs = performance.now();
  const take = (owner: string) => pool.take({ owner, algorithm: 'RSA-2048', count: keys / 2, signal });
  await Promise.all([take('one'), take('two')]);
  const tookMs = performance.now() - startMs;
  delay.disable();
  pool.close();
  return [
    { name: 'RSA-2048 keys', value: (keys * 1000) / tookMs, unit: 'keys/s' },
    { name: 'event loop delay while keys are made, p50', value: delay.percentile(50) / 1e6, unit: 'ms' },
    { name: 'event loop delay while keys are made, p99', value: delay.percentile(99) / 1e6, unit: 'ms' },
  ];
}
