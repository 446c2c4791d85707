// Keys to look at: each once at a time, again when something changed meanwhile, later when it asks for it or fails.
import type { EmbeddedClock, EmbeddedRandom } from '../types.js';

const failureFirstMs = 100;
const failureMaxMs = 10_000;

/** Looks at a key; answers when to look again, in milliseconds, or null. */
export type Look = (key: string) => Promise<number | null>;

/** The queue. */
export interface WorkQueue {
  add(key: string): void;
  /** True when no key is being looked at, waits its turn, or asked to be looked at again. */
  idle(): boolean;
  /** No look begins any more; resolves when those under way are over. */
  stop(): Promise<void>;
}

interface Entry {
  running: boolean;
  again: boolean;
  failures: number;
  cancel: (() => void) | null;
}

/** Makes a queue. `failed` hears why a look is repeated. */
export function createWorkQueue(options: {
  readonly clock: EmbeddedClock;
  readonly random: EmbeddedRandom;
  readonly look: Look;
  readonly failed: (key: string, error: unknown) => void;
}): WorkQueue {
  const { clock, random, look, failed } = options;
  const entries = new Map<string, Entry>();
  const under = new Set<Promise<void>>();
  let stopped = false;

  const later = (key: string, entry: Entry, ms: number): void => {
    entry.cancel?.();
    entry.cancel = clock.schedule(ms, () => {
      entry.cancel = null;
      begin(key, entry);
    });
  };
  const begin = (key: string, entry: Entry): void => {
    if (stopped) return;
    if (entry.running) {
      entry.again = true;
      return;
    }
    entry.cancel?.();
    entry.cancel = null;
    entry.running = true;
    const work = turn(key, entry);
    under.add(work);
    void work.finally(() => under.delete(work));
  };
  const turn = async (key: string, entry: Entry): Promise<void> => {
    let wait: number | null;
    try {
      wait = await look(key);
      entry.failures = 0;
    } catch (error) {
      if (!stopped) failed(key, error);
      wait = Math.min(failureFirstMs * 2 ** entry.failures, failureMaxMs) * (1 + random.next());
      entry.failures += 1;
    }
    entry.running = false;
    if (stopped) return;
    if (entry.again) {
      entry.again = false;
      begin(key, entry);
    } else if (wait !== null) {
      later(key, entry, wait);
    } else {
      // Nothing is known of it that the next look would not find: names come and go.
      entries.delete(key);
    }
  };
  return {
    add(key) {
      const entry = entries.get(key) ?? { running: false, again: false, failures: 0, cancel: null };
      entries.set(key, entry);
      begin(key, entry);
    },
    idle: () => [...entries.values()].every(({ running, cancel }) => !running && cancel === null),
    async stop() {
      stopped = true;
      for (const { cancel } of entries.values()) cancel?.();
      await Promise.all(under);
    },
  };
}
