// What went between the pass that waits and the first list of its watch.
import { describe, expect, test } from '@jest/globals';
import type { MachineView } from '../../../src/controllers/machine/view.js';
import { createWaitWatches, type WaitedKind } from '../../../src/controllers/machine/workload/wait-watches.js';
import type { WorkloadClusters } from '../../../src/controllers/machine/workload/workload-clusters.js';

const view = {
  key: 'default/w-0',
  machine: { metadata: { namespace: 'default', name: 'w-0' }, spec: { clusterName: 'c1' } },
} as unknown as MachineView;

/** Watches over a cache that holds these objects once its first list is in. */
function watching(kind: WaitedKind, listed: readonly string[]) {
  const told: string[] = [];
  let list = (): void => undefined;
  const synced = new Promise<void>((resolve) => (list = resolve));
  const held = {
    cache: {
      subscribe: () => () => undefined,
      get: (namespace: string, name: string) =>
        listed.includes(namespace === '' ? name : `${namespace}/${name}`) ? { status: { attached: true } } : undefined,
    },
    whenSynced: () => synced,
    release: () => undefined,
  };
  const informers = { hold: () => held };
  const watches = createWaitWatches({
    workloads: { informers: () => informers } as unknown as WorkloadClusters,
    clock: { schedule: () => () => undefined } as never,
    onChange: (key, { objectKind, namespace, name }) => told.push(`${key}: ${objectKind} ${namespace}/${name}`),
  });
  const watch = (): void => (kind === 'Pod' ? watches.watchPods(view, 'n') : watches.watchVolumes(view, 'n'));
  return {
    watches,
    watch,
    told,
    async firstList() {
      list();
      await synced;
      await Promise.resolve();
    },
  };
}

describe.each([
  ['Pod', 'default/a', 'default/b', 'default/w-0: Pod default/b'],
  ['VolumeAttachment', 'csi-a', 'csi-b', 'default/w-0: VolumeAttachment /csi-b'],
] as const)('watches of what a deletion waits for: %s', (kind, one, other, news) => {
  test('gone before the first list -> told by the first list, once', async () => {
    const { watches, watch, told, firstList } = watching(kind, [one]);
    watch();
    watches.waitFor(view, kind, [one, other]);
    expect(told).toEqual([]);
    await firstList();
    expect(told).toEqual([news]);
    watches.waitFor(view, kind, [one, other]);
    expect(told).toEqual([news]);
  });

  test('the first list is faster than the pass -> told when the pass says what it waits for', async () => {
    const { watches, watch, told, firstList } = watching(kind, [one]);
    watch();
    await firstList();
    expect(told).toEqual([]);
    watches.waitFor(view, kind, [one, other]);
    expect(told).toEqual([news]);
  });

  test('all there -> nothing is told', async () => {
    const { watches, watch, told, firstList } = watching(kind, [one, other]);
    watch();
    watches.waitFor(view, kind, [one, other]);
    await firstList();
    expect(told).toEqual([]);
  });

  test('stopped before the first list -> nothing is told', async () => {
    const { watches, watch, told, firstList } = watching(kind, []);
    watch();
    watches.waitFor(view, kind, [one]);
    watches.stop();
    await firstList();
    expect(told).toEqual([]);
  });
});
