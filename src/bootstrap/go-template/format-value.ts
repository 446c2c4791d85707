// One value with one verb and its flags, as Go's fmt prints it. See printf.ts.
//
// A verb that does not fit shows as a mistake in the text. The one thing that cannot be matched is an address in memory (`%p`
// of a map or list), which is shown as a mistake too.
import { goQuote } from '../go-format/go-quote.js';
import { textToBytes } from '../go-format/go-string.js';
import { isGoPrintable } from '../go-format/unicode-tables.js';
import { formatFloat, type FloatVerb } from './go-float.js';
import { sortedEntries, typeName, type ConcreteValue } from './values.js';

/** An argument: a value, or nil. */
export type Argument = ConcreteValue | null;

/** What a verb was given between `%` and its letter. */
export interface Flags {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** `%#v`: Go syntax. */
  goSyntax: boolean;
  width: number | null;
  precision: number | null;
}

const NIL = '<nil>';

/** No flags at all. */
export function noFlags(): Flags {
  return {
    plus: false,
    minus: false,
    sharp: false,
    space: false,
    zero: false,
    goSyntax: false,
    width: null,
    precision: null,
  };
}

/** A byte that is not valid UTF-8 shows as U+FFFD. */
export function shownVerb(verb: string): string {
  return /[\ud800-\udfff]/u.test(verb) ? '\ufffd' : verb;
}

/** One argument with one verb. */
export function formatArgument(arg: Argument, verb: string, flags: Flags): string {
  if (arg === null) return verb === 'T' || verb === 'v' ? pad(NIL, flags) : `%!${shownVerb(verb)}(${NIL})`;
  if (verb === 'T') return pad(truncate(typeName(arg), flags), flags);
  if (verb === 'p' || verb === 'w') return badVerb(arg, verb, flags);
  return formatValue(arg, verb, flags);
}

function formatValue(value: ConcreteValue, verb: string, flags: Flags): string {
  switch (value.kind) {
    case 'bool':
      return verb === 't' || verb === 'v' ? pad(String(value.value), flags) : badVerb(value, verb, flags);
    case 'int':
    case 'uint8':
      return formatInteger(value, verb, flags);
    case 'float':
      return formatFloatValue(value.value, verb, flags) ?? badVerb(value, verb, flags);
    case 'complex': {
      const re = formatFloatValue(value.re, verb, flags);
      const im = formatFloatValue(value.im, verb, { ...flags, plus: true });
      return re === null || im === null ? badVerb(value, verb, flags) : `(${re}${im}i)`;
    }
    case 'string':
      return formatText(value.value, verb, flags) ?? badVerb(value, verb, flags);
    case 'map': {
      const entries = sortedEntries(value).map(
        ([key, member]) =>
          `${formatValue({ kind: 'string', value: key }, verb, flags)}:${formatMember(member, verb, flags)}`,
      );
      return flags.goSyntax ? `${typeName(value)}{${entries.join(', ')}}` : `map[${entries.join(' ')}]`;
    }
    case 'slice': {
      const items = value.items.map((item) => formatMember(item, verb, flags));
      return flags.goSyntax ? `${typeName(value)}{${items.join(', ')}}` : `[${items.join(' ')}]`;
    }
  }
}

/** A member of a map or list, which may be nil. */
function formatMember(member: Argument, verb: string, flags: Flags): string {
  if (member !== null) return formatValue(member, verb, flags);
  return flags.goSyntax ? 'interface {}(nil)' : NIL;
}

function badVerb(value: ConcreteValue, verb: string, flags: Flags): string {
  return `%!${shownVerb(verb)}(${typeName(value)}=${formatValue(value, 'v', flags)})`;
}

/** An argument with its type, as Go shows extra ones. */
export function typed(arg: ConcreteValue): string {
  return `${typeName(arg)}=${formatValue(arg, 'v', noFlags())}`;
}

const BASES: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

function formatInteger(arg: Extract<ConcreteValue, { kind: 'int' | 'uint8' }>, verb: string, flags: Flags): string {
  const isHexByte = verb === 'v' && flags.goSyntax && arg.kind === 'uint8';
  const base = Object.hasOwn(BASES, verb) ? (isHexByte ? 16 : BASES[verb]) : undefined;
  if (base !== undefined)
    return integerDigits(arg.value, base, { verb, flags: isHexByte ? { ...flags, sharp: true } : flags });
  const code = arg.value >= 0n && arg.value <= 0x10ffffn ? Number(arg.value) : 0xfffd;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  const char = String.fromCodePoint(isSurrogate ? 0xfffd : code);
  if (verb === 'c') return pad(char, flags);
  if (verb === 'q') return pad(quoteChar(char, flags.plus), flags);
  return verb === 'U' ? unicodeForm(arg.value, flags) : badVerb(arg, verb, flags);
}

function integerDigits(
  value: bigint,
  base: number,
  { verb, flags }: { readonly verb: string; readonly flags: Flags },
): string {
  const isNegative = value < 0n;
  const magnitude = isNegative ? -value : value;
  let minimum = flags.precision ?? 0;
  if (flags.precision === 0 && magnitude === 0n) return ' '.repeat(flags.width ?? 0);
  if (flags.precision === null && flags.zero && !flags.minus && flags.width !== null) {
    minimum = flags.width - (isNegative || flags.plus || flags.space ? 1 : 0);
  }
  let digits = magnitude.toString(base).padStart(minimum, '0');
  if (verb === 'X') digits = digits.toUpperCase();
  if (flags.sharp) {
    if (base === 2) digits = `0b${digits}`;
    if (base === 8 && !digits.startsWith('0')) digits = `0${digits}`;
    if (base === 16) digits = `${verb === 'X' ? '0X' : '0x'}${digits}`;
  }
  if (verb === 'O') digits = `0o${digits}`;
  const sign = isNegative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  return pad(sign + digits, { ...flags, zero: false });
}

function unicodeForm(value: bigint, flags: Flags): string {
  // Go counts a negative number as a huge one.
  const unsigned = BigInt.asUintN(64, value);
  const digits = unsigned
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(flags.precision ?? 0, 4), '0');
  const isShown = flags.sharp && unsigned <= 0x10ffffn && isGoPrintable(Number(unsigned));
  const shown = isShown ? ` '${String.fromCodePoint(Number(unsigned))}'` : '';
  return pad(`U+${digits}${shown}`, { ...flags, zero: false });
}

/** A number with its sign, padding and decimal point; null when the verb is not for numbers of this kind. */
function formatFloatValue(value: number, verb: string, flags: Flags): string | null {
  if (!'vbgGxXfFeE'.includes(verb)) return null;
  const goVerb = (verb === 'v' ? 'g' : verb === 'F' ? 'f' : verb) as FloatVerb;
  const precision = flags.precision ?? ('feEF'.includes(verb) ? 6 : -1);
  const printed = formatFloat(value, goVerb, precision);
  const unsigned = printed.replace(/^[-+]/, '');
  let sign = printed.startsWith('-') ? '-' : '+';
  if (flags.space && sign === '+' && !flags.plus) sign = ' ';
  if (!Number.isFinite(value)) {
    const isBare = Number.isNaN(value) && !flags.space && !flags.plus;
    return pad(isBare ? unsigned : sign + unsigned, { ...flags, zero: false });
  }
  const digits = flags.sharp && verb !== 'b' ? withPoint(unsigned, goVerb, precision) : unsigned;
  if (!flags.plus && sign === '+') return pad(digits, flags);
  if (flags.zero && !flags.minus && flags.width !== null && flags.width > digits.length + 1) {
    return sign + digits.padStart(flags.width - 1, '0');
  }
  return pad(sign + digits, flags);
}

/** `#`: the decimal point always shows, and `g` keeps its zeros. */
function withPoint(digits: string, verb: FloatVerb, precision: number): string {
  const isHex = verb === 'x' || verb === 'X';
  const [mantissa = '', tail = ''] = splitTail(digits, isHex ? /[pP]/ : /[eEpP]/);
  let missing = 0;
  if (verb === 'g' || verb === 'G' || verb === 'x') {
    missing = precision === -1 ? DEFAULT_SHARP_DIGITS : precision;
    missing -= countSignificant(mantissa);
  }
  const withDot = mantissa.includes('.') ? mantissa : `${mantissa}.`;
  if (!mantissa.includes('.') && mantissa === '0') missing -= 1;
  return withDot + '0'.repeat(Math.max(missing, 0)) + tail;
}

const DEFAULT_SHARP_DIGITS = 6;

function splitTail(digits: string, mark: RegExp): readonly [string, string] {
  const at = digits.search(mark);
  return at === -1 ? [digits, ''] : [digits.slice(0, at), digits.slice(at)];
}

/** Every character but the point counts from the first that is not a zero on. */
function countSignificant(mantissa: string): number {
  return mantissa.replace('.', '').replace(/^0+/, '').length;
}

/** A text with a verb for texts; null for any other verb. */
function formatText(text: string, verb: string, flags: Flags): string | null {
  switch (verb) {
    case 'v':
      return flags.goSyntax ? pad(quoteText(truncate(text, flags), flags), flags) : pad(truncate(text, flags), flags);
    case 's':
      return pad(truncate(text, flags), flags);
    case 'q':
      return pad(quoteText(truncate(text, flags), flags), flags);
    case 'x':
    case 'X':
      return hexText(text, verb, flags);
    default:
      return null;
  }
}

function hexText(text: string, verb: 'x' | 'X', flags: Flags): string {
  const bytes = textToBytes(text).subarray(0, flags.precision ?? undefined);
  if (bytes.length === 0) return padding(flags.width ?? 0, flags);
  const pairs = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
  const prefix = flags.sharp ? '0x' : '';
  const hex = flags.space ? pairs.map((pair) => prefix + pair).join(' ') : prefix + pairs.join('');
  return pad(verb === 'X' ? hex.toUpperCase() : hex, flags);
}

function quoteText(text: string, flags: Flags): string {
  // eslint-disable-next-line no-control-regex
  if (flags.sharp && !/[\x00-\x08\x0a-\x1f\x7f`\ufeff\ud800-\udfff]/u.test(text)) return `\`${text}\``;
  return flags.plus ? toAscii(goQuote(text)) : goQuote(text);
}

function quoteChar(char: string, isAscii: boolean): string {
  const inner = char === "'" ? "\\'" : char === '"' ? '"' : goQuote(char).slice(1, -1);
  return `'${isAscii ? toAscii(inner) : inner}'`;
}

/** Everything outside ASCII as an escape. */
function toAscii(quoted: string): string {
  return [...quoted]
    .map((char) => {
      const code = char.codePointAt(0) ?? 0;
      if (code < 0x80) return char;
      return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
    })
    .join('');
}

function truncate(text: string, { precision }: Flags): string {
  return precision === null || text.length <= precision ? text : [...text].slice(0, precision).join('');
}

function pad(text: string, flags: Flags): string {
  if (flags.width === null || flags.width === 0) return text;
  const missing = padding(flags.width - [...text].length, flags);
  return flags.minus ? text + missing : missing + text;
}

function padding(count: number, flags: Flags): string {
  return (flags.zero && !flags.minus ? '0' : ' ').repeat(Math.max(count, 0));
}
