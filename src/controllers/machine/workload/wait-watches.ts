// Watches of what a drain or a detach waits for: the Pods of a Node, the attachments of volumes. They wake the Machine earlier
// than its timer, and decide nothing: the next pass reads live.
//
//   Q1. A watch ends by itself when no pass has asked for it for WAIT_WATCH_MAX_MS.

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
  readonly end: () => void;
  cancel: () => void;
}

/** No watches yet. */
export function createWaitWatches({ workloads, clock, onChange }: WaitWatchesOptions): WaitWatches {
  const watches = new Map<string, Watch>();

  const end = (id: string): void => {
    const watch = watches.get(id);
    watches.delete(id);
    watch?.cancel();
    watch?.end();
  };

  const sourceOf = ({ machine }: MachineView): Informers | null =>
    workloads.informers({ namespace: machine.metadata.namespace ?? '', name: machine.spec.clusterName });

  const keep = (id: string, view: MachineView, start: (informers: Informers) => () => void): void => {
    const source = sourceOf(view);
    if (watches.get(id)?.source !== source) end(id);
    if (source === null) return;
    try {
      const watch = watches.get(id) ?? { source, end: start(source), cancel: () => undefined };
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
      const watch = watches.get(`${view.key} ${kind}`);
      return watch !== undefined && watch.source === sourceOf(view);
    },
    watchPods(view, node) {
      const { key } = view;
      keep(`${key} Pod`, view, (informers) => {
        const fieldSelector = `spec.nodeName=${node}`;
        const held = informers.hold({ resource: kinds.pod, fieldSelector, project: projectMetadata });
        const unsubscribe = held.cache.subscribe(({ type, before }) => {
          if (type !== 'deleted') return;
          const { namespace = '', name = '' } = before?.metadata ?? {};
          onChange(key, { objectKind: 'Pod', namespace, name });
        });
        return () => (unsubscribe(), held.release());
      });
    },
    watchVolumes(view, node) {
      const { key } = view;
      keep(`${key} VolumeAttachment`, view, (informers) => {
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
        return () => (unsubscribe(), held.release());
      });
    },
    stop() {
      for (const id of [...watches.keys()]) end(id);
    },
  };
}
