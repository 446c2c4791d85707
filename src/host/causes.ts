// Why a key was woken: kept from one turn that succeeds to the next, so that a retry still knows what somebody changed.
//
// Equal causes are kept once, and of a crowd only so many: facts ask whether there was such a cause, not how often.

import { WAKE_CAUSES_MAX } from '../limits.js';
import type { Key, WakeCause } from './contract.js';

/** Causes by key. */
export interface WakeCauses {
  add(key: Key, ...causes: readonly WakeCause[]): void;
  /** The causes so far, which are then forgotten. */
  take(key: Key): readonly WakeCause[];
}

/** Makes an empty store. */
export function createWakeCauses(): WakeCauses {
  const byKey = new Map<Key, Map<string, WakeCause>>();
  return {
    add(key, ...causes) {
      if (causes.length === 0) return;
      const known = byKey.get(key) ?? new Map<string, WakeCause>();
      byKey.set(key, known);
      for (const cause of causes) {
        const name = Object.values(cause).join(' ');
        if (known.size < WAKE_CAUSES_MAX || known.has(name)) known.set(name, cause);
      }
    },
    take(key) {
      const causes = [...(byKey.get(key)?.values() ?? [])];
      byKey.delete(key);
      return causes;
    },
  };
}
