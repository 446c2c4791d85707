// ApiClient on the `handle` function of an API server in this process: no sockets, no real time.
//
// The very client that talks to a real server, on another transport, so that simulations exercise its code too. The server
// comes in as a function; this file knows nothing else about it.

import type { Clock } from '../host/contract.js';
import { API_CALL_TIMEOUT_MS } from '../limits.js';
import { createApiClient, type ApiClientOptions, type FullApiClient } from './client.js';
import type { Transport, WireResponse } from './wire.js';
import { orAborted } from './waiting.js';

/** The server's side: an HTTP request and its answer as values. */
export type Handle = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}>;

/** Options of an in-process client; the rest are those of any client. */
export interface InProcessOptions extends Partial<Omit<ApiClientOptions, 'transport' | 'clock'>> {
  readonly handle: Handle;
  readonly clock: Clock;
  /** Bearer token of the user. */
  readonly token?: string;
  /** Shown in messages. */
  readonly host?: string;
}

/** A client without a network. */
export function createInProcessClient({
  handle,
  token,
  host = 'in-process',
  ...options
}: InProcessOptions): FullApiClient {
  return createApiClient({
    userAgent: 'kubeadm-bootstrap-operator',
    fieldManager: 'kubeadm-bootstrap-operator',
    timeoutMs: API_CALL_TIMEOUT_MS,
    ...options,
    transport: inProcessTransport(handle, host, token),
  });
}

/** The transport alone. */
export function inProcessTransport(handle: Handle, host: string, token?: string): Transport {
  let closed = false;
  return {
    host,
    async send(request): Promise<WireResponse> {
      if (closed) throw new Error('the client is closed');
      if (request.signal.aborted) throw aborted();
      request.beforeSend();
      const { method, url, headers, body, signal } = request;
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const work = handle({
        method,
        url,
        headers: { ...headers, ...authorization },
        ...(body === undefined ? {} : { body }),
        signal,
      });
      const answer = await orAborted(work, signal, aborted);
      return typeof answer.body === 'string' ? answer : { ...answer, body: untilAborted(answer.body, signal) };
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

function aborted(): Error {
  return new Error('aborted');
}

/** A server may be slow to notice the end of a watch; a caller must not wait for it. */
async function* untilAborted(body: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string, void> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orAborted(chunks.next(), signal, aborted);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    chunks.return?.()?.catch(() => undefined);
  }
}
