// HTTP/1.1 as bytes, as far as a client needs it: a request as text, and an answer from pieces that may be cut anywhere.
//
// Pure: no sockets and no time. It keeps nothing of a body.
//
//   H1. What is not HTTP/1.1 (RFC 9112) or could be read in two ways is refused: a length beside chunks, two lengths, a folded
//       line, a line without a name, control characters, a change of the protocol.
//   H2. Bounded: heads, lines of chunks and trailers by ANSWER_HEAD_BYTES_MAX. Bodies are bounded by who reads them.
//   H3. A connection is good for another request only if the answer said where it ends, did not forbid it, and nothing follows.

import { ANSWER_HEAD_BYTES_MAX, CHUNK_LINE_BYTES_MAX } from '../limits.js';

/** Status and headers of an answer; names in lower case, values of equal names joined by commas. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Who is told what an answer is made of, in this order: its head, its body in pieces, its end. */
export interface AnswerReader {
  onHead(head: AnswerHead): void;
  onBody(bytes: Buffer): void;
  /** `reusable`: the connection may carry another request. */
  onEnd(reusable: boolean): void;
}

/** Reads one answer. */
export interface AnswerParser {
  /** The next bytes of the connection. Throws for what H1 refuses, and what the reader throws. */
  feed(bytes: Buffer): void;
  /** The connection has ended. Throws unless that is how the answer ends. */
  end(): void;
}

/** What a request's text is made of. */
export interface RequestText {
  readonly method: string;
  /** Path and query, or a whole URL for a proxy. */
  readonly target: string;
  /** Header lines that were made before. */
  readonly lines: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

const CONTROL_CHARACTER = /[\0-\x08\n-\x1f\x7f]/; // eslint-disable-line no-control-regex
const NOT_OF_A_TARGET = /[^\x21-\x7e]/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** A request from its first to its last byte, in UTF-8. Throws for what would end a line or the target too early. */
export function requestText({ method, target, lines, headers, body }: RequestText): string {
  if (NOT_OF_A_TARGET.test(target)) throw new Error('the path has characters that a request cannot carry');
  const head = `${method} ${target} HTTP/1.1\r\n${lines}${headerLines(headers)}`;
  return body === undefined ? `${head}\r\n` : `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Header lines; names in lower case. Throws for what would end a line too early. */
export function headerLines(
  headers: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
): string {
  let text = '';
  for (const [name, value] of Array.isArray(headers) ? headers : Object.entries(headers)) {
    if (!TOKEN.test(name) || CONTROL_CHARACTER.test(value))
      throw new Error(`the header ${JSON.stringify(name)} has characters that a request cannot carry`);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/** What is wrong with an answer; its text names nothing of it. */
function refusal(what: string): Error {
  return Object.assign(new Error(`its answer is not HTTP/1.1 (${what})`), { code: 'BadAnswer' });
}

type Part = 'head' | 'sized' | 'until-close' | 'chunk-line' | 'chunk' | 'chunk-end' | 'trailers' | 'done';

const NOTHING = Buffer.alloc(0);

/** A parser for one answer. */
export function createAnswerParser(reader: AnswerReader): AnswerParser {
  let part: Part = 'head';
  let rest: Buffer = NOTHING;
  let isPersistent = false;
  let left = 0;
  let headBytes = 0;

  const countHead = (bytes: number): void => {
    if (bytes > ANSWER_HEAD_BYTES_MAX) throw refusal('too many bytes around its body');
  };

  /** The text before `end` and how much of the bytes that is with it, or null while `end` has not come. */
  const textUntil = (bytes: Buffer, end: string): string | null => {
    const at = bytes.indexOf(end, 0, 'latin1');
    countHead(headBytes + (at < 0 ? bytes.length : at));
    return at < 0 ? null : bytes.toString('latin1', 0, at);
  };

  const takeHead = (bytes: Buffer): number => {
    if (!'HTTP/1.'.startsWith(bytes.toString('latin1', 0, 7))) throw refusal('no status line');
    const text = textUntil(bytes, '\r\n\r\n');
    if (text === null) return 0;
    const { head, version } = parseHead(text);
    if (head.status === 101) throw refusal('another protocol');
    if (head.status < 200) headBytes += text.length;
    else {
      const body = bodyOf(head);
      headBytes = 0;
      const { isBounded } = body;
      ({ part, left } = body);
      isPersistent =
        version === '1' && isBounded && part !== 'until-close' && !CLOSE.test(head.headers['connection'] ?? '');
      reader.onHead(head);
    }
    return text.length + 4;
  };

  const takeBody = (bytes: Buffer): number => {
    const taken = part === 'until-close' ? bytes.length : Math.min(left, bytes.length);
    left -= taken;
    if (left === 0) part = part === 'chunk' ? 'chunk-end' : 'done';
    reader.onBody(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    return taken;
  };

  const takeChunkLine = (bytes: Buffer): number => {
    const end = bytes.subarray(0, CHUNK_LINE_BYTES_MAX + 2).indexOf('\r\n', 0, 'latin1');
    if (end < 0 && bytes.length > CHUNK_LINE_BYTES_MAX + 1) throw refusal('too many bytes around its body');
    if (end < 0) return 0;
    const text = bytes.toString('latin1', 0, end);
    const size = CHUNK_SIZE.exec(text)?.[1];
    if (size === undefined) throw refusal('the size of a chunk');
    left = Number.parseInt(size, 16);
    part = left === 0 ? 'trailers' : 'chunk';
    return text.length + 2;
  };

  const takeChunkEnd = (bytes: Buffer): number => {
    if (bytes.length < 2) return 0;
    if (bytes[0] !== 13 || bytes[1] !== 10) throw refusal('the end of a chunk');
    part = 'chunk-line';
    return 2;
  };

  const takeTrailer = (bytes: Buffer): number => {
    const text = textUntil(bytes, '\r\n');
    if (text === null) return 0;
    headBytes += text.length;
    if (text === '') part = 'done';
    else parseHeader(text);
    return text.length + 2;
  };

  const take = (bytes: Buffer): number => {
    switch (part) {
      case 'head':
        return takeHead(bytes);
      case 'sized':
      case 'chunk':
      case 'until-close':
        return takeBody(bytes);
      case 'chunk-line':
        return takeChunkLine(bytes);
      case 'chunk-end':
        return takeChunkEnd(bytes);
      case 'trailers':
        return takeTrailer(bytes);
      case 'done':
        return 0;
    }
  };

  return {
    feed(fresh) {
      let bytes = rest.length === 0 ? fresh : Buffer.concat([rest, fresh]);
      rest = NOTHING;
      for (let taken = take(bytes); taken > 0; taken = take(bytes)) {
        bytes = bytes.subarray(taken);
        if (bytes.length === 0) break;
      }
      if (part === 'done') reader.onEnd(isPersistent && bytes.length === 0);
      else rest = bytes;
    },
    end() {
      if (part !== 'until-close') throw Object.assign(new Error('connection closed'), { code: 'ECONNRESET' });
      part = 'done';
      reader.onEnd(false);
    },
  };
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
const CHUNK_SIZE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

function parseHead(text: string): { readonly head: AnswerHead; readonly version: string } {
  const [first = '', ...lines] = text.split('\r\n');
  const [, version, status] = STATUS_LINE.exec(first) ?? [];
  if (version === undefined || status === undefined) throw refusal('its status line');
  // Without a prototype, so that no name of a header means more than another.
  const headers = Object.create(null) as Record<string, string | undefined>;
  for (const line of lines) {
    const [name, value] = parseHeader(line);
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return { head: { status: Number(status), headers }, version };
}

function parseHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!TOKEN.test(name) || CONTROL_CHARACTER.test(line)) throw refusal('a header line');
  return [name, withoutBlanks(line.slice(colon + 1))];
}

/** A value without SP and HTAB at its ends; other blanks belong to it. */
function withoutBlanks(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && isBlank(value, start)) start += 1;
  while (end > start && isBlank(value, end - 1)) end -= 1;
  return value.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

/** How much body follows. `isBounded`: nothing of it can be taken for the next answer. */
interface BodyLength {
  readonly part: Part;
  readonly left: number;
  readonly isBounded: boolean;
}

/** RFC 9112, section 6.3, for answers to anything but HEAD and CONNECT. */
function bodyOf({ status, headers }: AnswerHead): BodyLength {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  // A body that such an answer announces may come all the same, later.
  if (status === 204 || status === 304)
    return { part: 'done', left: 0, isBounded: coding === undefined && (length ?? '0') === '0' };
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked' || length !== undefined) throw refusal('the length of its body');
    return { part: 'chunk-line', left: 0, isBounded: true };
  }
  if (length === undefined) return { part: 'until-close', left: Number.POSITIVE_INFINITY, isBounded: false };
  if (!/^\d{1,15}$/.test(length)) throw refusal('the length of its body');
  return { part: Number(length) === 0 ? 'done' : 'sized', left: Number(length), isBounded: true };
}
