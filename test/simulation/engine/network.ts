// The network between one operator process and the API servers: latency, faults, and the process's end.
//
//   N1. Every request takes simulated time on its way there and back; what one fault decides, no other does.
//   N2. A killed process sends nothing more and hears nothing more; what it had sent may still arrive.
//   N3. A frozen process sends and hears nothing; then it hears all of it.
//   N4. Watches are delayed each on their own, never reordered within one stream.
import type { Handle } from '../../../src/kube/in-process-client.js';
import type { ApiRequest, ApiResponse } from '../../../src/embedded/types.js';
import { MACHINE_ACTOR } from './machine-rules.js';
import type { Fault } from './plan.js';
import { streamOf, type Stream } from './seeded.js';
import type { VirtualTime } from './virtual-time.js';

/** A request as faults, invariants and traces see it. */
export interface Seen {
  readonly operator: string;
  /** Key of the actor whose effect sent it; empty for caches and Leases. */
  readonly actor: string;
  readonly server: string;
  readonly method: string;
  readonly path: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  readonly isWrite: boolean;
  readonly isWatch: boolean;
  readonly body: string | undefined;
}

/** What the network tells. */
export interface NetworkObserver {
  /** A write passed the process's edge. */
  onSend(seen: Seen): void;
  /** A request is handled now; writes of the store until `done` are its. */
  onHandle(seen: Seen): () => void;
  onAnswer(seen: Seen, status: string): void;
  /** The process has heard the answer. */
  onHeard(seen: Seen): void;
  /** The process waits no longer for the answer: whatever comes now, it does not hear. */
  onGivenUp(seen: Seen): void;
  /** Somebody else acts on the object of a write just before it is handled. */
  onRace(seen: Seen, what: Race): Promise<void>;
}

/** What somebody else is faster with. */
export type Race = Extract<Fault, { kind: 'race' }>['what'];

/** The network of one operator process. */
export interface Network {
  /** The way to one server, for one actor. */
  handleFor(server: { readonly name: string; readonly handle: Handle }, actor: string): Handle;
  /** Ends the process's side. */
  kill(): void;
  readonly isDead: boolean;
}

type ServerHandle = (request: ApiRequest) => Promise<ApiResponse>;

/** The network of a process. `step` is asked at each step and may kill or freeze. */
export function createNetwork(options: {
  readonly operator: string;
  readonly time: VirtualTime;
  readonly random: Stream;
  readonly faults: readonly Fault[];
  readonly observer: NetworkObserver;
  readonly step: (seen: Seen) => void;
  /** Waits until the process is not frozen. */
  readonly thawed: () => Promise<void>;
}): Network {
  const { operator, time, random, observer, step, thawed } = options;
  const slot = Number(/\d+/.exec(operator)?.[0]);
  const dice = options.faults.map((fault) => ({
    fault,
    stream: 'seed' in fault ? streamOf(fault.seed, operator) : random,
  }));
  const closers = new Set<() => void>();
  let isDead = false;
  const latency = (): number => 1 + random.next() ** 3 * 60;

  const isIsolated = (from: 'management' | 'workload'): boolean =>
    dice.some(
      ({ fault }) =>
        fault.kind === 'isolation' &&
        fault.from === from &&
        (fault.operator ?? slot) === slot &&
        isNow(fault, time.nowMs),
    );
  const faultOf = (seen: Seen): Extract<Fault, { kind: 'requests' }> | null => {
    const on = seen.server === 'management' ? 'management' : 'workload';
    for (const { fault, stream } of dice) {
      if (fault.kind !== 'requests' || fault.on !== on || !isNow(fault, time.nowMs)) continue;
      if ((fault.resource ?? seen.resource) !== seen.resource || (fault.isWrite === true && !seen.isWrite)) continue;
      if (stream.chance(fault.rate)) return fault;
    }
    return null;
  };
  const raceOf = (seen: Seen): Race | null => {
    for (const { fault, stream } of dice) {
      if (fault.kind !== 'race' || !isNow(fault, time.nowMs)) continue;
      if (!(fault.what === 'take' ? isNewSecret(seen) : isRacy(seen))) continue;
      if (stream.chance(fault.rate)) return fault.what;
    }
    return null;
  };
  const watchFaultOf = (seen: Seen): Extract<Fault, { kind: 'watches' }> | null => {
    for (const { fault, stream } of dice) {
      if (fault.kind !== 'watches' || seen.server !== 'management' || !isNow(fault, time.nowMs)) continue;
      if (fault.resource !== '' && fault.resource !== seen.resource) continue;
      if ((fault.operator ?? slot) !== slot) continue;
      if (stream.chance(fault.rate)) return fault;
    }
    return null;
  };

  const alive = async <T>(ms: number, value: T): Promise<T> => {
    await time.sleep(ms);
    await thawed();
    return isDead ? never() : value;
  };

  const send = async (seen: Seen, handle: ServerHandle, request: ApiRequest): Promise<ApiResponse> => {
    if (isDead) return never();
    step(seen);
    if (isDead) return never();
    observer.onSend(seen);
    if (seen.isWrite) request.signal?.addEventListener('abort', () => observer.onGivenUp(seen), { once: true });
    const act = async (given: ApiRequest): Promise<ApiResponse> => {
      const race = raceOf(seen);
      if (race !== null) await observer.onRace(seen, race);
      const done = observer.onHandle(seen);
      const work = handle(given);
      done();
      const response = await work;
      observer.onAnswer(seen, String(response.status));
      return response;
    };
    if (isIsolated(seen.server === 'management' ? 'management' : 'workload')) {
      observer.onAnswer(seen, 'isolated');
      return never();
    }
    const fault = faultOf(seen);
    if (fault !== null && fault.what !== 'delay') return await sendUnder(fault, seen, request, act);
    // The request travels on its own: a process that ends meanwhile does not call it back.
    await time.sleep(latency() + (fault?.ms ?? 0));
    if (isDead && !seen.isWrite) return never();
    const response = await act(request);
    await thawed();
    if (isDead) return never();
    step(seen);
    return await hear(seen, response);
  };
  const hear = async (seen: Seen, response: ApiResponse): Promise<ApiResponse> => {
    const heard = await alive(latency(), response);
    observer.onHeard(seen);
    return heard;
  };

  const sendUnder = async (
    fault: Extract<Fault, { kind: 'requests' }>,
    seen: Seen,
    request: ApiRequest,
    act: (request: ApiRequest) => Promise<ApiResponse>,
  ): Promise<ApiResponse> => {
    const { what, code, ms } = fault;
    await time.sleep(latency());
    const { signal: _, ...unbound } = request;
    const isLost = seen.isWatch && what !== 'status' && what !== 'drop-before';
    switch (isLost ? 'hang-before' : what) {
      case 'status':
        observer.onAnswer(seen, `fault ${code}`);
        return await alive(latency(), refusal(code, seen.isWrite));
      case 'drop-before':
        observer.onAnswer(seen, 'fault dropped before');
        return await alive(latency(), null).then(() => Promise.reject(dropped()));
      case 'drop-after':
        await act(unbound);
        observer.onAnswer(seen, 'fault dropped after');
        return await alive(latency(), null).then(() => {
          observer.onGivenUp(seen);
          return Promise.reject(dropped());
        });
      case 'hang-after':
        await act(unbound);
        observer.onAnswer(seen, 'fault silent after');
        return await never();
      case 'late':
        observer.onAnswer(seen, `fault late by ${ms}`);
        await time.sleep(ms);
        return await hear(seen, await act(unbound));
      default:
        observer.onAnswer(seen, 'fault silent before');
        return await never();
    }
  };

  const stream = (seen: Seen, body: AsyncIterable<string>): AsyncIterable<string> => {
    const waiting: { readonly text: string; readonly atMs: number }[] = [];
    const reader = body[Symbol.asyncIterator]();
    let wake = (): void => undefined;
    let end: 'open' | 'closed' | 'lost' = 'open';
    let heldUntilMs = 0;
    const close = (): void => {
      closers.delete(close);
      end = 'closed';
      void reader.return?.();
      wake();
    };
    closers.add(close);
    const put = (text: string, afterMs: number): void => {
      heldUntilMs = Math.max(heldUntilMs, time.nowMs + afterMs);
      waiting.push({ text, atMs: heldUntilMs });
      wake();
    };
    const take = (line: string): void => {
      const fault = watchFaultOf(seen);
      if (fault === null) return put(line, latency());
      observer.onAnswer(seen, `watch fault ${fault.what}`);
      switch (fault.what) {
        case 'delay':
          return put(line, fault.ms);
        case 'duplicate':
          put(line, latency());
          return put(line, fault.ms % 3_000);
        case 'close':
          return close();
        case 'break':
          put(line.slice(0, Math.floor(line.length / 2)), latency());
          return close();
        case 'gone':
          put(GONE, latency());
          return close();
        case 'lapse':
          end = 'lost';
          return void time.sleep(fault.ms).then(() => {
            put(GONE, latency());
            close();
          });
        case 'drop':
          end = 'lost';
          return void time.sleep(fault.ms).then(close);
        case 'silent':
          end = 'lost';
      }
    };
    void (async () => {
      for (;;) {
        const next = await reader.next();
        if (next.done === true || end !== 'open' || isDead) break;
        for (const line of next.value.split('\n')) if (line !== '' && end === 'open') take(`${line}\n`);
      }
      if (end === 'open') close();
    })();
    return {
      async *[Symbol.asyncIterator]() {
        try {
          for (;;) {
            const next = waiting[0];
            if (next === undefined) {
              if (end === 'closed') return;
              await new Promise<void>((resolve) => (wake = resolve));
              continue;
            }
            if (next.atMs > time.nowMs) await time.sleep(next.atMs - time.nowMs);
            await thawed();
            if (isDead || isIsolated('management')) await never();
            waiting.shift();
            yield next.text;
          }
        } finally {
          close();
        }
      },
    };
  };

  return {
    get isDead() {
      return isDead;
    },
    handleFor: (server, actor) => async (request) => {
      const seen = seenOf(operator, actor, server.name, request);
      const response = await send(seen, server.handle as ServerHandle, request as ApiRequest);
      return typeof response.body === 'string' ? response : { ...response, body: stream(seen, response.body) };
    },
    kill() {
      isDead = true;
      for (const close of [...closers]) close();
    },
  };
}

const GONE = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' } })}\n`;

function isNow(window: { readonly fromMs: number; readonly toMs: number }, nowMs: number): boolean {
  return nowMs >= window.fromMs && nowMs < window.toMs;
}

/** Others write the same objects, but not Leases, Events and certificates. */
function isRacy({ server, isWrite, resource, actor }: Seen): boolean {
  const kinds = ['kubeadmconfigs', 'secrets', 'configmaps', ...(actor.startsWith(MACHINE_ACTOR) ? ['machines'] : [])];
  return server === 'management' && isWrite && actor !== '' && kinds.includes(resource);
}

/** A token in a workload cluster, or a certificate. */
function isNewSecret({ server, method, resource, body = '' }: Seen): boolean {
  if (method !== 'POST' || resource !== 'secrets') return false;
  return server !== 'management' || /"name":"c\d+-(ca|etcd|proxy|sa)"/.test(body);
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function dropped(): Error {
  return Object.assign(new Error('the connection was closed without an answer'), { code: 'ECONNRESET' });
}

const REASONS: Readonly<Record<number, string>> = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function refusal(given: number, isWrite: boolean): ApiResponse {
  const code = given === 409 && !isWrite ? 500 : given;
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason: REASONS[code],
    message: 'refused by the simulation',
  });
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (code === 429) headers['retry-after'] = '1';
  return { status: code, headers, body };
}

function seenOf(operator: string, actor: string, server: string, { method, url, body }: Parameters<Handle>[0]): Seen {
  const [path = '', query = ''] = url.split('?');
  const parts = path.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const [resource = '', name = '', subresource = ''] = inNamespace;
  const isWatch = query.includes('watch=true');
  return {
    operator,
    actor,
    server,
    method,
    path,
    resource,
    name,
    subresource,
    isWrite: method !== 'GET',
    isWatch,
    body,
  };
}
