// RFC 6902: JSON patch. All operations; a patch that does not fit is an error, never a guess.
import { equal, isObject } from '../json.js';

/** Why a patch could not be carried out; `kind` says which status code that is. */
export interface PatchProblem {
  readonly kind: 'malformed' | 'unfit';
  readonly message: string;
}

/** The value after all operations, or the problem of the first that does not fit. */
export function jsonPatch(target: unknown, patch: unknown): { readonly value: unknown } | PatchProblem {
  if (!Array.isArray(patch)) return { kind: 'malformed', message: 'the patch is not a list of operations' };
  let value = target;
  for (const operation of patch) {
    const next = operate(value, operation);
    if ('message' in next) return next;
    value = next.value;
  }
  return { value };
}

type Result = { readonly value: unknown } | PatchProblem;

function unfit(message: string): PatchProblem {
  return { kind: 'unfit', message };
}

function operate(target: unknown, operation: unknown): Result {
  if (!isObject(operation)) return { kind: 'malformed', message: 'an operation is not an object' };
  const path = pointer(operation.path);
  if (path === null) return { kind: 'malformed', message: `path ${JSON.stringify(operation.path)} is no JSON pointer` };
  switch (operation.op) {
    case 'add':
      return write(target, path, operation.value, 'add');
    case 'replace':
      return write(target, path, operation.value, 'replace');
    case 'remove':
      return write(target, path, undefined, 'remove');
    case 'test':
      return test(target, path, operation);
    case 'move':
    case 'copy':
      return transfer(target, path, operation);
    default:
      return { kind: 'malformed', message: `unknown operation ${JSON.stringify(operation.op)}` };
  }
}

function test(target: unknown, path: readonly string[], operation: Readonly<Record<string, unknown>>): Result {
  const found = read(target, path);
  if (equal(found ?? null, operation.value ?? null)) return { value: target };
  return unfit(`testing path ${String(operation.path)} failed`);
}

function transfer(target: unknown, path: readonly string[], operation: Readonly<Record<string, unknown>>): Result {
  const from = pointer(operation.from);
  const moved = from === null ? undefined : read(target, from);
  if (from === null || moved === undefined) return unfit(`path ${String(operation.from)} is missing`);
  if (operation.op === 'copy') return write(target, path, moved, 'add');
  const without = write(target, from, undefined, 'remove');
  return 'message' in without ? without : write(without.value, path, moved, 'add');
}

function pointer(text: unknown): readonly string[] | null {
  if (text === '') return [];
  if (typeof text !== 'string' || !text.startsWith('/')) return null;
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
}

function read(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((current, key) => {
    if (Array.isArray(current)) return current[index(current, key) ?? -1];
    return isObject(current) ? current[key] : undefined;
  }, value);
}

function index(list: readonly unknown[], key: string): number | null {
  if (!/^(0|[1-9]\d*)$/.test(key)) return null;
  const number = Number(key);
  return number <= list.length ? number : null;
}

function write(target: unknown, path: readonly string[], value: unknown, how: 'add' | 'replace' | 'remove'): Result {
  const [key, ...rest] = path;
  if (key === undefined) return { value: how === 'remove' ? null : value };
  if (rest.length > 0) {
    const child = read(target, [key]);
    if (!isObject(child) && !Array.isArray(child)) return unfit(`path /${path.join('/')} is missing`);
    const changed = write(child, rest, value, how);
    return 'message' in changed ? changed : put(target, key, changed.value, 'replace');
  }
  return put(target, key, value, how);
}

function put(target: unknown, key: string, value: unknown, how: 'add' | 'replace' | 'remove'): Result {
  if (Array.isArray(target)) return putItem(target, key, value, how);
  if (!isObject(target)) return unfit(`${key} is no member of a value`);
  if (how !== 'add' && target[key] === undefined) return unfit(`path ${key} is missing`);
  const copy: Record<string, unknown> = { ...target, [key]: value };
  if (how === 'remove') delete copy[key];
  return { value: copy };
}

function putItem(list: readonly unknown[], key: string, value: unknown, how: 'add' | 'replace' | 'remove'): Result {
  const at = key === '-' && how === 'add' ? list.length : index(list, key);
  if (at === null || (how !== 'add' && at >= list.length)) return unfit(`index ${key} is out of bounds`);
  if (how === 'add') return { value: [...list.slice(0, at), value, ...list.slice(at)] };
  if (how === 'remove') return { value: [...list.slice(0, at), ...list.slice(at + 1)] };
  return { value: [...list.slice(0, at), value, ...list.slice(at + 1)] };
}
