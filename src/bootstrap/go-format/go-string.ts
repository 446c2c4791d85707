// Go strings in JavaScript.
//
// A Go string is bytes; most are UTF-8, a Secret's value need not be. We carry one as a JavaScript string in which every
// byte that is not part of valid UTF-8 stands as a lone surrogate U+DC80..U+DCFF (0xDC00 + byte). Text stays text, and
// turning it back gives exactly the bytes that came in. Text from JSON never holds lone surrogates by itself: Go reads
// those as U+FFFD, and so does `fromJson`.

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const loneSurrogate = /[\ud800-\udfff]/u;

/** The Go string of these bytes. */
export function bytesToText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeWithInvalidBytes(bytes);
  }
}

/** The bytes of a Go string. */
export function textToBytes(text: string): Uint8Array {
  if (!loneSurrogate.test(text)) return encoder.encode(text);
  return encodeWithInvalidBytes(text);
}

/** How many bytes a Go string has. */
export function byteLength(text: string): number {
  return loneSurrogate.test(text) ? textToBytes(text).length : Buffer.byteLength(text);
}

/** Whether a Go string is valid UTF-8. */
export function isValidUtf8(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** The Go string with every invalid byte as U+FFFD, as Go's JSON encoder writes it. */
export function toValidUtf8(text: string): string {
  return loneSurrogate.test(text) ? text.replace(/[\ud800-\udfff]/gu, '\ufffd') : text;
}

/** The bytes of a base64 text, as Go's decoder reads a Secret's `data`. */
export function base64ToText(base64: string): string {
  return bytesToText(Buffer.from(base64, 'base64'));
}

/** Decodes as Go ranges over a string: one invalid byte at a time. In one pass, since every second byte may be invalid. */
function decodeWithInvalidBytes(bytes: Uint8Array): string {
  const units = Buffer.allocUnsafe(2 * bytes.length);
  let end = 0;
  const putUnit = (unit: number): void => {
    units[end] = unit & 0xff;
    units[end + 1] = unit >> 8;
    end += 2;
  };
  for (let index = 0; index < bytes.length;) {
    const length = sequenceLength(bytes, index);
    const first = bytes[index] as number;
    if (length === 0) {
      putUnit(0xdc00 + first);
      index += 1;
      continue;
    }
    const code = length === 1 ? first : codePoint(bytes.subarray(index, index + length));
    if (code > 0xffff) putUnit(0xd800 + ((code - 0x10000) >> 10));
    putUnit(code > 0xffff ? 0xdc00 + ((code - 0x10000) & 0x3ff) : code);
    index += length;
  }
  return units.toString('utf16le', 0, end);
}

/** The character of a valid UTF-8 sequence of several bytes. */
function codePoint(sequence: Uint8Array): number {
  const [first = 0, ...others] = sequence;
  return others.reduce((code, byte) => (code << 6) | (byte & 0x3f), first & (0xff >> (sequence.length + 1)));
}

/** Encodes in one pass, since every second character may stand for an invalid byte. */
function encodeWithInvalidBytes(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafe(3 * text.length);
  let end = 0;
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (code < 0x80) bytes[end++] = code;
    else if (code >= 0xdc80 && code <= 0xdcff) bytes[end++] = code - 0xdc00;
    else end += bytes.write(char, end);
  }
  return bytes.subarray(0, end);
}

/** The length of the UTF-8 sequence that starts here, 0 if it is invalid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  const second = bytes[at + 1] as number;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let offset = 2; offset < length; offset += 1) {
    if (((bytes[at + offset] as number) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
