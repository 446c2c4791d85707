// Texts that have one written form: points in time, durations, quantities, bootstrap tokens.
//
// Another program may write `1000m` where we write `1`, or a time with an offset. Conversion must not keep such differences
// alive, so each of these texts is brought into the form that Kubernetes writes. Nothing here knows where a text stands.

import { goQuote } from './go-json.js';
import { inForm, text, type Normaliser, type Schema } from './schema.js';
import { FORM_CHARS_MAX } from './text-limits.js';

const nanosecondsIn = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const durationMax = 2n ** 63n - 1n;
const int32Max = 2147483647n;

/** Reads a duration as Go reads it (`1h2m3.5s`); the result is in nanoseconds. Undefined for what Go refuses, and for what is too long. */
export function parseDuration(given: string): bigint | undefined {
  if (given.length > FORM_CHARS_MAX) return undefined;
  const isNegative = given.startsWith('-');
  const rest = isNegative || given.startsWith('+') ? given.slice(1) : given;
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  let sum = 0n;
  const part = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
  for (let at = 0; at < rest.length; at = part.lastIndex) {
    part.lastIndex = at;
    const match = part.exec(rest);
    if (match === null) return undefined;
    const [, whole = '', fraction = '', unit = 's'] = match;
    if (whole === '' && fraction === '') return undefined;
    const scale = nanosecondsIn[unit as keyof typeof nanosecondsIn];
    sum += BigInt(whole === '' ? '0' : whole) * scale + nanosecondsOfFraction(fraction, scale);
  }
  if (sum > durationMax + (isNegative ? 1n : 0n)) return undefined;
  return isNegative ? -sum : sum;
}

/** Go counts a fraction in floating point, with as many digits as fit into 63 bits. */
function nanosecondsOfFraction(fraction: string, unit: bigint): bigint {
  let digits = 0n;
  let scale = 1;
  for (const digit of fraction) {
    const next = digits * 10n + BigInt(digit);
    if (digits > durationMax / 10n || next > durationMax + 1n) break;
    digits = next;
    scale *= 10;
  }
  return digits === 0n ? 0n : BigInt(Math.trunc(Number(digits) * (Number(unit) / scale)));
}

/** Whole seconds of a duration, cut off and capped to what 32 bits hold. */
export function wholeSeconds(nanoseconds: bigint): number {
  const seconds = nanoseconds / nanosecondsIn.s;
  if (seconds > int32Max) return Number(int32Max);
  return Number(seconds < -int32Max - 1n ? -int32Max - 1n : seconds);
}

/** Writes a number of seconds as Go writes a duration: 240 is `4m0s`. */
export function secondsAsDuration(seconds: number): string {
  return formatDuration(BigInt(seconds) * nanosecondsIn.s);
}

/** Writes nanoseconds as Go writes a duration. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const rest = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (rest < 1000n) return `${sign}${rest}ns`;
  if (rest < nanosecondsIn.ms) return `${sign}${decimal(rest, 3)}µs`;
  if (rest < nanosecondsIn.s) return `${sign}${decimal(rest, 6)}ms`;
  const hours = rest / nanosecondsIn.h;
  const minutes = (rest / nanosecondsIn.m) % 60n;
  const seconds = `${decimal(rest % nanosecondsIn.m, 9)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

function decimal(value: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const fraction = (value % scale).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}

const duration: Normaliser = (given) => {
  if (given.length > FORM_CHARS_MAX) return tooLong('duration', given);
  const nanoseconds = parseDuration(given);
  return nanoseconds === undefined
    ? { problem: `invalid duration ${goQuote(given)}` }
    : { text: formatDuration(nanoseconds) };
};

function tooLong(what: string, given: string): { readonly problem: string } {
  return { problem: `invalid ${what}: it has ${given.length} characters, more than ${FORM_CHARS_MAX}` };
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const pointInTime: Normaliser = (given) => {
  if (given.length > FORM_CHARS_MAX) return tooLong('time', given);
  const atMs = rfc3339.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(atMs)) return { problem: `invalid time ${goQuote(given)}` };
  return { text: new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z') };
};

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

const bootstrapToken: Normaliser = (given) => {
  if (given.length > FORM_CHARS_MAX) return tooLong('bootstrap token', given);
  const token = given.replaceAll('"', '');
  if (tokenPattern.test(token)) return { text: token };
  return {
    problem: `the bootstrap token ${goQuote(token)} was not of the form "\\\\A([a-z0-9]{6})\\\\.([a-z0-9]{16})\\\\z"`,
  };
};

/** A point in time in RFC 3339 form, written in UTC with whole seconds. */
export const time = (description: string): Schema<string, false> =>
  inForm(text(description, { format: 'date-time' }), pointInTime);

/** A duration in Go's form. */
export const goDuration = (description: string): Schema<string, false> => inForm(text(description), duration);

/** Gives a text the form of a bootstrap token. */
export const asBootstrapToken = <R extends boolean>(schema: Schema<string, R>): Schema<string, R> =>
  inForm(schema, bootstrapToken);
