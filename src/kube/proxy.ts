// Which proxy a server is reached through, and the way through it.
//
// As Go's net/http: HTTPS_PROXY and HTTP_PROXY by the server's scheme, NO_PROXY with names, suffixes, addresses, ranges and
// ports; this machine is never reached through a proxy named by the environment. `proxy-url` of a kubeconfig wins over all of
// them. Schemes: http, https, socks5, socks5h.

import { once } from 'node:events';
import { BlockList, connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { SOCKET_IDLE_MAX_MS } from '../limits.js';
import { AccessError } from './access.js';

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
  return url;
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
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

/** A connection to the server through the proxy, before TLS with the server itself. */
export async function connectThrough(proxy: URL, server: URL, signal: AbortSignal): Promise<Socket> {
  const secure = proxy.protocol === 'https:';
  const [host, port] = [hostOf(proxy), portOf(proxy)];
  const timeout = SOCKET_IDLE_MAX_MS;
  const socket = secure
    ? connectTls({ host, port, timeout, servername: isIP(host) === 0 ? host : '' })
    : connectTcp({ host, port, timeout });
  const end = (): void => void socket.destroy(new Error('aborted'));
  signal.addEventListener('abort', end, { once: true });
  try {
    await once(socket, secure ? 'secureConnect' : 'connect');
    if (proxy.protocol.startsWith('socks5')) await socksHandshake(socket, proxy, server);
    else if (!isForwarding(proxy, server)) await httpHandshake(socket, proxy, server);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function httpHandshake(socket: Socket, proxy: URL, server: URL): Promise<void> {
  const authority = `${server.hostname}:${portOf(server)}`;
  const login = proxyAuthorization(proxy);
  const authorization = login === null ? '' : `Proxy-Authorization: ${login}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const head = await readUntil(socket, (seen) => {
    const end = seen.indexOf('\r\n\r\n');
    return end < 0 ? null : end + 4;
  });
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1] ?? 'no status';
  if (status !== '200') throw new AccessError(`the proxy ${proxy.host} answered ${status} to CONNECT`);
}

/** RFC 1928 with the name resolved by the proxy, RFC 1929 for a user name. */
async function socksHandshake(socket: Socket, proxy: URL, server: URL): Promise<void> {
  const [user, password] = [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)].map((part) =>
    Buffer.from(part),
  );
  const withLogin = user !== undefined && password !== undefined && user.length > 0;
  socket.write(Buffer.from(withLogin ? [5, 2, 0, 2] : [5, 1, 0]));
  const [, method] = await readUntil(socket, (seen) => (seen.length >= 2 ? 2 : null));
  if (method === 2 && withLogin) {
    socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]));
    const [, refused] = await readUntil(socket, (seen) => (seen.length >= 2 ? 2 : null));
    if (refused !== 0) throw new AccessError(`the proxy ${proxy.host} refused the login`);
  } else if (method !== 0) {
    throw new AccessError(`the proxy ${proxy.host} wants a login that we do not have`);
  }
  const name = Buffer.from(hostOf(server));
  const port = Buffer.alloc(2);
  port.writeUInt16BE(portOf(server));
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, port]));
  const reply = await readUntil(socket, socksReplyLength);
  if (reply[1] !== 0)
    throw new AccessError(`the proxy ${proxy.host} cannot reach ${server.host} (SOCKS error ${reply[1]})`);
}

function socksReplyLength(seen: Buffer): number | null {
  if (seen.length < 5) return null;
  const addressLength = { 1: 4, 4: 16 }[seen[3] ?? 0] ?? 1 + (seen[4] ?? 0);
  const length = 4 + addressLength + 2;
  return seen.length >= length ? length : null;
}

const HANDSHAKE_BYTES_MAX = 65_536;

/** Reads until `length` knows how much belongs to the answer; what came behind it goes back into the socket. */
async function readUntil(socket: Socket, length: (seen: Buffer) => number | null): Promise<Buffer> {
  let seen = Buffer.alloc(0);
  for (;;) {
    const end = length(seen);
    if (end !== null) {
      if (end < seen.length) socket.unshift(seen.subarray(end));
      return seen.subarray(0, end);
    }
    if (seen.length > HANDSHAKE_BYTES_MAX) throw new AccessError('the proxy sent no answer that we understand');
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) seen = Buffer.concat([seen, chunk]);
    else if (socket.readableEnded || socket.destroyed) throw new AccessError('the proxy closed the connection');
    else await Promise.race([once(socket, 'readable'), once(socket, 'end')]);
  }
}
