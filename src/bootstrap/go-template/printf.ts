// Go's fmt for the values of a template: Sprint, Sprintln and Sprintf.
//
// Mistakes in a format never fail; they show in the text, as `%!d(string=x)`.
import { formatArgument, noFlags, shownVerb, typed, type Argument, type Flags } from './format-value.js';
import { joinTexts } from './values.js';

export type { Argument };

const NUMBER_MAX = 1_000_000;
const NIL = '<nil>';

/** `print`: spaces only between two arguments that are not texts. */
export function goSprint(args: readonly Argument[]): string {
  const parts: string[] = [];
  for (const [index, arg] of args.entries()) {
    const before = args[index - 1];
    if (index > 0 && arg?.kind !== 'string' && before?.kind !== 'string') parts.push(' ');
    parts.push(formatArgument(arg, 'v', noFlags()));
  }
  return joinTexts(parts);
}

/** `println`: spaces between all arguments. */
export function goSprintln(args: readonly Argument[]): string {
  return joinTexts([args.map((arg) => formatArgument(arg, 'v', noFlags())).join(' '), '\n']);
}

/** `%v` of one argument. */
export function goSprintValue(arg: Argument): string {
  return formatArgument(arg, 'v', noFlags());
}

/** `printf`. `grow` is told how much text there is and may stop it. */
export function goSprintf(format: string, args: readonly Argument[], grow: (length: number) => void): string {
  const state = { at: 0, argument: 0, isReordered: false };
  const parts: string[] = [];
  const push = (part: string): void => {
    grow(part.length);
    parts.push(part);
  };
  while (state.at < format.length) {
    const percentAt = format.indexOf('%', state.at);
    push(format.slice(state.at, percentAt === -1 ? undefined : percentAt));
    if (percentAt === -1) break;
    state.at = percentAt + 1;
    formatDirective(format, args, { state, push, grow });
  }
  if (!state.isReordered && state.argument < args.length) {
    const extra = args.slice(state.argument).map((arg) => (arg === null ? NIL : typed(arg)));
    push(`%!(EXTRA ${extra.join(', ')})`);
  }
  return joinTexts(parts);
}

/** One `%` with its flags, width, precision, argument index and verb. */
function formatDirective(
  format: string,
  args: readonly Argument[],
  {
    state,
    push,
    grow,
  }: {
    readonly state: { at: number; argument: number; isReordered: boolean };
    readonly push: (part: string) => void;
    readonly grow: (length: number) => void;
  },
): void {
  const flags = noFlags();
  for (; '#0+- '.includes(format.charAt(state.at)) && state.at < format.length; state.at += 1) {
    setFlag(flags, format.charAt(state.at));
  }
  let isGoodIndex = true;
  let isAfterIndex = false;
  const readIndex = (): void => {
    isAfterIndex = false;
    if (format.charAt(state.at) !== '[') return;
    state.isReordered = true;
    const { index, length, isFound } = parseIndex(format.slice(state.at));
    state.at += length;
    isAfterIndex = isFound;
    if (isFound && index >= 0 && index < args.length) state.argument = index;
    else isGoodIndex = false;
  };
  const readNumber = (): number | null => {
    const digits = /^[0-9]*/.exec(format.slice(state.at, state.at + 16))?.[0] ?? '';
    if (digits === '') return null;
    // A number that is far too large swallows the rest of the format.
    if (isTooLarge(Number(digits.slice(0, -1)))) {
      state.at = format.length;
      return null;
    }
    state.at += digits.length;
    return Number(digits);
  };
  const readStar = (): number | null => {
    state.at += 1;
    const value = wholeNumber(args[state.argument]);
    if (state.argument < args.length) state.argument += 1;
    isAfterIndex = false;
    return value;
  };

  readIndex();
  if (format.charAt(state.at) === '*') {
    flags.width = readStar();
    if (flags.width === null) push('%!(BADWIDTH)');
    else if (flags.width < 0) Object.assign(flags, { width: -flags.width, minus: true, zero: false });
  } else {
    flags.width = readNumber();
    if (isAfterIndex && flags.width !== null) isGoodIndex = false;
  }
  if (format.charAt(state.at) === '.' && state.at + 1 < format.length) {
    state.at += 1;
    if (isAfterIndex) isGoodIndex = false;
    readIndex();
    if (format.charAt(state.at) === '*') {
      flags.precision = readStar();
      if (flags.precision !== null && flags.precision < 0) flags.precision = null;
      if (flags.precision === null) push('%!(BADPREC)');
    } else {
      flags.precision = readNumber() ?? 0;
    }
  }
  if (!isAfterIndex) readIndex();
  if (state.at >= format.length) return push('%!(NOVERB)');

  const verb = String.fromCodePoint(format.codePointAt(state.at) ?? 0);
  state.at += verb.length;
  if (verb === '%') return push('%');
  if (!isGoodIndex) return push(`%!${shownVerb(verb)}(BADINDEX)`);
  const arg = args[state.argument];
  if (arg === undefined) return push(`%!${shownVerb(verb)}(MISSING)`);
  state.argument += 1;
  if (verb === 'v' || verb === 'w') Object.assign(flags, { goSyntax: flags.sharp, sharp: false, plus: false });
  // What pads is paid for before it is made.
  grow(Math.max(flags.width ?? 0, flags.precision ?? 0));
  push(formatArgument(arg, verb, flags));
}

function setFlag(flags: Flags, flag: string): void {
  switch (flag) {
    case '#':
      flags.sharp = true;
      break;
    case '0':
      flags.zero = true;
      break;
    case '+':
      flags.plus = true;
      break;
    case '-':
      flags.minus = true;
      break;
    default:
      flags.space = true;
  }
}

/** `[3]`: the index from 0, how long it is, and whether it is well formed. */
function parseIndex(text: string): { readonly index: number; readonly length: number; readonly isFound: boolean } {
  if (text.length < 3) return { index: 0, length: 1, isFound: false };
  const end = text.indexOf(']');
  if (end === -1) return { index: 0, length: 1, isFound: false };
  const digits = text.slice(1, end);
  const isFound = /^[0-9]+$/.test(digits) && !isTooLarge(Number(digits.slice(0, -1)));
  return { index: isFound ? Number(digits) - 1 : 0, length: end + 1, isFound };
}

function wholeNumber(arg: Argument | undefined): number | null {
  if (arg?.kind !== 'int' && arg?.kind !== 'uint8') return null;
  const value = Number(arg.value);
  return isTooLarge(value) ? null : value;
}

function isTooLarge(value: number): boolean {
  return Math.abs(value) > NUMBER_MAX;
}
