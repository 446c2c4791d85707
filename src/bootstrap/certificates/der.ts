// Distinguished Encoding Rules: the few ASN.1 types an X.509 certificate needs, written and read.
//
// The writer is total over its inputs. The reader looks at one element at a time and refuses (null) whatever is not
// definite-length DER; it never reads past the bytes it was given. No keys, no signatures, no meaning in here.

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** ASN.1 NULL, the parameters of an RSA signature algorithm. */
export const derNull: Uint8Array = Uint8Array.of(0x05, 0x00);

/** SEQUENCE of the given elements. */
export function derSequence(...elements: readonly Uint8Array[]): Uint8Array {
  return element(TAG.sequence, ...elements);
}

/** SET of one element. (DER sorts larger sets; nothing here needs one.) */
export function derSetOfOne(member: Uint8Array): Uint8Array {
  return element(TAG.set, member);
}

/** BOOLEAN. */
export function derBoolean(value: boolean): Uint8Array {
  return element(TAG.boolean, Uint8Array.of(value ? 0xff : 0x00));
}

/** INTEGER of a small number that is not negative. */
export function derInteger(value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > 127) throw new RangeError(`not a small integer: ${value}`);
  return element(TAG.integer, Uint8Array.of(value));
}

/** OCTET STRING. */
export function derOctetString(bytes: Uint8Array): Uint8Array {
  return element(TAG.octetString, bytes);
}

/** BIT STRING whose last byte has `unusedBits` bits that do not count. */
export function derBitString(bytes: Uint8Array, unusedBits = 0): Uint8Array {
  return element(TAG.bitString, Uint8Array.of(unusedBits), bytes);
}

/** PrintableString: ASCII letters, digits and a few signs, which is all a common name of ours holds. */
export function derPrintableString(text: string): Uint8Array {
  return element(TAG.printableString, Buffer.from(text, 'ascii'));
}

/** OBJECT IDENTIFIER in dotted form. */
export function derObjectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(TAG.objectIdentifier, Uint8Array.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A time with second precision: UTCTime until 2049, GeneralizedTime from 2050 on, as X.509 demands. */
export function derTime(epochMs: number): Uint8Array {
  const at = new Date(Math.floor(epochMs / 1000) * 1000);
  const year = at.getUTCFullYear();
  if (!(year >= 1950 && year <= 9999)) throw new RangeError(`year ${year} has no X.509 form`);
  const digits = at.toISOString().replace(/[-:T]|\.000/g, '');
  return year < 2050
    ? element(TAG.utcTime, Buffer.from(digits.slice(2), 'ascii'))
    : element(TAG.generalizedTime, Buffer.from(digits, 'ascii'));
}

/** A constructed element with a context-specific tag: `[number] EXPLICIT`. */
export function derExplicit(number: number, content: Uint8Array): Uint8Array {
  return element(0xa0 | number, content);
}

/** A primitive element with a context-specific tag: `[number] IMPLICIT` of a type whose content is `bytes`. */
export function derImplicit(number: number, bytes: Uint8Array): Uint8Array {
  return element(0x80 | number, bytes);
}

/** One element as it was read: `bytes` is all of it, `content` what is inside. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly bytes: Uint8Array;
}

/** The elements that follow each other in `bytes`, or null when they are not DER to the last byte. */
export function readDerElements(bytes: Uint8Array): readonly DerElement[] | null {
  const elements: DerElement[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const next = readDerElement(rest);
    if (next === null) return null;
    elements.push(next);
    rest = rest.subarray(next.bytes.length);
  }
  return elements;
}

function readDerElement(bytes: Uint8Array): DerElement | null {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return null;
  let length = first;
  let headerBytes = 2;
  if (first >= 0x80) {
    const lengthBytes = first & 0x7f;
    if (lengthBytes === 0 || lengthBytes > 4 || bytes.length < 2 + lengthBytes) return null;
    length = bytes.subarray(2, 2 + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
    headerBytes = 2 + lengthBytes;
    if (length < 0x80 || bytes[2] === 0) return null;
  }
  if (bytes.length < headerBytes + length) return null;
  const end = headerBytes + length;
  return { tag, content: bytes.subarray(headerBytes, end), bytes: bytes.subarray(0, end) };
}

function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
