import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createAnswerParser, headerLines, requestText } from '../../../src/kube/http-wire.js';

interface Read {
  status: number;
  headers: Record<string, string | undefined>;
  body: string;
  /** Null while the answer has not ended. */
  reusable: boolean | null;
}

/** What a parser makes of pieces; `ends`: the connection ends after them. */
function read(pieces: readonly Buffer[], ends = false): Read {
  const seen: Read = { status: 0, headers: {}, body: '', reusable: null };
  const body: Buffer[] = [];
  const parser = createAnswerParser({
    onHead: ({ status, headers }) => Object.assign(seen, { status, headers: { ...headers } }),
    onBody: (bytes) => void body.push(Buffer.from(bytes)),
    onEnd: (reusable) => void (seen.reusable = reusable),
  });
  for (const piece of pieces) parser.feed(piece);
  if (ends) parser.end();
  return { ...seen, body: Buffer.concat(body).toString('utf8') };
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const lines = (...all: string[]): string => all.join('\r\n');

/** The answers of the kinds that an API server and what stands before it send, and what they say. */
const answers: readonly (readonly [string, string, Partial<Read>])[] = [
  [
    'a length',
    lines('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 10', '', '{"a":"ü"}'),
    {
      status: 200,
      headers: { 'content-type': 'application/json', 'content-length': '10' },
      body: '{"a":"ü"}',
      reusable: true,
    },
  ],
  [
    'chunks, an extension and a trailer',
    lines(
      'HTTP/1.1 201 Created',
      'transfer-encoding: Chunked',
      '',
      '3;name="x;y"',
      'abc',
      'A ',
      '0123456789',
      '0',
      'X-Sum: 1',
      '',
      '',
    ),
    { status: 201, body: 'abc0123456789', reusable: true },
  ],
  ['no body, length 0', lines('HTTP/1.1 200 OK', 'content-length: 0', '', ''), { body: '', reusable: true }],
  ['204', lines('HTTP/1.1 204 No Content', '', ''), { status: 204, body: '', reusable: true }],
  ['304 with a length', lines('HTTP/1.1 304 Not Modified', 'content-length: 7', '', ''), { body: '', reusable: false }],
  ['204 with a length', lines('HTTP/1.1 204 No Content', 'content-length: 2', '', ''), { body: '', reusable: false }],
  [
    '204 with chunks',
    lines('HTTP/1.1 204 No Content', 'transfer-encoding: chunked', '', ''),
    { body: '', reusable: false },
  ],
  [
    'interim answers before it',
    lines('HTTP/1.1 100 Continue', '', 'HTTP/1.1 103 Early Hints', 'link: x', '', 'HTTP/1.1 204 ', '', ''),
    { status: 204, headers: {}, reusable: true },
  ],
  ['no reason', lines('HTTP/1.1 200', 'content-length: 1', '', 'x'), { status: 200, body: 'x', reusable: true }],
  [
    'Connection: close',
    lines('HTTP/1.1 200 OK', 'connection: x, Close', 'content-length: 1', '', 'x'),
    { body: 'x', reusable: false },
  ],
  ['HTTP/1.0', lines('HTTP/1.0 200 OK', 'content-length: 1', '', 'x'), { body: 'x', reusable: false }],
  [
    'equal names',
    lines('HTTP/1.1 204 X', 'Warning: 299 - "a"', 'constructor: 1', 'warning:299 - "b" ', '', ''),
    { headers: { warning: '299 - "a", 299 - "b"', constructor: '1' } },
  ],
];

describe('answer', () => {
  test.each(answers)('%s, cut in two at every place, and into single bytes -> the same answer', (_, text, expected) => {
    const bytes = bytesOf(text);
    expect(read([bytes])).toMatchObject(expected);
    for (let at = 1; at < bytes.length; at += 1)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toMatchObject(expected);
    expect(read([...bytes].map((byte) => Buffer.from([byte])))).toMatchObject(expected);
  });

  test('every beginning of an answer -> not over', () => {
    for (const [, text] of answers) {
      const bytes = bytesOf(text);
      for (let at = 0; at < bytes.length; at += 1) {
        expect(read([bytes.subarray(0, at)]).reusable).toBeNull();
        expect(() => read([bytes.subarray(0, at)], true)).toThrow('connection closed');
      }
    }
  });

  test('neither length nor chunks -> the body lasts until the connection ends', () => {
    const pieces = [bytesOf('HTTP/1.1 200 OK\r\n\r\nab'), bytesOf('c')];
    expect(read(pieces)).toMatchObject({ body: 'abc', reusable: null });
    expect(read(pieces, true)).toMatchObject({ body: 'abc', reusable: false });
  });

  test('bytes after the end -> the answer stands, the connection is of no use', () => {
    for (const [, text, expected] of answers)
      expect(read([bytesOf(`${text}H`)])).toMatchObject({ ...expected, reusable: false });
  });

  test('property: any body in any framing, cut anywhere -> status, headers and body', () => {
    const name = fc.stringMatching(/^x-[a-z0-9]{1,8}$/);
    const value = fc.stringMatching(/^[!-~]([ !-~]{0,20}[!-~])?$/);
    const made = fc.record({
      status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
      headers: fc.dictionary(name, value, { maxKeys: 4 }),
      body: fc.string({ unit: 'binary', maxLength: 60 }),
      framing: fc.constantFrom('length', 'chunks', 'close'),
      chunkSizes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }),
      cuts: fc.array(fc.nat(400), { maxLength: 12 }),
    });
    fc.assert(
      fc.property(made, ({ status, headers, body, framing, chunkSizes, cuts }) => {
        const raw = bytesOf(body);
        const head = Object.entries(headers).map(([key, text]) => `${key}: ${text}`);
        const start = (extra: readonly string[]): Buffer =>
          bytesOf(lines(`HTTP/1.1 ${status} Text`, ...head, ...extra, '', ''));
        const whole = {
          length: () => Buffer.concat([start([`Content-Length: ${raw.length}`]), raw]),
          chunks: () => Buffer.concat([start(['Transfer-Encoding: chunked']), chunked(raw, chunkSizes)]),
          close: () => Buffer.concat([start([]), raw]),
        }[framing]();
        const result = read(cutAt(whole, cuts), framing === 'close');
        expect(result).toMatchObject({ status, headers, body: raw.toString('utf8'), reusable: framing !== 'close' });
      }),
      { numRuns: 300 },
    );
  });
});

function chunked(raw: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, index = 0; at < raw.length; index += 1) {
    const piece = raw.subarray(at, at + (sizes[index % sizes.length] ?? 1));
    parts.push(bytesOf(`${piece.length.toString(16)}\r\n`), piece, bytesOf('\r\n'));
    at += piece.length;
  }
  return Buffer.concat([...parts, bytesOf('0\r\n\r\n')]);
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index] ?? 0, end));
}

describe('answer: refused', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.7\r\n', 'no status line'],
    ['a TLS alert', '\x15\x03\x01\x00\x02\x02\x46', 'no status line'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n', 'no status line'],
    ['HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n', 'its status line'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'its status line'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\n\r\n', 'another protocol'],
    ['a line without a colon', `${ok}nothing\r\n\r\n`, 'a header line'],
    ['a line without a name', `${ok}: x\r\n\r\n`, 'a header line'],
    ['a space before the colon', `${ok}content-length : 1\r\n\r\n`, 'a header line'],
    ['a folded line', `${ok}a: b\r\n c: d\r\n\r\n`, 'a header line'],
    ['a bare newline in a value', `${ok}a: b\nc: d\r\n\r\n`, 'a header line'],
    ['a NUL in a value', `${ok}a: b\0\r\n\r\n`, 'a header line'],
    ['two lengths', `${ok}content-length: 1\r\ncontent-length: 1\r\n\r\nx`, 'the length of its body'],
    ['a length that is no number', `${ok}content-length: +1\r\n\r\nx`, 'the length of its body'],
    ['a length below zero', `${ok}content-length: -1\r\n\r\nx`, 'the length of its body'],
    ['an empty length', `${ok}content-length:\r\n\r\nx`, 'the length of its body'],
    ['a length and chunks', `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`, 'the length of its body'],
    ['another coding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n`, 'the length of its body'],
    ['a chunk size that is no number', `${ok}transfer-encoding: chunked\r\n\r\nx\r\n`, 'the size of a chunk'],
    ['a chunk size too large', `${ok}transfer-encoding: chunked\r\n\r\n123456789\r\n`, 'the size of a chunk'],
    ['a chunk longer than its size', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nxy\r\n`, 'the end of a chunk'],
    ['a trailer that is no header', `${ok}transfer-encoding: chunked\r\n\r\n0\r\nx\r\n\r\n`, 'a header line'],
  ])('%s -> an error that names what is wrong', (_, text, what) => {
    expect(() => read([Buffer.from(text, 'latin1')])).toThrow(`its answer is not HTTP/1.1 (${what})`);
    expect(() => read([...Buffer.from(text, 'latin1')].map((byte) => Buffer.from([byte])))).toThrow(`(${what})`);
  });

  const long = 'x'.repeat(70_000);
  test.each([
    ['a head', `${ok}a: ${long}`],
    ['a complete head', `${ok}a: ${long}\r\n\r\n`],
    ['interim answers', `HTTP/1.1 100 ${'x'.repeat(1_000)}\r\n\r\n`.repeat(70)],
    ['an extension of a chunk', `${ok}transfer-encoding: chunked\r\n\r\n1;${long}`],
    ['trailers', `${ok}transfer-encoding: chunked\r\n\r\n0\r\n${`a: ${'x'.repeat(1_000)}\r\n`.repeat(70)}`],
  ])('%s longer than 64 KiB -> an error', (_, text) => {
    expect(() => read([bytesOf(text)])).toThrow('too many bytes around its body');
  });
});

describe('request', () => {
  test('head and body -> one text with the length in bytes', () => {
    const text = requestText({
      method: 'POST',
      target: '/a?b=c',
      lines: headerLines({ host: 'h:1' }),
      headers: { accept: 'x' },
      body: '€',
    });
    expect(text).toBe('POST /a?b=c HTTP/1.1\r\nhost: h:1\r\naccept: x\r\ncontent-length: 3\r\n\r\n€');
  });

  test('no body -> no length', () => {
    expect(requestText({ method: 'GET', target: '/', lines: 'host: h\r\n', headers: {} })).toBe(
      'GET / HTTP/1.1\r\nhost: h\r\n\r\n',
    );
  });

  test.each(['a\r\nb: c', 'a\nb', 'a\0', 'a\x7f'])('header value %j -> refused, without telling the value', (value) => {
    expect(() => headerLines({ authorization: value })).toThrow(
      'the header "authorization" has characters that a request cannot carry',
    );
  });

  test.each(['/a b', '/a\r\nb', '/ü'])('path %j -> refused', (target) => {
    expect(() => requestText({ method: 'GET', target, lines: '', headers: {} })).toThrow(
      'the path has characters that a request cannot carry',
    );
  });
});
