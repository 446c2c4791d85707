// What two pictures differ in, leaf by leaf. Pure.
import type { Picture } from './picture.js';

/** One difference. `undefined` stands for absent. */
export interface Difference {
  /** `KubeadmConfig/c1-w0`, or `act 3`. */
  readonly of: string;
  /** Fields that lead to it, joined by dots; empty when one side does not have the object at all. */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** All differences, in the order of names. */
export function differencesOf(ours: Picture, theirs: Picture): readonly Difference[] {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].toSorted();
  return names.flatMap((name) => compare(name, '', ours[name], theirs[name]));
}

function compare(of: string, path: string, ours: unknown, theirs: unknown): readonly Difference[] {
  if (isTree(ours) && isTree(theirs)) {
    const fields = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    return fields.flatMap((field) => compare(of, path === '' ? field : `${path}.${field}`, ours[field], theirs[field]));
  }
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return [];
  return [{ of, path, ours, theirs }];
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A difference as text: of long texts only the lines that differ. */
export function tellDifference({ of, path, ours, theirs }: Difference): string {
  const [left, right] = [shown(ours), shown(theirs)];
  const where = `${of} ${path}`.trim();
  if (left.length + right.length === 2) return `${where}\n    ours:   ${left[0]}\n    theirs: ${right[0]}`;
  const inBoth = new Set(left.filter((line) => right.includes(line)));
  const only = (lines: readonly string[], mark: string): string[] =>
    lines
      .filter((line) => !inBoth.has(line))
      .slice(0, 12)
      .map((line) => `    ${mark} ${line}`);
  return [where, ...only(left, 'ours:  '), ...only(right, 'theirs:')].join('\n');
}

function shown(value: unknown): readonly string[] {
  if (value === undefined) return ['(absent)'];
  return (typeof value === 'string' ? value : JSON.stringify(value)).split('\n');
}
