// A mirror that lives as long as its program: what it holds does not grow with the watches that end.
import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { machines } from '../../../src/embedded/infrastructure/resources.js';
import { createMirror } from '../../../src/embedded/infrastructure/mirror.js';
import type { InfrastructureClient } from '../../../src/embedded/infrastructure/ports.js';
import type { KubeObject } from '../../../src/api/rest.js';
import { createVirtualTime } from '../../simulation/engine/virtual-time.js';

type Labelled = KubeObject & { readonly spec: { readonly clusterName: string } };

const machine = (name: string, clusterName: string, resourceVersion: string): Labelled => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { name, namespace: 'ns', resourceVersion },
  spec: { clusterName },
});

function started(events: readonly object[]) {
  const time = createVirtualTime();
  const signals = new Set<AbortSignal>();
  let watches = 0;
  const client = {
    list: () => Promise.resolve({ items: [machine('a', 'one', '1'), machine('b', 'two', '1')], resourceVersion: '1' }),
    async *watch(_resource: object, { signal }: { readonly signal: AbortSignal }) {
      signals.add(signal);
      watches += 1;
      if (watches === 1) yield* events;
    },
  } as unknown as InfrastructureClient;
  const mirror = createMirror<Labelled>({
    client,
    resource: machines,
    clock: time.clock,
    changed: () => undefined,
    groupOf: ({ spec }) => spec.clusterName,
  });
  void mirror.start();
  return { mirror, signals, watches: () => watches, time };
}

test('a hundred watches end -> no listener is left of any of them', async () => {
  const { mirror, signals, watches, time } = started([]);
  await time.runUntil(10_000, () => watches() >= 100);
  expect(watches()).toBe(100);
  expect([...signals].map((signal) => getEventListeners(signal, 'abort').length)).toEqual([1]);
  mirror.stop();
});

test('an object changes its group, another one goes -> groups are what the objects say', async () => {
  const { mirror, watches, time } = started([
    { type: 'MODIFIED', object: machine('a', 'two', '2') },
    { type: 'DELETED', object: machine('b', 'two', '3') },
  ]);
  await time.runUntil(10_000, () => watches() >= 2);
  expect(mirror.group('one')).toEqual([]);
  expect(mirror.group('two').map(({ metadata }) => metadata.name)).toEqual(['a']);
  mirror.stop();
});
