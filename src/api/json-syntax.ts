// Reads JSON, and says what is wrong with a broken text in the words of the Go implementation.
//
// Users compare and search for these words, and they do not change between versions of a JavaScript engine. Only the first
// fault is reported. The words are found by walking the text; a sound text is read by the engine and never walked.

/** What became of a text: its value, or the first thing that is wrong with it. */
export type Parsed = { readonly value: unknown } | { readonly problem: string };

/** Reads a JSON text. */
export function parseJson(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: firstFault(text) };
  }
}

const endOfInput = 'unexpected end of JSON input';
const literals = ['true', 'false', 'null'];
const numberSteps = [
  { pattern: /-?/y, wanted: undefined },
  { pattern: /0|[1-9]\d*/y, wanted: 'in numeric literal' },
  { pattern: /(?:\.\d+)?/y, wanted: undefined },
  { pattern: /(?:[eE][-+]?\d+)?/y, wanted: undefined },
] as const;

/** How deep the walk follows a broken text, far above what any object has; it recurses. */
const DEPTH_MAX = 1_000;

interface Walk {
  readonly text: string;
  at: number;
  depth: number;
}

type Fault = string | undefined;

function firstFault(text: string): string {
  const walk: Walk = { text, at: 0, depth: 0 };
  const fault = value(walk);
  if (fault !== undefined) return fault;
  skipSpace(walk);
  return walk.at < text.length ? invalid(walk, 'after top-level value') : endOfInput;
}

function value(walk: Walk): Fault {
  skipSpace(walk);
  const next = walk.text[walk.at];
  if (next === '{') return sequence(walk, '}', member, 'after object key:value pair');
  if (next === '[') return sequence(walk, ']', value, 'after array element');
  if (next === '"') return string(walk);
  if (next !== undefined && /[-\d]/.test(next)) return number(walk);
  const literal = literals.find((word) => word[0] === next);
  return literal === undefined ? invalid(walk, 'looking for beginning of value') : word(walk, literal);
}

function sequence(walk: Walk, end: string, element: (walk: Walk) => Fault, after: string): Fault {
  walk.at += 1;
  walk.depth += 1;
  if (walk.depth > DEPTH_MAX) return 'exceeded max depth';
  skipSpace(walk);
  if (walk.text[walk.at] === end) {
    walk.at += 1;
    walk.depth -= 1;
    return undefined;
  }
  for (;;) {
    const fault = element(walk);
    if (fault !== undefined) return fault;
    skipSpace(walk);
    const next = walk.text[walk.at];
    if (next !== ',' && next !== end) return invalid(walk, after);
    walk.at += 1;
    if (next === end) {
      walk.depth -= 1;
      return undefined;
    }
  }
}

function member(walk: Walk): Fault {
  skipSpace(walk);
  if (walk.text[walk.at] !== '"') return invalid(walk, 'looking for beginning of object key string');
  const fault = string(walk);
  if (fault !== undefined) return fault;
  skipSpace(walk);
  if (walk.text[walk.at] !== ':') return invalid(walk, 'after object key');
  walk.at += 1;
  return value(walk);
}

function string(walk: Walk): Fault {
  walk.at += 1;
  for (;;) {
    const next = walk.text[walk.at];
    if (next === undefined || next < ' ') return invalid(walk, 'in string literal');
    walk.at += 1;
    if (next === '"') return undefined;
    const fault = next === '\\' ? escape(walk) : undefined;
    if (fault !== undefined) return fault;
  }
}

function escape(walk: Walk): Fault {
  const kind = walk.text[walk.at];
  if (kind === undefined || !'"\\/bfnrtu'.includes(kind)) return invalid(walk, 'in string escape code');
  walk.at += 1;
  for (let digits = kind === 'u' ? 4 : 0; digits > 0; digits -= 1) {
    if (!/[\da-fA-F]/.test(walk.text[walk.at] ?? '')) return invalid(walk, 'in \\u hexadecimal character escape');
    walk.at += 1;
  }
  return undefined;
}

function number(walk: Walk): Fault {
  for (const { pattern, wanted } of numberSteps) {
    pattern.lastIndex = walk.at;
    const [taken] = pattern.exec(walk.text) ?? [];
    if (taken === undefined && wanted !== undefined) return invalid(walk, wanted);
    walk.at += taken?.length ?? 0;
  }
  const next = walk.text[walk.at];
  if (next === '.') return afterSign(walk, 1, 'after decimal point in numeric literal');
  if (next === 'e' || next === 'E') {
    const signs = /[-+]/.test(walk.text[walk.at + 1] ?? '') ? 2 : 1;
    return afterSign(walk, signs, 'in exponent of numeric literal');
  }
  return undefined;
}

function afterSign(walk: Walk, characters: number, where: string): Fault {
  walk.at += characters;
  return invalid(walk, where);
}

function word(walk: Walk, literal: string): Fault {
  for (const letter of literal) {
    if (walk.text[walk.at] !== letter) return invalid(walk, `in literal ${literal} (expecting '${letter}')`);
    walk.at += 1;
  }
  return undefined;
}

function skipSpace(walk: Walk): void {
  while (/[ \t\r\n]/.test(walk.text[walk.at] ?? '')) walk.at += 1;
}

function invalid(walk: Walk, where: string): string {
  const code = walk.text.codePointAt(walk.at);
  if (code === undefined) return endOfInput;
  return `invalid character ${quoted(String.fromCodePoint(code))} ${where}`;
}

function quoted(character: string): string {
  if (character === "'") return "'\\''";
  if (character === '"') return `'"'`;
  return `'${JSON.stringify(character).slice(1, -1)}'`;
}
