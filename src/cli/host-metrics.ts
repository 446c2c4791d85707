// What hosts, queues and clients tell, as metrics. An adapter: neither side knows the other.

import type { HostObserver } from '../host/contract.js';
import type { Metrics } from '../metrics.js';

/** Feeds the metrics of one controller's turns, transitions and effects. */
export function hostMetrics(metrics: Metrics, controller: string): HostObserver {
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
  };
}
