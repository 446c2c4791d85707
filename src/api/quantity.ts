// Quantities of resources (`500m`, `1Gi`) in the one form that Kubernetes writes.
//
// A value is kept as whole digits and a power of ten, so that an exponent costs nothing; steps finer than billionths round away
// from zero. Only the written form is dealt with here, no arithmetic on quantities.

import type { Normaliser } from './schema.js';
import { FORM_CHARS_MAX, QUANTITY_EXPONENT_MAX } from './text-limits.js';

const nanoScale = -9;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** What Go caps a quantity with a binary suffix at. */
const binaryMax = 2n ** 63n - 1n;

const form = /^([-+]?)(\d+(?:\.\d*)?|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE])|[eE]([-+]?\d+))?$/;

/** A magnitude: `digits` times ten to the power of `scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Brings a quantity into canonical form: `1000m` becomes `1`, `0.5` becomes `500m`, `1024Ki` becomes `1Mi`. */
export const normaliseQuantity: Normaliser = (given) => {
  if (given.length > FORM_CHARS_MAX) {
    return { problem: `quantities must have at most ${FORM_CHARS_MAX} characters, got ${given.length}` };
  }
  const match = form.exec(given.trim());
  if (match === null) return { problem: `quantities must match a number with a suffix, got ${JSON.stringify(given)}` };
  const [, sign = '', number = '', binary, decimal, exponent] = match;
  const power = exponent === undefined ? 3 * (decimalSuffixes.indexOf(decimal ?? '') - 3) : Number(exponent);
  if (Math.abs(power) > QUANTITY_EXPONENT_MAX) {
    return { problem: `quantities must have an exponent of at most 32 bits, got ${JSON.stringify(given)}` };
  }
  if (isKeptAsGiven({ number, binary, power })) return { text: given.trim() };
  const [whole = '', fraction = ''] = number.split('.');
  const factor = 1024n ** BigInt(binarySuffixes.indexOf(binary ?? ''));
  const read = { digits: BigInt(`${whole}${fraction}` || '0') * factor, scale: power - fraction.length };
  const written = canonical(wholeNanos(read), { isBinary: binary !== undefined, hasExponent: exponent !== undefined });
  return { text: sign === '-' && written !== '0' ? `-${written}` : written };
};

/** Kubernetes takes a text for canonical by a quick look, which also lets some others through: `12.345`, `+5`, `2e-3`. */
function isKeptAsGiven(given: {
  readonly number: string;
  readonly binary: string | undefined;
  readonly power: number;
}): boolean {
  const [whole = '', fraction = ''] = given.number.split('.');
  const digits = `${whole.replace(/^0+/, '') || '0'}${fraction}`;
  if (given.binary !== undefined) {
    const power = 10 * binarySuffixes.indexOf(given.binary);
    return fraction === '' && digits.length + (power * 3) / 10 <= 14 && BigInt(digits) % 8n !== 0n;
  }
  const scale = given.power - fraction.length;
  return digits.length <= 18 && scale >= nanoScale && scale % 3 === 0 && !/^0|000$/.test(digits);
}

/** Nothing finer than billionths; what is cut off rounds up. */
function wholeNanos({ digits, scale }: Decimal): Decimal {
  if (scale >= nanoScale || digits === 0n) return { digits, scale };
  const cut = nanoScale - scale;
  if (cut > String(digits).length) return { digits: 1n, scale: nanoScale };
  const divisor = 10n ** BigInt(cut);
  return { digits: (digits + divisor - 1n) / divisor, scale: nanoScale };
}

function canonical(
  { digits, scale }: Decimal,
  { isBinary, hasExponent }: { readonly isBinary: boolean; readonly hasExponent: boolean },
): string {
  if (digits === 0n) return '0';
  if (!isBinary) return inDecimal({ digits, scale }, hasExponent);
  // A binary suffix means a scale between that of billionths and that of whole numbers.
  const divisor = 10n ** BigInt(-scale);
  if (digits > binaryMax * divisor) return `${binaryMax}`;
  const isWhole = digits % divisor === 0n;
  return isWhole && digits >= 1024n * divisor ? inBinary(digits / divisor) : inDecimal({ digits, scale }, false);
}

function inBinary(value: bigint): string {
  let rest = value;
  let step = 0;
  while (rest % 1024n === 0n && step < binarySuffixes.length - 1) {
    rest /= 1024n;
    step += 1;
  }
  return `${rest}${binarySuffixes[step]}`;
}

/** Without zeros at the end, in steps of a thousand. Go forgets the suffix of what is above `E`; here the zeros stay. */
function inDecimal({ digits, scale }: Decimal, hasExponent: boolean): string {
  const text = String(digits);
  const significant = text.replace(/(?<!0)0+$/, '');
  const exponent = scale + text.length - significant.length;
  const step = Math.floor(exponent / 3);
  if (hasExponent) {
    return `${significant}${'0'.repeat(exponent - 3 * step)}${step === 0 ? '' : `e${3 * step}`}`;
  }
  const suffix = Math.min(step + 3, decimalSuffixes.length - 1);
  return `${significant}${'0'.repeat(exponent - 3 * (suffix - 3))}${decimalSuffixes[suffix]}`;
}
