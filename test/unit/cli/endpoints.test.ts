// What probes and people read from /healthz and /readyz.
import { afterEach, describe, expect, test } from '@jest/globals';
import { serveHealth, type Endpoint } from '../../../src/cli/endpoints.js';

let endpoint: Endpoint | null = null;
afterEach(() => endpoint?.close());

async function read(problem: string | null, path: string): Promise<readonly [number, string]> {
  endpoint = await serveHealth('127.0.0.1:0', () => Promise.resolve(problem));
  const answer = await fetch(`http://127.0.0.1:${endpoint?.port}${path}`);
  return [answer.status, await answer.text()];
}

describe('health endpoints', () => {
  test.each([
    ['/healthz', 200, 'ok'],
    ['/readyz', 200, 'ok'],
    ['/readyz/', 200, 'ok'],
    ['/readyz/webhook', 200, 'ok'],
    ['/readyz?verbose', 200, '[+]webhook ok\nhealthz check passed\n'],
    ['/healthz?verbose=true', 200, '[+]ping ok\nhealthz check passed\n'],
    ['/metrics', 404, 'there is /healthz and /readyz\n'],
  ])('all is well: %s -> %d', async (path, status, text) => {
    expect(await read(null, path)).toEqual([status, text]);
  });

  test.each([
    ['/healthz', 200, 'ok'],
    ['/readyz', 500, '[-]webhook failed: not serving\n'],
    ['/readyz?verbose', 500, '[-]webhook failed: not serving\n'],
  ])('the webhook server does not answer: %s -> %d', async (path, status, text) => {
    expect(await read('not serving', path)).toEqual([status, text]);
  });
});
