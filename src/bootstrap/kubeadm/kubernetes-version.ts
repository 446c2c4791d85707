// Kubernetes versions, read as tolerantly as upstream reads them, with upstream's words for what is wrong.
//
// Spaces around and one leading `v` do not matter, missing parts count as 0, leading zeros are dropped. The order of the
// checks is the order of the errors.
import { goQuote } from '../go-format/go-quote.js';
import { byteLength } from '../go-format/go-string.js';

/** A version that could be read. `text` is its full form without `v`. */
export interface KubernetesVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly text: string;
}

/** A version, or upstream's words for why it is none. */
export type ParsedVersion =
  | { readonly kind: 'version'; readonly version: KubernetesVersion }
  | { readonly kind: 'invalid'; readonly cause: string };

const identifier = /^[A-Za-z0-9-]*$/;
const digits = /^[0-9]*$/;
const uint64Max = 2n ** 64n - 1n;
/** Longer texts are not made into numbers: they have no leading zeros here, and the work would grow with the square. */
const uint64DigitsMax = 20;

/** Reads a version such as `v1.34.1`, `1.35` or `v1.31.0-rc.1+build`. */
export function parseKubernetesVersion(given: string): ParsedVersion {
  const text = trimGoSpace(given).replace(/^v/, '');
  const parts = splitInThree(text).map(withoutLeadingZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return { kind: 'invalid', cause: 'Short version cannot contain PreRelease/Build meta data' };
  }
  while (parts.length < 3) parts.push('0');
  const [major = '', minor = '', rest = ''] = parts;
  const [beforeBuild, build] = cut(rest, '+');
  const [patch, prerelease] = cut(beforeBuild, '-');
  const cause =
    numberProblem('Major', major) ??
    numberProblem('Minor', minor) ??
    numberProblem('Patch', patch) ??
    firstProblem(prerelease, prereleaseProblem) ??
    firstProblem(build, buildProblem);
  if (cause !== undefined) return { kind: 'invalid', cause };
  const full = `${BigInt(major)}.${BigInt(minor)}.${BigInt(patch)}${rest.slice(patch.length)}`;
  return { kind: 'version', version: { major: BigInt(major), minor: BigInt(minor), text: full } };
}

/** Upstream's error for a version that cannot be read. */
export function versionError(given: string, cause: string): string {
  return `failed to parse kubernetes version ${goQuote(given)}: ${cause}`;
}

/** What Go's strings.TrimSpace cuts; JavaScript's trim would also cut a byte order mark. */
function trimGoSpace(text: string): string {
  return text
    .replace(/^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/, '')
    .replace(
      /(?<![\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000])[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/,
      '',
    );
}

function splitInThree(text: string): string[] {
  const [first = '', second, ...others] = text.split('.');
  if (second === undefined) return [first];
  return others.length === 0 ? [first, second] : [first, second, others.join('.')];
}

function withoutLeadingZeros(part: string): string {
  if (byteLength(part) < 2) return part;
  const rest = part.replace(/^0+/, '');
  return /^[0-9]/.test(rest) ? rest : `0${rest}`;
}

function cut(text: string, separator: string): [before: string, after: string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function numberProblem(name: 'Major' | 'Minor' | 'Patch', text: string): string | undefined {
  if (!digits.test(text)) return `Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(text)}`;
  if (/^0./.test(text)) return `${name} number must not contain leading zeroes ${goQuote(text)}`;
  return integerProblem(text);
}

function integerProblem(text: string): string | undefined {
  if (text === '') return 'strconv.ParseUint: parsing "": invalid syntax';
  return text.length > uint64DigitsMax || BigInt(text) > uint64Max
    ? `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`
    : undefined;
}

function firstProblem(list: string | undefined, problem: (item: string) => string | undefined): string | undefined {
  if (list === undefined) return undefined;
  for (const item of list.split('.')) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function prereleaseProblem(item: string): string | undefined {
  if (item === '') return 'Prerelease is empty';
  if (!identifier.test(item)) return `Invalid character(s) found in prerelease ${goQuote(item)}`;
  if (!digits.test(item)) return undefined;
  if (/^0./.test(item)) return `Numeric PreRelease version must not contain leading zeroes ${goQuote(item)}`;
  return integerProblem(item);
}

function buildProblem(item: string): string | undefined {
  if (item === '') return 'Build meta data is empty';
  return identifier.test(item) ? undefined : `Invalid character(s) found in build meta data ${goQuote(item)}`;
}
