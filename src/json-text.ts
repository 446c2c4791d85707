// JSON of any depth: how deep a text is, and a text from a value that is deeper than the engine's own writer goes.
//
// The engine reads JSON of any depth and writes it by recursion, which ends with an exception a few thousand levels down. An
// object that deep can be stored in an API server (in `metadata.managedFields`) and must be answered about like any other.

import { JSON_RECURSION_MAX } from './limits.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** How many brackets are open at once, at most, in a JSON text; see `jsonExtent`. */
export function jsonDepth(text: string): number {
  return jsonExtent(text).depth;
}

/** What reading a JSON text costs. */
export interface JsonExtent {
  readonly depth: number;
  readonly values: number;
  /** Values of the largest object or list that opens at the level asked for. */
  readonly largest: number;
}

/**
 * How deep a JSON text is and how many values it has: what reading it costs is known before it is read, three bytes become fifty.
 * One pass; a text that is no JSON gets some numbers.
 */
export function jsonExtent(text: string, level = 1): JsonExtent {
  let depth = 0;
  let values = 1;
  let deepest = 0;
  let largest = 0;
  let valuesBefore = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === COMMA) values += 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (depth === level) valuesBefore = values;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (depth === level) largest = Math.max(largest, values - valuesBefore + 1);
      depth -= 1;
    }
  }
  // What is still open counts as well.
  if (depth >= level) largest = Math.max(largest, values - valuesBefore + 1);
  return { depth: deepest, values, largest };
}

/** Where the quote stands that ends the text in quotes that begins at `from`: the engine finds quotes faster than a loop does. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/**
 * The text of a JSON value, whatever its depth: what JSON.stringify writes, and where the value is too deep for it the same
 * without recursion. For values that came from JSON, or are made of such: nothing in them has a `toJSON`, nothing is circular.
 */
export function jsonText(value: unknown): string {
  return isDeeperThan(value, JSON_RECURSION_MAX) ? iterativeText(value) : JSON.stringify(value);
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Level by level: the values of one level are looked at before those below it. */
function isDeeperThan(value: unknown, levels: number): boolean {
  let level = isContainer(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= levels) return true;
    const below: Container[] = [];
    for (const each of level) for (const item of Object.values(each)) if (isContainer(item)) below.push(item);
    level = below;
  }
  return false;
}

interface Open {
  readonly keys: readonly string[] | null;
  readonly items: readonly unknown[];
  at: number;
}

function iterativeText(value: unknown): string {
  const pieces: string[] = [];
  const stack: Open[] = [];
  const write = (item: unknown): void => {
    if (!isContainer(item)) {
      pieces.push(JSON.stringify(item) ?? 'null');
      return;
    }
    const isList = Array.isArray(item);
    pieces.push(isList ? '[' : '{');
    const entries = isList ? [] : Object.entries(item).filter(([, each]) => each !== undefined);
    stack.push(
      isList
        ? { keys: null, items: item, at: 0 }
        : { keys: entries.map(([key]) => key), items: entries.map(([, each]) => each), at: 0 },
    );
  };
  write(value);
  for (let open = stack.at(-1); open !== undefined; open = stack.at(-1)) {
    const { keys, items, at } = open;
    if (at >= items.length) {
      pieces.push(keys === null ? ']' : '}');
      stack.pop();
      continue;
    }
    open.at += 1;
    if (at > 0) pieces.push(',');
    if (keys !== null) pieces.push(`${JSON.stringify(keys[at])}:`);
    write(items[at]);
  }
  return pieces.join('');
}
