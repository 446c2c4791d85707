// Caches that do not fill end the process with a reason.
import { describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import { watchCacheSync } from '../../../src/cli/cache-sync.js';
import type { Informers } from '../../../src/kube/informers.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { CACHE_SYNC_TIME_MAX_MS } from '../../../src/limits.js';
import { createTestClock } from '../kube/test-clock.js';
import { failure } from '../kube/scripted-client.js';

const [configs, secrets, machines] = [resources.KubeadmConfig, resources.Secret, resources.Machine].map(resourceOf);

function watched(isSynced: Promise<boolean>) {
  const clock = createTestClock();
  const life = new AbortController();
  const errors: string[] = [];
  const informers = {
    whenSynced: () => isSynced,
    running: () =>
      [configs, secrets, machines].map((resource) => ({
        resource,
        synced: resource === machines,
        size: 0,
        resourceVersion: '',
      })),
    problems: () => [{ resource: secrets, failure: failure('Forbidden', { message: 'secrets is forbidden' }).failure }],
  } as unknown as Pick<Informers, 'running' | 'problems' | 'whenSynced'>;
  watchCacheSync(informers, { clock, signal: life.signal, onOverdue: ({ message }) => errors.push(message) });
  return { clock, life, errors };
}

describe('caches after the start', () => {
  test('some have no first list in time -> an error that names each, with the reason where there is one', async () => {
    const { clock, errors } = watched(new Promise(() => undefined));
    await clock.advance(CACHE_SYNC_TIME_MAX_MS - 1);
    expect(errors).toEqual([]);
    await clock.advance(1);
    expect(errors).toEqual([
      'caches have no first list after 5 minutes: kubeadmconfigs.bootstrap.cluster.x-k8s.io (no answer yet); secrets (secrets is forbidden)',
    ]);
  });

  test('all have theirs, or the process stops before -> nothing is said, and no timer is left', async () => {
    const full = watched(Promise.resolve(true));
    await full.clock.settle();
    const stopped = watched(new Promise(() => undefined));
    stopped.life.abort();
    for (const { clock, errors } of [full, stopped]) {
      expect(clock.pending()).toBe(0);
      await clock.advance(CACHE_SYNC_TIME_MAX_MS);
      expect(errors).toEqual([]);
    }
  });
});
