// Calls that this client's own limits hold back: they say nothing about the server.
import { afterEach, describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import { ApiError, type ApiFailure } from '../../../src/kube/contract.js';
import { isSilence } from '../../../src/kube/failures.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { REQUEST_SOCKETS_MAX } from '../../../src/limits.js';
import { json, startFakeServer, type FakeServer, type Script } from './fake-server.js';

const machines = resourceOf(resources.Machine);
const machine = { resource: machines, namespace: 'default', name: 'm1' };
const body = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { name: 'm1', namespace: 'default' },
};

let server: FakeServer;
afterEach(() => server.close());

async function serve(script: Script): Promise<FakeServer> {
  server = await startFakeServer(script);
  return server;
}

/** A limiter that lets nothing through. */
const heldUntil = (signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true }));

async function failureOf(work: Promise<unknown>): Promise<ApiFailure> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  return (error as ApiError).failure;
}

describe('calls that are held back', () => {
  test('our own rate limit holds a call back until its deadline -> Throttled, not sent, and no silence', async () => {
    const { client, seen } = await serve((_, response) => json(response, 200, body));
    const held = client({ limiters: () => ({ take: (signal) => heldUntil(signal) }) });
    for (const call of [held.get(machine, { timeoutMs: 30 }), held.create(machines, body, { timeoutMs: 30 })]) {
      const failure = await failureOf(call);
      expect(failure).toMatchObject({ kind: 'Refused', reason: 'Throttled', status: null });
      expect(failure.message).toMatch(/was throttled/);
      expect(isSilence(new ApiError(failure))).toBe(false);
    }
    expect(seen).toEqual([]);
  });

  test('no connection is free until the deadline -> Throttled, not sent', async () => {
    const { client, seen } = await serve(() => undefined);
    const api = client();
    const controller = new AbortController();
    const held = Array.from({ length: REQUEST_SOCKETS_MAX }, () =>
      failureOf(api.get(machine, { timeoutMs: 60_000, signal: controller.signal })),
    );
    const failure = await failureOf(api.get(machine, { timeoutMs: 50 }));
    expect(failure).toMatchObject({ kind: 'Refused', reason: 'Throttled' });
    expect(isSilence(new ApiError(failure))).toBe(false);
    controller.abort();
    await Promise.all(held);
    expect(seen.length).toBeLessThanOrEqual(REQUEST_SOCKETS_MAX);
  });
});
