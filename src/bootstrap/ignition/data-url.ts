// Data URLs: how file contents stand in an Ignition configuration, and whether a user's own data URL can be read.
import { textToBytes } from '../go-format/go-string.js';

const UNRESERVED = /[A-Za-z0-9\-_.!~*'()]/;
const HEAD_BYTES = Buffer.from('data:,');
const HEX_DIGITS = Buffer.from('0123456789ABCDEF');
const PERCENT = 0x25;
/** How many bytes each byte takes in a data URL: itself, or three. */
const WIDTHS = Uint8Array.from({ length: 256 }, (_, byte) => (UNRESERVED.test(String.fromCharCode(byte)) ? 1 : 3));

/** A Go string as `data:,` and percent-encoded bytes, without media type. */
export function dataUrl(content: string): string {
  return dataUrlOfBytes(textToBytes(content));
}

/** Bytes as `data:,` and percent-encoded bytes. */
export function dataUrlOfBytes(bytes: Uint8Array): string {
  const url = Buffer.allocUnsafe(dataUrlLength(bytes));
  let at = HEAD_BYTES.copy(url);
  for (const byte of bytes) {
    if (WIDTHS[byte] === 1) {
      url[at++] = byte;
      continue;
    }
    url[at++] = PERCENT;
    url[at++] = HEX_DIGITS[byte >> 4] as number;
    url[at++] = HEX_DIGITS[byte & 0xf] as number;
  }
  return url.toString('latin1');
}

/** How long the data URL of these bytes is. */
export function dataUrlLength(bytes: Uint8Array): number {
  let length = HEAD_BYTES.length;
  for (const byte of bytes) length += WIDTHS[byte] as number;
  return length;
}

const TOKEN = '[^\\s\\x00-\\x1f\\x7f()<>@,;:\\\\"/[\\]?=\\x80-\\uffff]';
const MEDIA_TYPE = `(?:(?:text|image|audio|video|application|message|multipart)${TOKEN}*|[xX]-${TOKEN}*)/${TOKEN}*`;
const PARAMETER = `;${TOKEN}+=(?:"(?:[^"\\\\\\x80-\\uffff]|\\\\[\\x00-\\x7f])*"|${TOKEN}+)`;
const HEAD = new RegExp(`^data:(?:${MEDIA_TYPE})?(?:${PARAMETER})*(;base64)?,`);
const FOREIGN_DATA = /[^!$%&-;=?-Z_a-z~]|%(?![0-9A-Fa-f]{2})/;

/** What is wrong with a `data:` URL; null when it can be read. */
export function dataUrlProblem(url: string): string | null {
  const head = HEAD.exec(url);
  if (head === null) return url.includes(',') ? 'invalid media type' : 'missing comma before data';
  const data = url.slice(head[0].length);
  if (head[1] === undefined) return FOREIGN_DATA.test(data) ? 'invalid data character' : null;
  return isGoBase64(data) ? null : 'illegal base64 data';
}

/** Whether Go's standard decoder reads this base64: padded, line breaks skipped. */
export function isGoBase64(text: string): boolean {
  const packed = text.replace(/[\r\n]/g, '');
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed);
}
