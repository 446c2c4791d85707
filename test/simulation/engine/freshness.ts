// Whether turns start on views that are at least as new as their own writes: judged by what their patches are guarded with.
import type { Seen } from './network.js';

/** What is known of own writes. */
export interface Freshness {
  /** A request changed an object. */
  wrote(by: Seen, what: string, version: string | undefined): void;
  heard(by: Seen): void;
  sends(by: Seen): void;
}

/** Who has heard of a write of its own does not patch what was there before it. */
export function createFreshness(accuse: (message: string) => void): Freshness {
  const newest = new Map<string, { readonly by: Seen; readonly version: number; isHeard: boolean }>();
  const idOf = ({ operator, actor }: Seen, what: string): string => `${operator} ${actor} ${what}`;
  const asked = new WeakMap<Seen, string>();
  return {
    wrote(by, what, version) {
      if (by.actor === '') return;
      asked.set(by, idOf(by, what));
      newest.set(idOf(by, what), { by, version: Number(version), isHeard: false });
    },
    heard(by) {
      const known = newest.get(asked.get(by) ?? '');
      if (known?.by === by) known.isHeard = true;
    },
    sends(by) {
      const known = newest.get(idOf(by, `${by.resource}/${by.name}`));
      if (known?.isHeard !== true || by.method !== 'PATCH' || by.server !== 'management') return;
      const { metadata = {} } = JSON.parse(by.body ?? '{}') as {
        readonly metadata?: { readonly resourceVersion?: string };
      };
      if (Number(metadata.resourceVersion) < known.version)
        accuse(`${by.actor} patches ${by.resource}/${by.name} as it was before its own write`);
    },
  };
}
