// `demo --chaos SEED`: API faults that a seed decides, for as long as the trouble lasts. The operator's own requests are hit;
// the simulated infrastructure, which is only scenery, is not.

import type { FaultPlan, RequestFault, WatchFault } from '../embedded/types.js';
import type { Random } from '../host/contract.js';

/** How often a request or event of the operator is hit. */
const REQUEST_SHARE = 0.15;
const WATCH_SHARE = 0.04;

/** A plan of faults; `isOver` ends all trouble. */
export function chaosPlan(random: Pick<Random, 'next'>, isOver: () => boolean): FaultPlan {
  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random.next() * choices.length)];
  const requestFaults = (isWrite: boolean): readonly RequestFault[] => [
    { kind: 'delay', ms: Math.floor(random.next() * 1500) },
    { kind: 'status', code: 429, retryAfterSeconds: 1 },
    { kind: 'status', code: 500 },
    { kind: 'status', code: 503 },
    { kind: 'drop-before' },
    ...(isWrite ? [{ kind: 'drop-after' } as const, { kind: 'status', code: 409 } as const] : []),
  ];
  const watchFaults: readonly WatchFault[] = [
    { kind: 'delay', ms: 2000 },
    { kind: 'close' },
    { kind: 'break' },
    { kind: 'gone' },
  ];
  return {
    request(info) {
      if (isOver() || !info.isResource || !info.userAgent.startsWith('kubeadm-bootstrap-operator')) return undefined;
      if (info.resource === 'leases' || random.next() > REQUEST_SHARE) return undefined;
      const isWrite = !['get', 'list', 'watch'].includes(info.verb);
      return info.verb === 'watch' ? undefined : pick(requestFaults(isWrite));
    },
    watchEvent(info) {
      if (isOver() || !info.userAgent.startsWith('kubeadm-bootstrap-operator') || random.next() > WATCH_SHARE)
        return undefined;
      return pick(watchFaults);
    },
  };
}
