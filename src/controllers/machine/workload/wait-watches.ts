// Watches of what a drain or a detach waits for: the Pods of a Node, the attachments of volumes. They wake the Machine earlier
// than its timer, and decide nothing: the next pass reads live.
//
//   Q1. A watch ends by itself when no pass has asked for it for WAIT_WATCH_MAX_MS.
//   Q2. What went between a pass and the first list of its watch is told by that list.

import type { Clock } from '../../../host/contract.js';
import { isApiError } from '../../../kube/failures.js';
import type { Informers } from '../../../kube/informers.js';
import { projectMetadata } from '../../../kube/projections.js';
import { kinds, type StoredVolumeAttachment } from '../objects.js';
import type { MachineView } from '../view.js';
import type { WorkloadClusters } from './workload-clusters.js';

/** What a Machine's Node may have that a deletion waits for. */
export type WaitedKind = 'Pod' | 'VolumeAttachment';

/** Watches that outlive their turn, but not their use. */
export interface WaitWatches {
  /** Whether a change would be told: only then may a Machine rest. */
  isWatching(view: MachineView, kind: WaitedKind): boolean;
  watchPods(view: MachineView, node: string): void;
  watchVolumes(view: MachineView, node: string): void;
  /** What the pass that asked for the watch found and waits for, by `namespace/name` or name. */
  waitFor(view: MachineView, kind: WaitedKind, names: readonly string[]): void;
  stop(): void;
}

/** What the watches need. */
export interface WaitWatchesOptions {
  readonly workloads: WorkloadClusters;
  readonly clock: Clock;
  /** Told which Machine may go on, and what changed. */
  readonly onChange: (
    key: string,
    change: { readonly objectKind: WaitedKind; readonly namespace: string; readonly name: string },
  ) => void;
}

/** Three passes: by then the Machine has come back, or it will not. */
const WAIT_WATCH_MAX_MS = 60_000;

interface Watch {
  /** The caches that it is a part of: they end with their connection. */
  readonly source: Informers;
  readonly started: Started;
  cancel: () => void;
  /** What its first list has to show; null until a pass has told, and when that was looked at. */
  expected: readonly string[] | null;
  isSynced: boolean;
  isCompared: boolean;
}

/** A watch that runs. */
interface Started {
  readonly whenSynced: Promise<void>;
  /** Whether what is waited for is there. */
  has(name: string): boolean;
  end(): void;
}

/** No watches yet. */
export function createWaitWatches({ workloads, clock, onChange }: WaitWatchesOptions): WaitWatches {
  const watches = new Map<string, Watch>();

  const end = (id: string): void => {
    const watch = watches.get(id);
    watches.delete(id);
    watch?.cancel();
    watch?.started.end();
  };

  const compare = (view: MachineView, kind: WaitedKind): void => {
    const watch = watches.get(idOf(view, kind));
    if (watch === undefined || watch.expected === null || watch.isCompared || !watch.isSynced) return;
    watch.isCompared = true;
    const gone = watch.expected.find((name) => !watch.started.has(name));
    if (gone === undefined) return;
    const [namespace, name] = splitKey(gone);
    onChange(view.key, { objectKind: kind, namespace, name });
  };

  const sourceOf = ({ machine }: MachineView): Informers | null =>
    workloads.informers({ namespace: machine.metadata.namespace ?? '', name: machine.spec.clusterName });

  const open = (source: Informers, view: MachineView, kind: WaitedKind, started: Started): Watch => {
    const watch: Watch = {
      source,
      started,
      cancel: () => undefined,
      expected: null,
      isSynced: false,
      isCompared: false,
    };
    void started.whenSynced.then(() => {
      watch.isSynced = true;
      if (watches.get(idOf(view, kind)) === watch) compare(view, kind);
    });
    return watch;
  };

  const keep = (view: MachineView, kind: WaitedKind, start: (informers: Informers) => Started): void => {
    const id = idOf(view, kind);
    const source = sourceOf(view);
    if (watches.get(id)?.source !== source) end(id);
    if (source === null) return;
    try {
      const watch = watches.get(id) ?? open(source, view, kind, start(source));
      watches.set(id, watch);
      watch.cancel();
      watch.cancel = clock.schedule(WAIT_WATCH_MAX_MS, () => end(id));
    } catch (error) {
      // Too many kinds are watched already: the timer does.
      if (!isApiError(error)) throw error;
    }
  };

  return {
    isWatching(view, kind) {
      const watch = watches.get(idOf(view, kind));
      return watch !== undefined && watch.source === sourceOf(view);
    },
    watchPods(view, node) {
      const { key } = view;
      keep(view, 'Pod', (informers) => {
        const fieldSelector = `spec.nodeName=${node}`;
        const held = informers.hold({ resource: kinds.pod, fieldSelector, project: projectMetadata });
        const unsubscribe = held.cache.subscribe(({ type, before }) => {
          if (type !== 'deleted') return;
          const { namespace = '', name = '' } = before?.metadata ?? {};
          onChange(key, { objectKind: 'Pod', namespace, name });
        });
        return {
          whenSynced: held.whenSynced(),
          has: (name) => held.cache.get(...splitKey(name)) !== undefined,
          end: () => (unsubscribe(), held.release()),
        };
      });
    },
    watchVolumes(view, node) {
      const { key } = view;
      keep(view, 'VolumeAttachment', (informers) => {
        const held = informers.hold<StoredVolumeAttachment>({ resource: kinds.volumeAttachment });
        const unsubscribe = held.cache.subscribe(({ before, after, sync }) => {
          const isOurs = [before, after].some((each) => each?.spec.nodeName === node);
          const isAttached = (each: StoredVolumeAttachment | undefined): boolean => each?.status?.attached === true;
          // The first list shows what is attached; what a later list no longer shows is news.
          const isFirst = sync && before === undefined;
          if (!isOurs || isFirst || isAttached(before) === isAttached(after)) return;
          onChange(key, {
            objectKind: 'VolumeAttachment',
            namespace: '',
            name: (after ?? before)?.metadata.name ?? '',
          });
        });
        return {
          whenSynced: held.whenSynced(),
          has: (name) => held.cache.get(...splitKey(name))?.status?.attached === true,
          end: () => (unsubscribe(), held.release()),
        };
      });
    },
    waitFor(view, kind, names) {
      const watch = watches.get(idOf(view, kind));
      if (watch === undefined) return;
      watch.expected = names;
      compare(view, kind);
    },
    stop() {
      for (const id of [...watches.keys()]) end(id);
    },
  };
}

function idOf({ key }: MachineView, kind: WaitedKind): string {
  return `${key} ${kind}`;
}

/** `namespace/name`, or a name alone. */
function splitKey(key: string): readonly [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, Math.max(0, slash)), key.slice(slash + 1)];
}
