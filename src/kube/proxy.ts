// Which proxy a server is reached through, and the way through it.
//
// As Go's net/http: HTTPS_PROXY and HTTP_PROXY by the server's scheme, NO_PROXY with names, suffixes, addresses, ranges and
// ports; this machine is never reached through a proxy named by the environment. `proxy-url` of a kubeconfig wins over all of
// them. Schemes: http, https, socks5, socks5h.
//
//   Y1. What a proxy answers is read once, whatever pieces it comes in, and bounded by PROXY_ANSWER_BYTES_MAX.
//   Y2. What cannot be sent to a proxy is refused in words before anything is sent; nothing is cut to fit.
//   Y3. The certificate of an https proxy is checked, whatever the environment says.

import { once } from 'node:events';
import { BlockList, connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { PROXY_ANSWER_BYTES_MAX, SOCKET_IDLE_MAX_MS } from '../limits.js';
import { AccessError } from './access.js';
import { KeptBytes } from './kept-bytes.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a server, or null. */
export function proxyFor(server: URL, proxyUrl: string, environment: Environment): URL | null {
  if (proxyUrl !== '') return parseProxy(proxyUrl, 'proxy-url');
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = environment[name] ?? environment[name.toLowerCase()] ?? '';
  if (value === '' || bypasses(server, environment['NO_PROXY'] ?? environment['no_proxy'] ?? '')) return null;
  return parseProxy(value, name);
}

function parseProxy(text: string, source: string): URL {
  const url =
    URL.canParse(text) && text.includes('://')
      ? new URL(text)
      : URL.canParse(`http://${text}`)
        ? new URL(`http://${text}`)
        : null;
  if (url === null || !['http:', 'https:', 'socks5:', 'socks5h:'].includes(url.protocol)) {
    throw new AccessError(`${source} is not an http, https or socks5 URL`);
  }
  if (BROKEN_ESCAPE.test(url.username + url.password))
    throw new AccessError(`${source} has a % in its user name or password that is no escape: write it as %25`);
  return url;
}

const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/** A part of a URL with its escapes read, byte by byte as Go reads them: they need not be UTF-8. */
function unescapedBytes(text: string): Buffer {
  return Buffer.concat(
    text
      .split(/(%[0-9a-f]{2})/i)
      .map((part, at) => (at % 2 === 1 ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
  );
}

/** True when NO_PROXY, or its being this machine, keeps a server from the proxy. */
export function bypasses(server: URL, noProxy: string): boolean {
  const host = hostOf(server);
  const port = portOf(server);
  if (host === 'localhost' || isLoopback(host)) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry, host, port));
}

function matches(entry: string, host: string, port: number): boolean {
  const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
  if (entry.includes('/')) {
    const [address = '', bits = ''] = entry.split('/');
    const kind = isIP(address);
    if (kind === 0 || isIP(host) !== kind || !/^\d+$/.test(bits) || Number(bits) > (kind === 6 ? 128 : 32))
      return false;
    const range = new BlockList();
    range.addSubnet(address, Number(bits), family);
    return range.check(host, family);
  }
  const split = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry);
  if (split !== null && Number(split[2]) !== port) return false;
  const name = (split?.[1] ?? entry).replace(/^\[|\]$/g, '').replace(/^\*\./, '.');
  if (isIP(name) !== 0) return name === host;
  // A name covers itself and everything below it; one with a leading dot only what is below it.
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function isLoopback(host: string): boolean {
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The host of a URL without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

/** The port of a URL, or its scheme's. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return { 'https:': 443, 'http:': 80 }[url.protocol] ?? 1080;
}

/** True when requests go to the proxy itself with the server's whole URL in them, as for plain http servers. */
export function isForwarding(proxy: URL, server: URL): boolean {
  return server.protocol === 'http:' && !proxy.protocol.startsWith('socks5');
}

/** The header that a proxy with a login in its URL wants, for forwarded requests. */
export function proxyAuthorization(proxy: URL): string | null {
  if (proxy.username === '') return null;
  const login = Buffer.concat([unescapedBytes(proxy.username), Buffer.from(':'), unescapedBytes(proxy.password)]);
  return `Basic ${login.toString('base64')}`;
}

/** A connection to the server through the proxy, before TLS with the server itself. */
export async function connectThrough(proxy: URL, server: URL, signal: AbortSignal): Promise<Socket> {
  const secure = proxy.protocol === 'https:';
  const [host, port] = [hostOf(proxy), portOf(proxy)];
  const timeout = SOCKET_IDLE_MAX_MS;
  const socket = secure
    ? connectTls({ host, port, timeout, servername: isIP(host) === 0 ? host : '', rejectUnauthorized: true })
    : connectTcp({ host, port, timeout });
  const end = (): void => void socket.destroy(new Error('aborted'));
  signal.addEventListener('abort', end, { once: true });
  try {
    await once(socket, secure ? 'secureConnect' : 'connect');
    if (!isForwarding(proxy, server)) await handshake(socket, proxy, server);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function handshake(socket: Socket, proxy: URL, server: URL): Promise<void> {
  const answers = readAnswers(socket);
  try {
    const way = { proxy, server, write: (bytes: string | Buffer): unknown => socket.write(bytes), next: answers.next };
    await (proxy.protocol.startsWith('socks5') ? socksHandshake(way) : httpHandshake(way));
  } finally {
    answers.release();
  }
}

interface Handshake {
  readonly proxy: URL;
  readonly server: URL;
  readonly write: (bytes: string | Buffer) => unknown;
  readonly next: Answers['next'];
}

async function httpHandshake({ proxy, server, write, next }: Handshake): Promise<void> {
  const authority = `${server.hostname}:${portOf(server)}`;
  const login = proxyAuthorization(proxy);
  const authorization = login === null ? '' : `Proxy-Authorization: ${login}\r\n`;
  write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const head = await next((seen, looked) => {
    const end = seen.indexOf('\r\n\r\n', Math.max(0, looked - 3), 'latin1');
    return end < 0 ? null : end + 4;
  });
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, 16))?.[1] ?? 'no status';
  if (status !== '200') throw new AccessError(`the proxy ${proxy.host} answered ${status} to CONNECT`);
}

/** RFC 1928 with the name resolved by the proxy, RFC 1929 for a user name. */
async function socksHandshake({ proxy, server, write, next }: Handshake): Promise<void> {
  const user = counted('the user name of the proxy', unescapedBytes(proxy.username));
  const password = counted('the password of the proxy', unescapedBytes(proxy.password));
  const name = counted('the name of the server', Buffer.from(hostOf(server)));
  const withLogin = user.length > 1;
  write(Buffer.from(withLogin ? [5, 2, 0, 2] : [5, 1, 0]));
  const [, method] = await next((seen) => (seen.length >= 2 ? 2 : null));
  if (method === 2 && withLogin) {
    write(Buffer.concat([Buffer.from([1]), user, password]));
    const [, refused] = await next((seen) => (seen.length >= 2 ? 2 : null));
    if (refused !== 0) throw new AccessError(`the proxy ${proxy.host} refused the login`);
  } else if (method !== 0) {
    throw new AccessError(`the proxy ${proxy.host} wants a login that we do not have`);
  }
  const port = Buffer.alloc(2);
  port.writeUInt16BE(portOf(server));
  write(Buffer.concat([Buffer.from([5, 1, 0, 3]), name, port]));
  const reply = await next(socksReplyLength);
  if (reply[1] !== 0)
    throw new AccessError(`the proxy ${proxy.host} cannot reach ${server.host} (SOCKS error ${reply[1]})`);
}

const SOCKS_TEXT_BYTES_MAX = 255;

/** A text with its length in one byte before it. */
function counted(what: string, bytes: Buffer): Buffer {
  if (bytes.length > SOCKS_TEXT_BYTES_MAX)
    throw new AccessError(`${what} has ${bytes.length} bytes; SOCKS carries at most ${SOCKS_TEXT_BYTES_MAX}`);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function socksReplyLength(seen: Buffer): number | null {
  if (seen.length < 5) return null;
  const addressLength = { 1: 4, 4: 16 }[seen[3] ?? 0] ?? 1 + (seen[4] ?? 0);
  const length = 4 + addressLength + 2;
  return seen.length >= length ? length : null;
}

/** How long the answer is, once that can be told. The first `looked` bytes were there at the last question. */
type AnswerLength = (seen: Buffer, looked: number) => number | null;

interface Answers {
  /** The next answer. One at a time. */
  next(length: AnswerLength): Promise<Buffer>;
  /** What came behind the last answer goes back into the socket. */
  release(): void;
}

/** Reads a proxy's answers with one set of listeners for all of them; each byte is kept once and looked at once. */
function readAnswers(socket: Socket): Answers {
  const kept = new KeptBytes(null);
  let waiting: { readonly look: () => void; readonly fail: (error: Error) => void } | null = null;
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    waiting?.fail(ended);
  };
  const read = (): void => {
    for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null)
      kept.append(piece);
    waiting?.look();
  };
  const closed = (): void => end(new AccessError('the proxy closed the connection'));
  socket.on('readable', read).on('end', closed).on('close', closed).on('error', end);
  return {
    next: (length) =>
      new Promise<Buffer>((resolve, reject) => {
        let looked = 0;
        const settle = (finish: () => void): void => {
          waiting = null;
          finish();
        };
        const look = (): void => {
          const size = length(kept.seen(), looked);
          looked = kept.length;
          if (size !== null) settle(() => resolve(kept.takeFirst(size)));
          else if (kept.length > PROXY_ANSWER_BYTES_MAX)
            settle(() => reject(new AccessError('the proxy sent no answer that we understand')));
        };
        waiting = { look, fail: (error) => settle(() => reject(error)) };
        read();
        if (ended !== null) (waiting as { readonly fail: (error: Error) => void } | null)?.fail(ended);
      }),
    release() {
      socket.off('readable', read).off('end', closed).off('close', closed).off('error', end);
      if (kept.length > 0 && !socket.destroyed) socket.unshift(kept.take());
      kept.release();
    },
  };
}
