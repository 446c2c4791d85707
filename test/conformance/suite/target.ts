// An API server as the conformance suite sees it: requests and streams over HTTP, or straight into a handler.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** What is sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly user?: string;
  readonly userAgent?: string;
}

/** What came back. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** One event of a watch. */
export interface Event {
  readonly type: string;
  readonly object: Record<string, unknown>;
}

/** An open watch. */
export interface Stream {
  readonly status: number;
  /** The next event; null at the end. */
  next(): Promise<Event | null>;
  close(): void;
}

/** A server under test. */
export interface Target {
  send(sent: Sent): Promise<Received>;
  stream(sent: Sent): Promise<Stream>;
}

const userAgent = 'conformance/1.0';

/** Headers as the suite sends them, on every kind of target. */
export function headersOf(sent: Sent): Record<string, string> {
  return {
    accept: sent.accept ?? 'application/json',
    authorization: `Bearer token-${sent.user ?? 'admin'}`,
    'user-agent': sent.userAgent ?? userAgent,
    ...(sent.body === undefined ? {} : { 'content-type': sent.contentType ?? 'application/json' }),
    ...(sent.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent.body)) }),
  };
}

/** A target behind a URL. */
export function httpTarget(url: string): Target {
  const open = (sent: Sent): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const start = url.startsWith('https:') ? httpsRequest : httpRequest;
      const options = { method: sent.method, headers: headersOf(sent), rejectUnauthorized: false };
      const outgoing = start(`${url}${sent.path}`, options, resolve);
      outgoing.on('error', reject);
      outgoing.end(sent.body);
    });
  return {
    async send(sent) {
      const incoming = await open(sent);
      incoming.setEncoding('utf8');
      let text = '';
      for await (const chunk of incoming) text += chunk as string;
      return { status: incoming.statusCode ?? 0, headers: incoming.headers as Received['headers'], text };
    },
    async stream(sent) {
      const incoming = await open(sent);
      incoming.setEncoding('utf8');
      return lines(incoming.statusCode ?? 0, incoming[Symbol.asyncIterator](), () => incoming.destroy());
    },
  };
}

/** A stream of events from chunks of text. */
export function lines(status: number, chunks: AsyncIterator<string>, close: () => void): Stream {
  let buffer = '';
  return {
    status,
    async next() {
      for (;;) {
        const end = buffer.indexOf('\n');
        if (end !== -1) {
          const line = buffer.slice(0, end);
          buffer = buffer.slice(end + 1);
          return JSON.parse(line) as Event;
        }
        const chunk = await chunks.next().catch(() => ({ done: true as const, value: undefined }));
        if (chunk.done === true) return null;
        buffer += chunk.value;
      }
    },
    close,
  };
}
