// Floating-point numbers as Go's strconv.FormatFloat prints them, for every verb and precision.
//
// Digits come from the exact decimal value, rounded half to even where a precision asks for fewer; without a precision they
// are the shortest that read back as the same number.

/** Go's verbs for a float64. */
export type FloatVerb = 'b' | 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X';

/** Decimal digits without leading and trailing zeros; the point stands before digit number `point`. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** From this exponent on, `g` without a precision uses the exponent form. */
const SHORTEST_G_EXPONENT = 6;

/** Prints a number. `precision` -1 means the shortest. */
export function formatFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const magnitude = Math.abs(value);
  if (magnitude === Number.POSITIVE_INFINITY) return sign === '' ? '+Inf' : '-Inf';
  switch (verb) {
    case 'b':
      return sign + formatBinary(magnitude);
    case 'x':
      return sign + formatHex(magnitude, precision);
    case 'X':
      return sign + formatHex(magnitude, precision).toUpperCase();
    case 'f':
      return sign + formatFixed(magnitude, precision);
    case 'e':
    case 'E':
      return sign + upperIf(verb === 'E', formatExponent(magnitude, precision));
    case 'g':
    case 'G':
      return sign + upperIf(verb === 'G', formatGeneral(magnitude, precision));
  }
}

function upperIf(isUpper: boolean, text: string): string {
  return isUpper ? text.toUpperCase() : text;
}

function formatFixed(value: number, precision: number): string {
  const exact = precision < 0 ? shortest(value) : roundTo(exactly(value), (decimal) => decimal.point + precision);
  return fixedDigits(exact, precision < 0 ? Math.max(exact.digits.length - exact.point, 0) : precision);
}

function fixedDigits({ digits, point }: Decimal, fractionDigits: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (fractionDigits === 0) return whole;
  const fraction = '0'.repeat(Math.min(Math.max(-point, 0), fractionDigits)) + digits.slice(Math.max(point, 0));
  return `${whole}.${fraction.slice(0, fractionDigits).padEnd(fractionDigits, '0')}`;
}

function formatExponent(value: number, precision: number): string {
  const exact = precision < 0 ? shortest(value) : roundTo(exactly(value), () => precision + 1);
  return exponentDigits(exact, precision < 0 ? exact.digits.length - 1 : precision);
}

function exponentDigits({ digits, point }: Decimal, fractionDigits: number): string {
  const exponent = digits === '' ? 0 : point - 1;
  const fraction = digits.slice(1).padEnd(fractionDigits, '0');
  const mantissa = (digits.charAt(0) || '0') + (fractionDigits > 0 ? `.${fraction}` : '');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function formatGeneral(value: number, precision: number): string {
  const isShortest = precision < 0;
  const wanted = precision === 0 ? 1 : precision;
  const exact = isShortest ? shortest(value) : roundTo(exactly(value), () => wanted);
  const count = exact.digits.length;
  const exponent = exact.point - 1;
  let limit = isShortest ? SHORTEST_G_EXPONENT : wanted;
  if (!isShortest && limit > count && count >= exact.point) limit = count;
  if (exponent < -4 || exponent >= limit) {
    return exponentDigits(exact, Math.max((isShortest ? count : Math.min(wanted, count)) - 1, 0));
  }
  return fixedDigits(exact, Math.max(count - exact.point, 0));
}

/** The mantissa as a whole number and the power of two: `4503599627370496p-52`. */
function formatBinary(value: number): string {
  const { mantissa, exponent } = partsOf(value);
  return `${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`;
}

function formatHex(value: number, precision: number): string {
  let { mantissa, exponent } = partsOf(value);
  exponent += 52;
  if (mantissa === 0n) exponent = 0;
  // The leading one stands at bit 60, so that whole hex digits follow it.
  mantissa <<= 8n;
  while (mantissa !== 0n && (mantissa & (1n << 60n)) === 0n) {
    mantissa <<= 1n;
    exponent -= 1;
  }
  if (precision >= 0 && precision < 15) {
    const shift = BigInt(60 - precision * 4);
    const rest = mantissa & ((1n << shift) - 1n);
    mantissa >>= shift;
    const half = 1n << (shift - 1n);
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa += 1n;
    mantissa <<= shift;
    if ((mantissa & (1n << 61n)) !== 0n) {
      mantissa >>= 1n;
      exponent += 1;
    }
  }
  const all = (mantissa & ((1n << 60n) - 1n)).toString(16).padStart(15, '0');
  const fraction = precision < 0 ? all.replace(/0+$/, '') : all.slice(0, precision).padEnd(precision, '0');
  const lead = mantissa === 0n ? '0' : '1';
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `0x${lead}${fraction === '' ? '' : `.${fraction}`}p${exponent < 0 ? '-' : '+'}${power}`;
}

/** `mantissa * 2^exponent`, with 53 bits of mantissa for normal numbers. */
function partsOf(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** The shortest digits that read back as the same number. */
function shortest(value: number): Decimal {
  if (value === 0) return { digits: '', point: 0 };
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** All digits of the exact value. */
function exactly(value: number): Decimal {
  if (value === 0) return { digits: '', point: 0 };
  const { mantissa, exponent } = partsOf(value);
  // A negative power of two is a power of five with the point moved.
  const all =
    exponent >= 0 ? (mantissa << BigInt(exponent)).toString() : (mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits: all.replace(/0+$/, ''), point: all.length + Math.min(exponent, 0) };
}

/** Keeps so many digits, rounded half to even. */
function roundTo(decimal: Decimal, countOf: (decimal: Decimal) => number): Decimal {
  const count = countOf(decimal);
  const { digits, point } = decimal;
  if (count >= digits.length) return decimal;
  if (count < 0) return { digits: '', point: 0 };
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const isTie = rest === '5';
  const isUp = isTie ? count > 0 && Number(kept.at(-1)) % 2 === 1 : rest.charAt(0) >= '5';
  if (!isUp) return trimmed(kept, point);
  const raised = (BigInt(kept === '' ? '0' : kept) + 1n).toString().padStart(count, '0');
  return trimmed(raised, point + raised.length - Math.max(count, 0));
}

function trimmed(digits: string, point: number): Decimal {
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? { digits: '', point: 0 } : { digits: kept, point };
}
