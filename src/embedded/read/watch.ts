// Watches: a stream of lines, one event each, from a revision on.
//
//   V1. Every change after the starting revision is sent once, in order, before the stream ends by itself.
//   V2. A selector turns a change into or out of it into ADDED or DELETED.
//   V3. Bookmarks are sent only when asked for, at intervals and before the end, and never overtake an event.
//   V4. A reader that lags further than `lagMax` events is cut off: memory stays bounded.
import type { Core } from '../core.js';
import { expired, failure, type ApiStatusError } from '../failure.js';
import { apiVersionOf, storageOf, type ResourceDefinition } from '../resources/definition.js';
import { everything, selectorOf, type Selector } from '../selectors.js';
import type { ApiObject, FaultPlan, RequestInfo, StoreEvent } from '../types.js';
import { createChannel } from './channel.js';
import { currentObjects, includeObject } from './list.js';
import { metadataTextOf, tableText, textOf, type Form } from './representation.js';

/** A watch as asked for. */
export interface WatchRequest {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  /** Set when the path names one object. */
  readonly name: string;
  readonly info: RequestInfo;
  readonly form: Form;
  readonly signal: AbortSignal | undefined;
}

/** What watches need of the server. */
export interface WatchHost {
  readonly core: Core;
  readonly bookmarkIntervalMs: number;
  faults(): FaultPlan | undefined;
  /** Registers an open watch; returns what to call when it ends. */
  opened(close: (how: 'close' | 'break' | 'gone') => void): () => void;
}

const lagMax = 50_000;
const timeoutDefaultMs = 45 * 60_000;

type Kind = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Opens a watch. Throws what a list would; an old revision is an ERROR event inside the stream. */
export function openWatch(host: WatchHost, request: WatchRequest): AsyncIterable<string> {
  const { core } = host;
  const { definition, info, form } = request;
  const selector = scoped(selectorOf(info.query, definition.fields), request);
  const start = startOf(core, request, selector);
  const channel = createChannel(lagMax);
  const line = lineWriter(core, request);
  const ends: (() => void)[] = [];
  let lastSent = start.revision;
  let finished = false;

  const finish = (how: 'close' | 'break' | 'gone'): void => {
    if (finished) return;
    finished = true;
    if (how === 'gone') channel.push(errorLine(expired('The resourceVersion for the provided watch is too old.')));
    if (how === 'break') channel.push('{"type":"MODIFIED","object":{"kind":"');
    for (const end of ends) end();
    channel.end();
  };
  if (start.failure !== null) {
    channel.push(errorLine(start.failure));
    channel.end();
    return channel.stream;
  }

  const pump = createPump(host, info, finish, (kind, object) => channel.push(line(kind, object)));
  for (const object of start.initial) pump.send('ADDED', object);
  if (start.marksInitialEnd) pump.mark(bookmarkLine(definition, form, lastSent, true), (text) => channel.push(text));
  for (const event of start.missed) deliver(event);
  ends.push(core.store.subscribe((event) => deliver(event)));

  function deliver(event: StoreEvent): void {
    if (event.resource !== storageOf(definition) || event.revision <= start.revision) return;
    lastSent = event.revision;
    const change = seen(event, selector);
    if (change === null) return;
    pump.send(change.kind, change.object);
    if (channel.overrun()) finish('close');
  }

  const bookmark = (): void => {
    const revision = Math.max(lastSent, core.store.revision());
    pump.mark(bookmarkLine(definition, form, revision, false), (text) => channel.push(text));
  };
  scheduleEnd(host, info, { bookmark, finish, ends });
  ends.push(host.opened(finish));
  if (request.signal !== undefined) onAbort(request.signal, () => finish('close'), ends);
  channel.onReturn(() => finish('close'));
  // A fault may have ended the watch while the missed events were sent: what was begun since ends here.
  if (finished) for (const end of ends) end();
  return channel.stream;
}

function scoped(selector: Selector, { namespace, name }: WatchRequest): Selector {
  if (namespace === '' && name === '') return selector;
  return (object) =>
    (namespace === '' || object.metadata.namespace === namespace) &&
    (name === '' || object.metadata.name === name) &&
    (selector === everything || selector(object));
}

interface Start {
  readonly revision: number;
  readonly initial: readonly ApiObject[];
  readonly missed: readonly StoreEvent[];
  readonly marksInitialEnd: boolean;
  readonly failure: ApiStatusError | null;
}

function startOf(core: Core, { definition, namespace, info }: WatchRequest, selector: Selector): Start {
  const text = info.query.get('resourceVersion') ?? '';
  const newest = core.store.revision();
  const wantsInitial = info.query.get('sendInitialEvents') === 'true';
  const base = { revision: newest, initial: [], missed: [], marksInitialEnd: wantsInitial, failure: null };
  if (text === '' || text === '0' || wantsInitial) {
    return { ...base, initial: currentObjects(core, definition, namespace, selector) };
  }
  if (!/^\d+$/.test(text)) throw failure(500, '', `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  const revision = Number(text);
  const storage = storageOf(definition);
  if (revision < core.store.compactedRevision(storage)) {
    const oldest = core.store.compactedRevision(storage);
    return { ...base, failure: expired(`too old resource version: ${revision} (${oldest})`) };
  }
  return { ...base, revision, missed: core.store.eventsAfter(storage, revision) };
}

/** What a selector makes of an event. */
function seen(event: StoreEvent, selector: Selector): { kind: Kind; object: ApiObject } | null {
  const { type, object, previous } = event;
  const before = previous !== undefined && selector(previous);
  if (type === 'DELETED') return before || selector(object) ? { kind: 'DELETED', object } : null;
  const after = selector(object);
  if (after) return { kind: before ? 'MODIFIED' : 'ADDED', object };
  if (!before || previous === undefined) return null;
  const { resourceVersion } = object.metadata;
  return {
    kind: 'DELETED',
    object: { ...previous, metadata: { ...previous.metadata, resourceVersion: resourceVersion ?? '' } },
  };
}

function lineWriter(core: Core, { definition, info, form }: WatchRequest): (kind: Kind, object: ApiObject) => string {
  if (form === 'object') return (kind, object) => `{"type":"${kind}","object":${textOf(object)}}\n`;
  if (form === 'metadata') return (kind, object) => `{"type":"${kind}","object":${metadataTextOf(object)}}\n`;
  const include = includeObject(info.query);
  let withColumns = true;
  return (kind, object) => {
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    const table = tableText(definition, [object], { metadata, include, nowMs: core.clock.nowMs(), withColumns });
    withColumns = false;
    return `{"type":"${kind}","object":${table}}\n`;
  };
}

function bookmarkLine(definition: ResourceDefinition, form: Form, revision: number, endsInitial: boolean): string {
  const annotations = endsInitial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: String(revision), creationTimestamp: null, ...annotations };
  const type =
    form === 'metadata'
      ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
      : { kind: definition.kind, apiVersion: apiVersionOf(definition) };
  return `${JSON.stringify({ type: 'BOOKMARK', object: { ...type, metadata } })}\n`;
}

function errorLine(error: ApiStatusError): string {
  return `${JSON.stringify({ type: 'ERROR', object: error.status })}\n`;
}

/** Sends in order; a fault may hold everything back for a while, or end the stream. */
function createPump(
  host: WatchHost,
  info: RequestInfo,
  finish: (how: 'close' | 'break' | 'gone') => void,
  write: (kind: Kind, object: ApiObject) => void,
): { send(kind: Kind, object: ApiObject): void; mark(text: string, write: (text: string) => void): void } {
  const waiting: (() => boolean)[] = [];
  let held = false;
  const drain = (): void => {
    while (!held) {
      const next = waiting.shift();
      if (next === undefined || !next()) return;
    }
  };
  const hold = (ms: number): void => {
    held = true;
    host.core.clock.schedule(ms, () => {
      held = false;
      drain();
    });
  };
  const attempt = (kind: Kind, object: ApiObject) => (): boolean => {
    const fault = host.faults()?.watchEvent?.(info, { type: kind, object });
    if (fault === undefined) {
      write(kind, object);
      return true;
    }
    if (fault.kind !== 'delay') {
      finish(fault.kind);
      return false;
    }
    waiting.unshift(() => {
      write(kind, object);
      return true;
    });
    hold(fault.ms);
    return false;
  };
  return {
    send(kind, object) {
      waiting.push(attempt(kind, object));
      drain();
    },
    mark(text, writeText) {
      waiting.push(() => {
        writeText(text);
        return true;
      });
      drain();
    },
  };
}

function scheduleEnd(
  host: WatchHost,
  info: RequestInfo,
  watch: { bookmark: () => void; finish: (how: 'close') => void; ends: (() => void)[] },
): void {
  const { clock } = host.core;
  const wantsBookmarks = info.query.get('allowWatchBookmarks') === 'true';
  const seconds = Number(info.query.get('timeoutSeconds') ?? '0');
  const timeoutMs = seconds > 0 ? seconds * 1000 : timeoutDefaultMs;
  let cancel = (): void => {};
  const every = (): void => {
    cancel = clock.schedule(host.bookmarkIntervalMs, () => {
      watch.bookmark();
      every();
    });
  };
  if (wantsBookmarks) every();
  const cancelEnd = clock.schedule(timeoutMs, () => {
    if (wantsBookmarks) watch.bookmark();
    watch.finish('close');
  });
  watch.ends.push(() => cancel(), cancelEnd);
}

function onAbort(signal: AbortSignal, act: () => void, ends: (() => void)[]): void {
  if (signal.aborted) {
    act();
    return;
  }
  signal.addEventListener('abort', act, { once: true });
  ends.push(() => signal.removeEventListener('abort', act));
}
