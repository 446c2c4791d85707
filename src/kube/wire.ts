// One HTTP exchange with an API server, without saying how it travels.
//
// Two transports exist: HTTP/1.1 on sockets (https-transport.ts) and the in-process handler of an embedded server
// (in-process-client.ts). Everything above this line is the same for both.
//
//   W1. `beforeSend` is called on every try, at the last moment before the first byte leaves. What it throws ends the exchange, and
//       then nothing has left. So the caller knows for sure whether a failed request can have had an effect.
//   W2. An aborted signal ends the exchange and its body, whatever state they are in.

import type { ByteBudget } from './kept-bytes.js';

/** A request as it leaves. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Monotonic time that tells the age of the work behind the request: the oldest goes first where connections are short. */
  readonly sinceMs?: number;
  /** A watch: it gets a connection of its own. */
  readonly streaming: boolean;
  readonly beforeSend: () => void;
  /** What may be kept of the answer. */
  readonly answer: { readonly bytesMax: number; readonly budget: ByteBudget | null };
}

/** The signal ended the request while it waited for this client's own limits: nothing was tried. */
export class HeldBackError extends Error {
  override readonly name = 'HeldBackError';

  constructor() {
    super('aborted');
  }
}

/** An answer. The body of a watch is read chunk by chunk; leaving the loop ends it. Any other comes as a whole text. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | AsyncIterable<string | Uint8Array>;
}

/** A way to one API server. */
export interface Transport {
  /** Host and port, for messages and metrics. */
  readonly host: string;
  send(request: WireRequest): Promise<WireResponse>;
  /** Ends all connections at once and refuses new requests. */
  close(): Promise<void>;
}
