// Reading JSON that nobody has checked: every question has an answer, whatever stands there.
//
// For objects of other kinds than KubeadmConfig, whose schemas are not ours.

/** The member of an object, undefined if it is no object or has no such member of its own. */
export function memberOf(value: unknown, ...way: readonly string[]): unknown {
  let at = value;
  for (const name of way) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

/** The text, empty if it is something else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The number, 0 if it is something else. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** The items of a list, none if it is something else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The members of an object whose values are texts. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const members = Object.entries(value).filter((member): member is [string, string] => typeof member[1] === 'string');
  return Object.fromEntries(members);
}
