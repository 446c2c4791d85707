// URLs as Go's net/url reads and writes them: what a remote file's URL becomes in the configuration.
//
// Little is normalised: the scheme is lower-cased, a path or host that is not properly escaped is escaped anew, a query stays
// as it is. Works on bytes; a byte is a character of a Latin-1 string in here.
import { isIPv6 } from 'node:net';

import { goQuote } from '../go-format/go-quote.js';
import { bytesToText, textToBytes } from '../go-format/go-string.js';

/** A URL that was read: its scheme and what Go prints for it. */
export type ParsedUrl =
  | { readonly kind: 'url'; readonly scheme: string; readonly query: string; readonly text: string }
  | { readonly kind: 'invalid'; readonly message: string };

type Part = 'path' | 'host' | 'userPassword' | 'fragment' | 'zone';

const UNRESERVED = 'A-Za-z0-9\\-._~';
/** The bytes that need no escape in each part. */
const PLAIN: Readonly<Record<Part, RegExp>> = {
  path: new RegExp(`^[${UNRESERVED}$&+,/:;=@]$`),
  host: new RegExp(`^[${UNRESERVED}!"$&'()*+,:;<=>[\\]]$`),
  zone: new RegExp(`^[${UNRESERVED}!"$&'()*+,:;<=>[\\]]$`),
  userPassword: new RegExp(`^[${UNRESERVED}$&+,;=]$`),
  fragment: new RegExp(`^[${UNRESERVED}!$&()*+,/:;=?@]$`),
};

/** A problem found on the way; it becomes the answer. */
interface Problem {
  readonly problem: string;
}

/** Reads a URL (a Go string). */
export function parseGoUrl(raw: string): ParsedUrl {
  const bytes = Buffer.from(textToBytes(raw)).toString('latin1');
  const parsed = parse(bytes);
  if ('problem' in parsed) return { kind: 'invalid', message: `parse ${goQuote(raw)}: ${parsed.problem}` };
  return { kind: 'url', ...parsed, text: bytesToText(Buffer.from(parsed.text, 'latin1')) };
}

function parse(raw: string): { scheme: string; query: string; text: string } | Problem {
  const [beforeFragment = '', ...fragments] = raw.split('#');
  const fragment = escapedForm(fragments.join('#'), 'fragment');
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f]/.test(beforeFragment)) return { problem: 'net/url: invalid control character in URL' };
  if (typeof fragment !== 'string') return fragment;
  const hash = fragment === '' ? '' : `#${fragment}`;
  if (beforeFragment === '*') return { scheme: '', query: '', text: `*${hash}` };
  if (beforeFragment.startsWith(':')) return { problem: 'missing protocol scheme' };
  const scheme = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(beforeFragment)?.[1] ?? '';
  const afterScheme = scheme === '' ? beforeFragment : beforeFragment.slice(scheme.length + 1);
  const questionAt = afterScheme.indexOf('?');
  const rest = questionAt === -1 ? afterScheme : afterScheme.slice(0, questionAt);
  const query = questionAt === -1 ? '' : afterScheme.slice(questionAt + 1);
  const tail = (questionAt === -1 ? '' : `?${query}`) + hash;
  const main = hierarchy(scheme.toLowerCase(), rest);
  if (typeof main !== 'string') return main;
  return { scheme: scheme.toLowerCase(), query, text: main + tail };
}

/** Scheme, authority and path, without query and fragment. */
function hierarchy(scheme: string, rest: string): string | Problem {
  const prefix = scheme === '' ? '' : `${scheme}:`;
  if (!rest.startsWith('/')) {
    if (scheme !== '') return prefix + rest;
    if (rest.split('/')[0]?.includes(':')) return { problem: 'first path segment in URL cannot contain colon' };
  }
  let authority: string | null = null;
  let path = rest;
  if (rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))) {
    const slashAt = rest.indexOf('/', 2);
    authority = slashAt === -1 ? rest.slice(2) : rest.slice(2, slashAt);
    path = slashAt === -1 ? '' : rest.slice(slashAt);
  }
  const printedPath = escapedForm(path, 'path');
  if (typeof printedPath !== 'string') return printedPath;
  if (authority === null) return prefix + withDotSegment(prefix, printedPath);
  const printed = printAuthority(scheme, authority);
  if (typeof printed !== 'string') return printed;
  const hasSlashes = printed !== '' || path !== '';
  return scheme === '' && printed === '' ? printedPath : `${prefix}${hasSlashes ? '//' : ''}${printed}${printedPath}`;
}

/** A relative path whose first segment has a colon after escaping would read as a scheme. */
function withDotSegment(prefix: string, path: string): string {
  return prefix === '' && path.split('/')[0]?.includes(':') ? `./${path}` : path;
}

function printAuthority(scheme: string, authority: string): string | Problem {
  const atAt = authority.lastIndexOf('@');
  const host = readHost(scheme, authority.slice(atAt + 1));
  if (typeof host !== 'string') return host;
  const printedHost = escape(host, 'host');
  if (atAt === -1) return printedHost;
  const userinfo = authority.slice(0, atAt);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) return { problem: 'net/url: invalid userinfo' };
  const colonAt = userinfo.indexOf(':');
  const parts = colonAt === -1 ? [userinfo] : [userinfo.slice(0, colonAt), userinfo.slice(colonAt + 1)];
  const printed: string[] = [];
  for (const part of parts) {
    const plain = unescape(part, 'userPassword');
    if (typeof plain !== 'string') return plain;
    printed.push(escape(plain, 'userPassword'));
  }
  return `${printed.join(':')}@${printedHost}`;
}

/** The host with its port, unescaped. */
function readHost(scheme: string, host: string): string | Problem {
  const openAt = host.lastIndexOf('[');
  if (openAt > 0) return { problem: 'invalid IP-literal' };
  if (openAt === 0) return readIpLiteral(host);
  const colonAt = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':');
  if (colonAt !== -1 && !/^:[0-9]*$/.test(host.slice(colonAt))) {
    return { problem: `invalid port ${goQuote(host.slice(colonAt))} after host` };
  }
  return unescape(host, 'host');
}

function readIpLiteral(host: string): string | Problem {
  const closeAt = host.lastIndexOf(']');
  if (closeAt === -1) return { problem: "missing ']' in host" };
  const port = host.slice(closeAt + 1);
  if (!/^(?::[0-9]*)?$/.test(port)) return { problem: `invalid port ${goQuote(port)} after host` };
  const [address = '', zone] = splitZone(host.slice(1, closeAt));
  const plainAddress = unescape(address, 'host');
  const plainZone = zone === undefined ? '' : unescape(zone, 'zone');
  if (typeof plainAddress !== 'string') return plainAddress;
  if (typeof plainZone !== 'string') return plainZone;
  if (plainAddress.includes('%') || !isIPv6(plainAddress) || plainZone === '%') {
    return { problem: `invalid host: ParseAddr(${goQuote(plainAddress + plainZone)}): unable to parse IP` };
  }
  return `[${plainAddress}${plainZone}]${port}`;
}

function splitZone(literal: string): readonly [string, string | undefined] {
  const zoneAt = literal.indexOf('%25');
  return zoneAt === -1 ? [literal, undefined] : [literal.slice(0, zoneAt), literal.slice(zoneAt)];
}

/** A part as it is printed: as it was written if that is properly escaped, else escaped anew. */
function escapedForm(raw: string, part: 'path' | 'fragment'): string | Problem {
  const plain = unescape(raw, part);
  if (typeof plain !== 'string') return plain;
  const isValid = [...raw].every((byte) => /[!$&'()*+,;=:@[\]%]/.test(byte) || PLAIN[part].test(byte));
  return isValid ? raw : escape(plain, part);
}

function unescape(raw: string, part: Part): string | Problem {
  let plain = '';
  for (let at = 0; at < raw.length; at += 1) {
    const byte = raw.charAt(at);
    if (byte !== '%') {
      const mustBePlain = (part === 'host' || part === 'zone') && byte < '\x80';
      if (mustBePlain && !PLAIN[part].test(byte)) return { problem: `invalid character ${goQuote(byte)} in host name` };
      plain += byte;
      continue;
    }
    const sequence = raw.slice(at, at + 3);
    if (!/^%[0-9A-Fa-f]{2}$/.test(sequence)) return { problem: `invalid URL escape ${goQuote(sequence)}` };
    const meant = String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
    const isForbidden =
      sequence !== '%25' &&
      ((part === 'host' && meant < '\x80') || (part === 'zone' && meant !== ' ' && !PLAIN.host.test(meant)));
    if (isForbidden) return { problem: `invalid URL escape ${goQuote(sequence)}` };
    plain += meant;
    at += 2;
  }
  return plain;
}

function escape(plain: string, part: Part): string {
  let escaped = '';
  for (const byte of plain) {
    const code = byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
    escaped += PLAIN[part].test(byte) ? byte : `%${code}`;
  }
  return escaped;
}
