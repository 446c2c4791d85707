// How flags are described and read, in the shapes that Go's pflag accepts.
//
// `--a=b`, `--a b`, `-v=5`, `-v 5`, `--a_b=c` and `--bool=false` all work, so that a Deployment written for the Go provider
// keeps its arguments. This file knows no flag by name.

/** How the text of a flag is read. */
export type FlagKind = 'bool' | 'string' | 'int' | 'float' | 'duration' | 'list' | 'regexps';

/** One flag. `effect: 'none'` is accepted for compatibility and logged once when it is set. */
export interface FlagSpec {
  readonly name: string;
  readonly kind: FlagKind;
  readonly default: string;
  readonly help: string;
  /** Its other name of one letter, without the dash. A name of one letter is its own. */
  readonly short?: string;
  readonly effect?: 'none';
  readonly choices?: readonly string[];
  /** True for what this operator adds to the upstream manager's flags. */
  readonly own?: boolean;
}

/** A usage mistake: the command ends with exit code 2 and this one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const DURATION_UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Reads a Go duration (`15m`, `1h30m`, `500ms`, `0`) as milliseconds; null when it is none. */
export function parseDurationMs(text: string): number | null {
  if (/^[-+]?0$/.test(text)) return 0;
  const match = /^([-+]?)((?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|ms|s|m|h))+$/.exec(text);
  if (match === null) return null;
  let total = 0;
  for (const part of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|ms|s|m|h)/g)) {
    total += Number(part[1]) * (DURATION_UNITS_MS[part[2] ?? ''] ?? 0);
  }
  return match[1] === '-' ? -total : total;
}

/** Reads a Go boolean as strconv.ParseBool does; null when it is none. */
export function parseBool(text: string): boolean | null {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  return null;
}

/** Reads an integer as strconv.ParseInt does with base 0 (`16`, `0x10`, `0o20`, `020`, `0b1_0000`); null when it is none. */
export function parseInteger(text: string): number | null {
  const match =
    /^([-+]?)(?:0[xX](_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|0[bB](_?[01]+(?:_[01]+)*)|0[oO]?(_?[0-7]+(?:_[0-7]+)*)|([1-9]\d*(?:_\d+)*|0))$/.exec(
      text,
    );
  if (match === null) return null;
  const [, sign, hex, binary, octal, decimal = '0'] = match;
  const [digits, base] =
    hex !== undefined
      ? [hex, 16]
      : binary !== undefined
        ? [binary, 2]
        : octal !== undefined
          ? [octal, 8]
          : [decimal, 10];
  const value = parseInt(digits.replaceAll('_', ''), base);
  if (!Number.isSafeInteger(value)) return null;
  return sign === '-' ? -value : value;
}

/** The edit distance of two words, for suggestions. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** The known word nearest to a mistyped one, or null when nothing is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const scored = known.map((name) => ({ name, distance: editDistance(word, name) }));
  scored.sort((a, b) => a.distance - b.distance);
  const best = scored[0];
  const most = Math.min(word.length - 1, Math.max(2, Math.floor(word.length / 3)));
  return best !== undefined && best.distance <= most ? best.name : null;
}

/** A command line: raw texts by flag name, and the words between them. */
export interface CommandLine {
  readonly values: ReadonlyMap<string, string>;
  /** Words that belong to no flag: pflag puts them aside, and a manager never asks for them. */
  readonly words: readonly string[];
}

/** Reads a command line. Throws UsageError with the nearest name for an unknown flag. */
export function readFlags(specs: readonly FlagSpec[], args: readonly string[]): CommandLine {
  const values = new Map<string, string>();
  const words: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') return { values, words: [...words, ...args.slice(index + 1)] };
    if (!arg.startsWith('-') || arg === '-') {
      words.push(arg);
      continue;
    }
    const { spec, given } = readToken(specs, arg);
    let text = given ?? (spec.kind === 'bool' ? 'true' : undefined);
    if (text === undefined) {
      index += 1;
      text = args[index];
      if (text === undefined) throw new UsageError(`flag needs an argument: --${spec.name}`);
    }
    const before = values.get(spec.name);
    const isList = spec.kind === 'list' || spec.kind === 'regexps';
    values.set(spec.name, isList && before !== undefined ? `${before},${text}` : text);
  }
  return { values, words };
}

interface Token {
  readonly spec: FlagSpec;
  readonly given: string | undefined;
}

/** `--name`, `--name=value`, `-x`, `-x=value`, `-xvalue`. */
function readToken(specs: readonly FlagSpec[], token: string): Token {
  const short = /^-([A-Za-z])(?:=([\s\S]*)|([\s\S]+))?$/.exec(token);
  if (short !== null) {
    const spec = specs.find((each) => (each.short ?? each.name) === short[1]);
    if (spec !== undefined) return { spec, given: short[2] ?? short[3] };
  }
  const long = /^--?([A-Za-z][A-Za-z0-9_.-]*)(?:=([\s\S]*))?$/.exec(token);
  if (long === null) throw new UsageError(`bad flag syntax: ${token}`);
  const name = (long[1] ?? '').replaceAll('_', '-');
  const spec = token.startsWith('--') ? specs.find((each) => each.name === name) : undefined;
  if (spec !== undefined) return { spec, given: long[2] };
  throw unknownFlag(
    token,
    name,
    specs.map((each) => each.name),
  );
}

function unknownFlag(token: string, name: string, known: readonly string[]): UsageError {
  const near = nearest(name, known);
  return new UsageError(`unknown flag: ${token.split('=')[0]}${near === null ? '' : ` (did you mean --${near}?)`}`);
}

/** The environment variable that stands in for a flag: `--kube-api-qps` -> `KUBEADM_BOOTSTRAP_KUBE_API_QPS`. */
export function environmentName(flag: string): string {
  return `KUBEADM_BOOTSTRAP_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** One flag's value after flag, environment and default were asked in this order; checked for its kind. */
export function flagText(
  spec: FlagSpec,
  given: ReadonlyMap<string, string>,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const text = given.get(spec.name) ?? environment[environmentName(spec.name)] ?? spec.default;
  const wrong = (want: string): UsageError =>
    new UsageError(`invalid argument ${JSON.stringify(text)} for --${spec.name}: ${want}`);
  if (spec.kind === 'bool' && parseBool(text) === null) throw wrong('want true or false');
  if (spec.kind === 'int' && parseInteger(text) === null) throw wrong('want a whole number');
  if (spec.kind === 'float' && !/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) throw wrong('want a number');
  if (spec.kind === 'duration' && parseDurationMs(text) === null) throw wrong('want a duration such as 15m or 30s');
  if (spec.choices !== undefined) {
    const words = spec.kind === 'list' ? splitList(text) : [text];
    const bad = words.find((word) => !spec.choices?.includes(word));
    if (bad !== undefined) {
      const near = nearest(bad, spec.choices);
      throw wrong(
        `${JSON.stringify(bad)} is not one of ${spec.choices.join(', ')}${near === null ? '' : ` (did you mean ${near}?)`}`,
      );
    }
  }
  return text;
}

/** Whether a value was given at all, by flag or by environment. */
export function isSet(
  { name }: FlagSpec,
  given: ReadonlyMap<string, string>,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return given.has(name) || environment[environmentName(name)] !== undefined;
}

/** A line of comma separated values as pflag reads it: a value in double quotes may hold commas. Null when a quote is not closed. */
export function splitCsv(text: string): readonly string[] | null {
  if (text === '') return [];
  const values: string[] = [];
  for (let at = 0; at <= text.length;) {
    const match = /^(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/.exec(text.slice(at));
    if (match === null) return null;
    values.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    at += match[0].length;
    if (!match[0].endsWith(',')) return values;
  }
  return values;
}

/** A comma list without empty words. */
export function splitList(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
