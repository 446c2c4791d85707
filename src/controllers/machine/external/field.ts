// Fields of objects whose kind is known at run time only: found, absent, or of another type than the contract says. Pure.

/** A field's value. */
export type Field<T> =
  | { readonly is: 'set'; readonly value: T }
  | { readonly is: 'absent' }
  /** The text is what an error says of it. */
  | { readonly is: 'wrong'; readonly problem: string };

/** Reads a text. */
export function textField(object: unknown, path: readonly string[]): Field<string> {
  return field(object, path, 'string', (value): value is string => typeof value === 'string');
}

/** Reads a flag. */
export function flagField(object: unknown, path: readonly string[]): Field<boolean> {
  return field(object, path, 'bool', (value): value is boolean => typeof value === 'boolean');
}

/** Reads a list of addresses. */
export function addressesField(
  object: unknown,
  path: readonly string[],
): Field<readonly { readonly type: string; readonly address: string }[]> {
  const isAddress = (value: unknown): boolean =>
    isRecord(value) && typeof value['type'] === 'string' && typeof value['address'] === 'string';
  const found = field(
    object,
    path,
    '[]MachineAddress',
    (value): value is { type: string; address: string }[] => Array.isArray(value) && value.every(isAddress),
  );
  if (found.is !== 'set') return found;
  return { is: 'set', value: found.value.map(({ type, address }) => ({ type, address })) };
}

/** The value of a field, or another when it is absent or wrong. */
export function valueOr<T>(found: Field<T>, otherwise: T): T {
  return found.is === 'set' ? found.value : otherwise;
}

/** What is wrong with a field; null when nothing is. */
export function problemOf(found: Field<unknown>): string | null {
  return found.is === 'wrong' ? found.problem : null;
}

/** True for an object that is no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function field<T>(
  object: unknown,
  path: readonly string[],
  expected: string,
  fits: (value: unknown) => value is T,
): Field<T> {
  let value: unknown = object;
  for (const [index, name] of path.entries()) {
    if (value === undefined || value === null) return { is: 'absent' };
    if (!isRecord(value)) return wrong(path, path.slice(0, index), value, 'map[string]interface {}');
    value = value[name];
  }
  if (value === undefined || value === null) return { is: 'absent' };
  return fits(value) ? { is: 'set', value } : wrong(path, path, value, expected);
}

function wrong(path: readonly string[], at: readonly string[], value: unknown, expected: string): Field<never> {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const accessor = `.${at.join('.')} accessor error: ${text} is of the type ${typeName(value)}, expected ${expected}`;
  return { is: 'wrong', problem: `failed to get .${path.join('.')} from object: ${accessor}` };
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}
