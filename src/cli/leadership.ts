// Who may act: one Lease per group of controllers, or nobody asks (leader election off, shadow mode).
//
// Each group starts when its own Lease is held and never waits for another's. Losing a held Lease ends the process: whatever
// ran under it must not go on beside the next holder.

import { hostname } from 'node:os';
import type { Clock, Random } from '../host/contract.js';
import type { ApiClient } from '../kube/contract.js';
import { createLeaseElector, leaseHolder, leaseIdentity, type LeaseElector } from '../kube/lease-elector.js';
import { leaseObserver } from '../kube/observers.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { OperatorConfig } from './config.js';
import type { LeaseGroup } from './lease-groups.js';

/** The right of one group to act. */
export interface Leadership {
  readonly group: LeaseGroup;
  /** For how many milliseconds a write may be under way; asked right before each write leaves. */
  readonly gate: () => number;
  isLeader(): boolean;
  /** Takes part. `onStart` runs once the group may act; `onLost` when it may no longer. */
  start(onStart: () => void, onLost: () => void): void;
  stop(): Promise<void>;
}

/** What leadership is made of. */
export interface LeadershipOptions {
  readonly config: OperatorConfig;
  readonly group: LeaseGroup;
  readonly ownNamespace: string;
  /** A client for Leases alone. */
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Leadership by Lease, or without one. */
export function createLeadership(options: LeadershipOptions): Leadership {
  return options.config.leaderElect && !options.config.shadow ? byLease(options) : withoutLease(options);
}

function byLease({ config, group, ownNamespace, client, clock, random, log, metrics }: LeadershipOptions): Leadership {
  const namespace = group.namespace ?? ownNamespace;
  const lease = { namespace, name: group.lease };
  let elector: LeaseElector | null = null;
  const setLeader = (value: 0 | 1): void => metrics.leader.set({ name: group.lease }, value);
  return {
    group,
    gate: () => elector?.remainingMs() ?? 0,
    isLeader: () => elector?.isLeader() ?? false,
    start(onStart, onLost) {
      setLeader(0);
      elector = createLeaseElector({
        client,
        ...lease,
        identity: leaseIdentity(hostname(), random),
        leaseDurationMs: config.leaseDurationMs,
        renewDeadlineMs: config.renewDeadlineMs,
        retryPeriodMs: config.retryPeriodMs,
        clock,
        random,
        onAcquired() {
          setLeader(1);
          log.info('Lease acquired', { Lease: lease });
          onStart();
        },
        onLost() {
          setLeader(0);
          onLost();
        },
        observer: leaseObserver(metrics, log, lease),
      });
      elector.start();
    },
    async stop() {
      await elector?.stop();
      setLeader(0);
    },
  };
}

function withoutLease({ group, ownNamespace, client, clock, log, config }: LeadershipOptions): Leadership {
  const namespace = group.namespace ?? ownNamespace;
  let isStarted = false;
  const warn = async (): Promise<void> => {
    if (config.shadow) return;
    const signal = new AbortController().signal;
    const holder = await leaseHolder(client, { namespace, name: group.lease }, { nowMs: clock.nowMs(), signal }).catch(
      () => null,
    );
    if (holder === null) return;
    log.warning(
      'Another manager holds the Lease of these controllers, and leader election is off here: both will act',
      {
        Lease: { namespace, name: group.lease },
        holder,
        replaces: group.replaces,
      },
    );
  };
  return {
    group,
    gate: () => Infinity,
    isLeader: () => isStarted,
    start(onStart) {
      isStarted = true;
      void warn();
      onStart();
    },
    stop: () => Promise.resolve(),
  };
}
