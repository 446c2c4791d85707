// How long nodes wait for their bootstrap data, in simulated time: the latency that a user sees, whatever computer simulates it.
import type { HostObserver } from '../../../src/host/contract.js';
import type { VirtualTime } from '../engine/virtual-time.js';
import { NAMESPACE } from './world.js';

/** A stop watch for workers that join. */
export interface Waits {
  readonly observer: Pick<HostObserver, 'onEffect'>;
  /** These KubeadmConfigs were created just now. */
  begin(names: readonly string[]): void;
  /** Whether all of them have their data. */
  readonly isOver: boolean;
  /** Milliseconds from the creation to the data of each, in order of size; forgets them. Those without data are Infinity. */
  take(): readonly number[];
}

/** Waits for nobody yet. */
export function createWaits(time: VirtualTime): Waits {
  const createdMs = new Map<string, number>();
  const done: number[] = [];
  return {
    observer: {
      onEffect({ request, key, result }) {
        const sinceMs = createdMs.get(key);
        if (request !== 'storeJoinData' || result !== 'DATA_STORED' || sinceMs === undefined) return;
        createdMs.delete(key);
        done.push(time.nowMs - sinceMs);
      },
    },
    begin(names) {
      for (const name of names) createdMs.set(`${NAMESPACE}/${name}`, time.nowMs);
    },
    get isOver() {
      return createdMs.size === 0;
    },
    take() {
      const all = [...done.splice(0), ...[...createdMs].map(() => Number.POSITIVE_INFINITY)];
      createdMs.clear();
      return all.sort((one, other) => one - other);
    },
  };
}
