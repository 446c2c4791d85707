// Would a YAML 1.1 reader (go-yaml v2) take this plain text for something other than a string?
//
// Only texts that are empty or start with one of `+-.~`, a digit or one of `yYnNtTfFoO` can; words match exactly.

const words: ReadonlySet<string> = new Set(
  ['y yes on true n no off false null'.split(' ').flatMap(spellings), '~', '']
    .flat()
    .concat('.nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF'.split(' ')),
);
const firstCharacters = /^[-+.~0-9yYnNtTfFoO]/;
const yamlFloat = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const dotFloat = /^\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$/;
const integer = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]*|[1-9][0-9]*)$/;
const base60 = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;
const timestamp =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[-+](\d\d):(\d\d))| +(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?)?$/;

/** Whether the text, written without quotes, would be read back as a string. */
export function isReadAsString(text: string): boolean {
  if (text === '') return false;
  if (!firstCharacters.test(text)) return true;
  if (words.has(text)) return false;
  const first = text.charCodeAt(0);
  if (first === 0x2e) return !(dotFloat.test(text) && isFinite(Number(text.replaceAll('_', ''))));
  if (first > 0x39) return true;
  if (isTimestamp(text) || base60.test(text)) return false;
  const digits = text.replaceAll('_', '');
  if (isInteger64(digits)) return false;
  return !(yamlFloat.test(digits) && isFinite(Number(digits)));
}

function spellings(word: string): string[] {
  const title = word.charAt(0).toUpperCase() + word.slice(1);
  return [word, title, word.toUpperCase()];
}

/** Whether Go's ParseInt or ParseUint takes the text, base by prefix, in 64 bits. */
function isInteger64(digits: string): boolean {
  const match = integer.exec(digits);
  if (match === null) return false;
  const sign = match[1] as string;
  let body = (match[2] as string).toLowerCase();
  if (body === '0o') return false;
  if (/^0[0-7]+$/.test(body)) body = `0o${body.slice(1)}`;
  const value = BigInt(body);
  if (sign === '-') return value <= 2n ** 63n;
  return sign === '+' ? value < 2n ** 63n : value < 2n ** 64n;
}

function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  const [hour, minute, second] = [match[4] ?? match[9] ?? 0, match[5] ?? match[10] ?? 0, match[6] ?? match[11] ?? 0];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false;
  if (Number(match[7] ?? 0) > 24 || Number(match[8] ?? 0) > 60) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
