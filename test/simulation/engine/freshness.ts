// Whether turns start on views that are at least as new as their own writes: judged by what their patches are guarded with.
//
//   F1. Who has heard of a write of its own does not patch what was there before it.
//   F2. Nor does a turn that begins after a write whose answer never came, where that write had been handled by the time its
//       sender gave up: a look at the server shows it. What arrives later still is held up by its guards alone.
import type { Seen } from './network.js';

/** What is known of own writes. */
export interface Freshness {
  /** A request changed an object. */
  wrote(by: Seen, what: string, version: string | undefined): void;
  /** The sender has the answer. */
  heard(by: Seen): void;
  /** The sender waits no longer. */
  gaveUp(by: Seen): void;
  /** A turn of an actor begins: it looks at its view now. */
  looks(by: Pick<Seen, 'operator' | 'actor'>): void;
  sends(by: Seen): void;
}

interface Written {
  readonly by: Seen;
  readonly version: number;
  state: 'unknown' | 'lost' | 'known';
}

/** Freshness of those that have written nothing yet. */
export function createFreshness(accuse: (message: string) => void): Freshness {
  const newest = new Map<string, Map<string, Written>>();
  const asked = new WeakMap<Seen, string>();
  const late = new WeakSet<Seen>();
  const of = ({ operator, actor }: Pick<Seen, 'operator' | 'actor'>): Map<string, Written> => {
    const id = `${operator} ${actor}`;
    const known = newest.get(id) ?? new Map<string, Written>();
    newest.set(id, known);
    return known;
  };
  const madeBy = (by: Seen): Written | undefined => {
    const written = of(by).get(asked.get(by) ?? '');
    return written?.by === by ? written : undefined;
  };
  return {
    wrote(by, what, version) {
      if (by.actor === '') return;
      asked.set(by, what);
      of(by).set(what, { by, version: Number(version), state: 'unknown' });
    },
    heard(by) {
      const written = madeBy(by);
      if (written !== undefined && !late.has(by)) written.state = 'known';
    },
    gaveUp(by) {
      late.add(by);
      const written = madeBy(by);
      if (written?.state === 'unknown') written.state = 'lost';
    },
    looks(by) {
      for (const written of of(by).values()) if (written.state === 'lost') written.state = 'known';
    },
    sends(by) {
      const known = of(by).get(`${by.resource}/${by.name}`);
      if (known?.state !== 'known' || by.method !== 'PATCH' || by.server !== 'management') return;
      const { metadata = {} } = JSON.parse(by.body ?? '{}') as {
        readonly metadata?: { readonly resourceVersion?: string };
      };
      if (Number(metadata.resourceVersion) < known.version)
        accuse(`${by.actor} patches ${by.resource}/${by.name} as it was before its own write`);
    },
  };
}
