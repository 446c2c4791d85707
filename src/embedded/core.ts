// What every part of one server shares: time, randomness, the objects and the resources.
import { createCatalog, type Catalog } from './resources/catalog.js';
import { createStore, type Store } from './store.js';
import type { EmbeddedClock, EmbeddedRandom } from './types.js';

/** The inside of one server. */
export interface Core {
  readonly clock: EmbeddedClock;
  readonly random: EmbeddedRandom;
  readonly store: Store;
  readonly catalog: Catalog;
  /** RFC 3339 with seconds, as metadata has it. */
  now(): string;
  newUid(): string;
  /** Five letters as generateName adds them. */
  nameSuffix(): string;
}

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** An empty inside. */
export function createCore(clock: EmbeddedClock, random: EmbeddedRandom, historyMax: number): Core {
  const pick = (alphabet: string): string => alphabet[Math.floor(random.next() * alphabet.length)] ?? '';
  const hex = (count: number): string => Array.from({ length: count }, () => pick('0123456789abcdef')).join('');
  return {
    clock,
    random,
    store: createStore(historyMax),
    catalog: createCatalog(),
    now: () => rfc3339(clock.nowMs()),
    newUid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick('89ab')}${hex(3)}-${hex(12)}`,
    nameSuffix: () => Array.from({ length: 5 }, () => pick(suffixAlphabet)).join(''),
  };
}

/** A time as Kubernetes writes it: UTC, seconds. */
export function rfc3339(ms: number): string {
  return new Date(Math.trunc(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
