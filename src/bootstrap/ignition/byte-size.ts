// Sizes of partitions: `512MiB`, `1GB`, `1GiB512MiB`, `1.5TiB`. Every unit is a power of 1024, with or without the `i`.
//
// One text uses one family: either `KiB`, `MiB` ... or `KB`, `MB` ...; plain `B` belongs to both. Messages are upstream's.
import { goQuote } from '../go-format/go-quote.js';

const MEBIBYTE = 1024 * 1024;
const PREFIXES = ['K', 'M', 'G', 'T', 'P', 'E'];
const INT64_MAX = 2 ** 63;
/** From here on upstream's reader of decimal digits gives up. */
const DIGITS_MAX = 922337203685477579n;

/** What a dimension means; `sizeMiB` is undefined for an empty text, which says nothing. */
export type Dimension =
  | { readonly kind: 'size'; readonly sizeMiB: number | undefined }
  | { readonly kind: 'invalid'; readonly message: string };

/** Reads a partition's size or start. */
export function parseDimension(text: string): Dimension {
  if (text === '') return { kind: 'size', sizeMiB: undefined };
  const binary = parseUnits(text, unitMap('iB'));
  const bytes = typeof binary === 'number' ? binary : parseUnits(text, unitMap('B'));
  if (typeof bytes === 'string') return { kind: 'invalid', message: bytes };
  if (bytes < 0) return { kind: 'invalid', message: `invalid dimension (negative): ${goQuote(text)}` };
  if (bytes % MEBIBYTE !== 0) return { kind: 'invalid', message: 'invalid dimension (finest granularity is 1MiB)' };
  return { kind: 'size', sizeMiB: bytes / MEBIBYTE };
}

function unitMap(suffix: string): ReadonlyMap<string, number> {
  return new Map([
    ['B', 1],
    ...PREFIXES.map((prefix, index): [string, number] => [prefix + suffix, 1024 ** (index + 1)]),
  ]);
}

/** The number of bytes, or a message. */
function parseUnits(text: string, units: ReadonlyMap<string, number>): number | string {
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return 0;
  if (unsigned === '') return `units: invalid ${text}`;
  let sum = 0;
  let rest = unsigned;
  while (rest !== '') {
    const element = /^(\d*)(?:\.(\d*))?([^.\d]*)/.exec(rest);
    const [all = '', whole = '', fraction = '', unit = ''] = element ?? [];
    if (whole === '' && fraction === '') return `units: invalid ${text}`;
    if (isTooLong(whole) || isTooLong(fraction)) return `units: invalid ${text}`;
    const factor = units.get(unit);
    if (factor === undefined) return `units: unknown unit ${unit} in ${text}`;
    sum += (Number(whole) + Number(fraction) / 10 ** fraction.length) * factor;
    rest = rest.slice(all.length);
  }
  const bytes = Math.trunc(text.startsWith('-') ? -sum : sum);
  if (Math.abs(bytes) > INT64_MAX) return 'units: overflow parsing unit';
  return bytes === 0 ? 0 : bytes;
}

function isTooLong(digits: string): boolean {
  return digits.length > 18 && BigInt(digits) / 10n >= DIGITS_MAX;
}
