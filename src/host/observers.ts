// Many observers as one. A bug in an observer is its own: it never reaches a turn.

import type { HostLog } from './host-options.js';
import type { HostObserver } from './contract.js';

/** Tells every observer; none can break a turn. */
export function combineObservers(observers: readonly HostObserver[]): Required<HostObserver> {
  const each = (tell: (observer: HostObserver) => void): void => {
    for (const observer of observers) {
      try {
        tell(observer);
      } catch {
        // What an observer throws is lost on purpose: turns go on.
      }
    }
  };
  return {
    onTransition: (note) => each((observer) => observer.onTransition?.(note)),
    onEffect: (note) => each((observer) => observer.onEffect?.(note)),
    onTurn: (note) => each((observer) => observer.onTurn?.(note)),
    onGone: (controller, key, uid) => each((observer) => observer.onGone?.(controller, key, uid)),
    onDiscarded: (controller, key, reason) => each((observer) => observer.onDiscarded?.(controller, key, reason)),
    onBug: (controller, key, error) => each((observer) => observer.onBug?.(controller, key, error)),
    onStaleView: (controller, key, kind) => each((observer) => observer.onStaleView?.(controller, key, kind)),
    onTimeout: (controller, key, what) => each((observer) => observer.onTimeout?.(controller, key, what)),
    onSnapshot: (controller, key, bytes) => each((observer) => observer.onSnapshot?.(controller, key, bytes)),
  };
}

/** A snapshot that was not used is logged, whoever else is told. */
export function discardLog(log: HostLog): HostObserver {
  return {
    onDiscarded: (controller, object, reason) => log.info('Snapshot discarded', { controller, object, reason }),
  };
}
