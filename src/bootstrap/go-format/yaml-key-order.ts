// The order in which go-yaml v2 writes the keys of a map: like a person would sort file names, so `a2` before `a10`.
//
// The relation is not transitive (`a1b` < `a2` < `a10` < `a1b`). For a set of keys with such a cycle Go's own output
// differs from run to run; ours is the one a stable insertion gives, starting from code point order.
import { byCodePoint } from './go-json.js';
import { isGoDigit, isGoLetter } from './unicode-tables.js';

const plainKey = /^[A-Za-z]+$/;

/** The keys in go-yaml's order. */
export function sortKeys(keys: readonly string[]): string[] {
  if (keys.every((key) => plainKey.test(key))) return [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return [...keys].sort(byCodePoint).sort((a, b) => (isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0));
}

/** Whether go-yaml puts the key `left` before `right`. */
export function isLess(left: string, right: string): boolean {
  const a = Array.from(left, (char) => char.codePointAt(0) as number);
  const b = Array.from(right, (char) => char.codePointAt(0) as number);
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    if (a[at] !== b[at]) return isLessAt(a, b, at);
  }
  return a.length < b.length;
}

/** Decides by the first difference, which is at `at`. */
function isLessAt(a: readonly number[], b: readonly number[], at: number): boolean {
  const charA = a[at] as number;
  const charB = b[at] as number;
  const letterA = isGoLetter(charA);
  const letterB = isGoLetter(charB);
  if (letterA && letterB) return charA < charB;
  if (letterA || letterB) return letterB;
  const start = isInsideNumber(a, b, at) ? 1n : 0n;
  const runA = digitRun(a, at, start);
  const runB = digitRun(b, at, start);
  if (runA.value !== runB.value) return runA.value < runB.value;
  if (runA.end !== runB.end) return runA.end < runB.end;
  return charA < charB;
}

/** A zero counts only when a non-zero digit of the same number stands before it. */
function isInsideNumber(a: readonly number[], b: readonly number[], at: number): boolean {
  if (a[at] !== 0x30 && b[at] !== 0x30) return false;
  for (let before = at - 1; before >= 0 && isGoDigit(a[before] as number); before -= 1) {
    if (a[before] !== 0x30) return true;
  }
  return false;
}

/** The number that starts here, in Go's wrapping 64 bit arithmetic, and where it ends. */
function digitRun(chars: readonly number[], from: number, start: bigint): { value: bigint; end: number } {
  let value = start;
  let end = from;
  for (; end < chars.length && isGoDigit(chars[end] as number); end += 1) {
    value = BigInt.asIntN(64, value * 10n + BigInt((chars[end] as number) - 0x30));
  }
  return { value, end };
}
