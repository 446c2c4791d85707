// Events on objects, for people: written in the background, counted instead of repeated, never in anybody's way.
//
//   V1. `record` returns at once and never throws; a server that does not take Events costs Events and nothing else.
//   V2. The same text about the same object within EVENT_WINDOW_MS raises a count; the count is written at most once in
//       EVENT_REPEAT_MIN_MS.
//   V3. Secrets are scrubbed, long texts are cut.
//
// Core v1 Events, because that is what the provider's ClusterRole allows.

import type { Clock } from '../host/contract.js';
import { resources } from '../api/names.js';
import {
  EVENT_MEMORY_MAX,
  EVENT_MESSAGE_CHARS_MAX,
  EVENT_QUEUE_MAX,
  EVENT_REPEAT_MIN_MS,
  EVENT_WINDOW_MS,
} from '../limits.js';
import { scrubSecrets } from '../scrub.js';
import type { ApiClient, ApiFailure } from './contract.js';
import { isApiError } from './failures.js';
import { resourceOf } from './resource-paths.js';
import { sleep } from './waiting.js';

/** The object that an Event is about. */
export interface EventObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What happened, in the API's words. */
export interface EventNote {
  readonly object: EventObject;
  readonly type: 'Normal' | 'Warning';
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/** An Event that was recorded, as it is remembered. */
export interface RecordedEvent extends Pick<EventNote, 'type' | 'reason' | 'message'> {
  readonly count: number;
  readonly lastAtMs: number;
}

/** Writes Events. */
export interface EventRecorder {
  record(note: EventNote): void;
  /** What was recorded about an object of this uid and is still remembered, oldest first. Costs a walk over the memory. */
  about(uid: string): readonly RecordedEvent[];
  /** Ends when everything recorded so far is written or given up. */
  flush(): Promise<void>;
  /** Nothing is written any more. */
  stop(): void;
}

/** What a recorder needs. */
export interface EventRecorderOptions {
  readonly client: Pick<ApiClient, 'create' | 'mergePatch'>;
  readonly clock: Clock;
  /** Who reports: `kubeadm-bootstrap-operator`. */
  readonly component: string;
  /** An Event that was not written. */
  readonly onDropped?: (reason: string, failure: ApiFailure | null) => void;
}

interface Remembered {
  readonly note: EventNote;
  readonly eventName: string;
  readonly firstAtMs: number;
  lastAtMs: number;
  count: number;
  /** Null until the first write. */
  writtenAtMs: number | null;
  queued: boolean;
}

const events = resourceOf(resources.Event);
const RETRY_DELAYS_MS = [1_000, 5_000] as const;

/** A recorder with an empty memory. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock } = options;
  const memory = new Map<string, Remembered>();
  const queue: Remembered[] = [];
  const stopping = new AbortController();
  let sequence = 0;
  let working: Promise<void> | null = null;

  const enqueue = (event: Remembered): void => {
    if (event.queued) return;
    if (queue.length >= EVENT_QUEUE_MAX) {
      options.onDropped?.('QueueFull', null);
      return;
    }
    event.queued = true;
    queue.push(event);
    working ??= drain().finally(() => (working = null));
  };

  const drain = async (): Promise<void> => {
    for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
      event.queued = false;
      await write(options, event, stopping.signal);
    }
  };

  return {
    record(given) {
      if (stopping.signal.aborted) return;
      const note = { ...given, message: scrubSecrets(given.message).slice(0, EVENT_MESSAGE_CHARS_MAX) };
      const key = JSON.stringify([note.object, note.type, note.reason, note.message]);
      const nowMs = clock.nowMs();
      const known = memory.get(key);
      memory.delete(key);
      const isRepeat = known !== undefined && nowMs - known.lastAtMs < EVENT_WINDOW_MS;
      const event = isRepeat ? known : newEvent(note, nowMs, (sequence += 1));
      memory.set(key, event);
      if (memory.size > EVENT_MEMORY_MAX) memory.delete(memory.keys().next().value ?? '');
      if (isRepeat) {
        event.count += 1;
        event.lastAtMs = nowMs;
      }
      if (event.writtenAtMs === null || nowMs - event.writtenAtMs >= EVENT_REPEAT_MIN_MS) enqueue(event);
    },
    about: (uid) =>
      [...memory.values()]
        .filter((event) => event.note.object.uid === uid)
        .map(({ note: { type, reason, message }, count, lastAtMs }) => ({ type, reason, message, count, lastAtMs })),
    async flush() {
      while (working !== null) await working;
    },
    stop() {
      stopping.abort();
      queue.length = 0;
    },
  };
}

function newEvent(note: EventNote, nowMs: number, sequence: number): Remembered {
  const unique = (BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(sequence % 1_000_000)).toString(16);
  const eventName = `${note.object.name.slice(0, 230)}.${unique}`;
  return { note, eventName, firstAtMs: nowMs, lastAtMs: nowMs, count: 1, writtenAtMs: null, queued: false };
}

/** Tries a few times; what is still not written then is dropped and told. */
async function write(options: EventRecorderOptions, event: Remembered, signal: AbortSignal): Promise<void> {
  for (const delayMs of [...RETRY_DELAYS_MS, null]) {
    try {
      await writeOnce(options, event, signal);
      event.writtenAtMs = options.clock.nowMs();
      return;
    } catch (error) {
      if (!isApiError(error)) throw error;
      const { failure } = error;
      const mayPass =
        ['Unavailable', 'Unknown', 'TooManyRequests'].includes(failure.kind) ||
        (failure.kind === 'Refused' && !isDeliberate(failure));
      if (delayMs === null || !mayPass || !(await sleep(options.clock, delayMs, signal))) {
        options.onDropped?.(isDeliberate(failure) ? failure.reason : failure.kind, failure);
        return;
      }
    }
  }
}

/** Refused by ourselves: without the Lease. */
function isDeliberate({ kind, reason }: ApiFailure): boolean {
  return kind === 'Refused' && reason === 'NotLeader';
}

async function writeOnce(
  { client, component }: EventRecorderOptions,
  event: Remembered,
  signal: AbortSignal,
): Promise<void> {
  const namespace = event.note.object.namespace === '' ? 'default' : event.note.object.namespace;
  const target = { resource: events, namespace, name: event.eventName };
  if (event.writtenAtMs !== null) {
    try {
      await client.mergePatch(target, { count: event.count, lastTimestamp: seconds(event.lastAtMs) }, { signal });
      return;
    } catch (error) {
      // The server forgets Events after a while: then it is written anew, with its count.
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
  try {
    await client.create(events, body(event, namespace, component), { signal });
  } catch (error) {
    // An earlier try whose answer was lost.
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}

function body(event: Remembered, namespace: string, component: string): object {
  const { object, type, reason, message } = event.note;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: event.eventName, namespace },
    involvedObject: object,
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: seconds(event.firstAtMs),
    lastTimestamp: seconds(event.lastAtMs),
    count: event.count,
  };
}

function seconds(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
