// What hosts, queues and clients tell, as metrics. An adapter: neither side knows the other.

import type { HostObserver } from '../host/contract.js';
import type { Host } from '../host/host.js';
import type { Metrics } from '../metrics.js';

/** Results that controller-runtime counts; ours are among them. Each series begins at 0, so that its first increase is seen. */
const RESULTS = ['success', 'error', 'requeue', 'requeue_after'];

/** Feeds the metrics of one controller's turns, transitions and effects. */
export function hostMetrics(metrics: Metrics, controller: string): HostObserver {
  startAtZero(metrics, controller);
  const states = new Map<string, { readonly state: string; readonly sinceMs: number }>();
  const move = (from: string | null, to: string | null): void => {
    if (from !== null) metrics.actors.dec({ controller, state: from });
    if (to !== null) metrics.actors.inc({ controller, state: to });
  };
  return {
    onTransition(note) {
      const before = states.get(note.uid);
      if (before?.state === note.to) return;
      move(before?.state ?? null, note.to);
      states.set(note.uid, { state: note.to, sinceMs: note.atMs });
      if (before === undefined) return;
      metrics.transitions.inc({ controller, from: before.state, to: note.to });
      metrics.stateSeconds.observe({ controller, state: before.state }, Math.max(0, note.atMs - before.sinceMs) / 1000);
    },
    onEffect(note) {
      metrics.effects.inc({ controller, request: note.request, result: note.failure?.kind ?? note.result });
      metrics.effectSeconds.observe({ controller, request: note.request }, note.tookMs / 1000);
    },
    onTurn(note) {
      const labels = { controller, result: note.result };
      metrics.reconcileTotal.inc(labels);
      metrics.capiReconcileTotal.inc(labels);
      metrics.reconcileSeconds.observe({ controller }, note.tookMs / 1000);
      metrics.capiReconcileSeconds.observe({ controller }, note.tookMs / 1000);
      metrics.queueWorkSeconds.observe({ name: controller, controller }, note.tookMs / 1000);
      if (note.result !== 'error') return;
      metrics.reconcileErrors.inc({ controller });
      metrics.queueRetries.inc({ name: controller, controller });
    },
    onGone(_controller, _key, uid) {
      const before = states.get(uid);
      if (before === undefined) return;
      states.delete(uid);
      move(before.state, null);
    },
    onBug: () => metrics.reconcilePanics.inc({ controller }),
    onTimeout: () => metrics.reconcileTimeouts.inc({ controller }),
    onStaleView: (_controller, _key, kind) => metrics.staleViewWaits.inc({ controller, cached_kind: kind }),
    onSnapshot: (_controller, _key, bytes) => metrics.snapshotBytes.observe({ controller }, bytes),
    onDiscarded: (_controller, _key, reason) => metrics.snapshotsDiscarded.inc({ controller, reason }),
  };
}

/** Refreshes the gauges of a controller's queue and turns: call it before metrics are shown. */
export function observeHost(
  metrics: Metrics,
  controller: string,
  host: Pick<Host, 'depthOf' | 'running'>,
  monotonicMs: number,
): void {
  const labels = { name: controller, controller };
  const running = host.running().map(({ sinceMs }) => (monotonicMs - sinceMs) / 1000);
  metrics.activeWorkers.set({ controller }, running.length);
  metrics.queueUnfinishedSeconds.set(
    labels,
    running.reduce((sum, seconds) => sum + seconds, 0),
  );
  metrics.queueLongestSeconds.set(labels, Math.max(0, ...running));
  // The names of controller-runtime's priority queue for these two.
  metrics.queueDepth.set({ ...labels, priority: '0' }, host.depthOf('normal'));
  metrics.queueDepth.set({ ...labels, priority: '-100' }, host.depthOf('low'));
}

function startAtZero(metrics: Metrics, controller: string): void {
  for (const result of RESULTS) {
    metrics.reconcileTotal.inc({ controller, result }, 0);
    metrics.capiReconcileTotal.inc({ controller, result }, 0);
  }
  metrics.reconcileErrors.inc({ controller }, 0);
  metrics.reconcilePanics.inc({ controller }, 0);
  metrics.reconcileTimeouts.inc({ controller }, 0);
  metrics.queueAdds.inc({ name: controller, controller }, 0);
  metrics.queueRetries.inc({ name: controller, controller }, 0);
}
