// The stream from the operator: everything on connect, then what changed. It comes back by itself, whatever happened.

import type { WireDelta, WireFull } from '../wire.js';

/** What the page does when something comes, or stops coming. */
export interface ConnectionEvents {
  readonly onFull: (data: WireFull) => void;
  readonly onDelta: (data: WireDelta) => void;
  /** The operator is not there. Told again on every try. */
  readonly onLost: () => void;
}

const RETRY_MS = 2000;

/** Opens the stream and keeps it open. */
export function connect(events: ConnectionEvents): void {
  const stream = new EventSource('/api/stream');
  stream.addEventListener('full', (event) =>
    events.onFull(JSON.parse((event as MessageEvent<string>).data) as WireFull),
  );
  stream.addEventListener('delta', (event) =>
    events.onDelta(JSON.parse((event as MessageEvent<string>).data) as WireDelta),
  );
  stream.onerror = () => {
    events.onLost();
    // A browser gives up for good on an answer that is no stream: it is asked for anew.
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => connect(events), RETRY_MS);
  };
}

/** An answer of the operator, or why there is none: it is not there, or has nothing of that name. */
export type Asked<T> = { readonly kind: 'answer'; readonly value: T } | { readonly kind: 'lost' | 'refused' };

/** Asks once. */
export async function ask<T>(path: string): Promise<Asked<T>> {
  const answer = await fetch(path).catch(() => null);
  if (answer === null) return { kind: 'lost' };
  if (!answer.ok) return { kind: 'refused' };
  return answer.json().then(
    (value: T): Asked<T> => ({ kind: 'answer', value }),
    (): Asked<T> => ({ kind: 'lost' }),
  );
}
