// A failure in one line that names what failed: the cause, then the object and the place in it, as far as the cause does not.
//
// Pure, and readable back: `explain` finds object and place again in what a condition says.
import type { Failure } from './row.js';

type Named = NonNullable<Failure['object']>;

/** The cause with its object and place: `missing certificate (Secret default/c1-ca)`. `self` goes without saying. */
export function failureText({ message, object, place }: Failure, self?: Pick<Named, 'kind' | 'name'>): string {
  const isSelf = object === undefined || (object.kind === self?.kind && object.name === self.name);
  const isNamed = isSelf || (place === undefined && message.includes(objectText(object)));
  const parts = [isNamed ? '' : objectText(object), place === undefined || message.includes(place) ? '' : place].filter(
    (part) => part !== '',
  );
  return parts.length === 0 ? message : `${message} (${parts.join(', ')})`;
}

/** What `failureText` put behind a cause; null when it put nothing. */
export interface FailurePlace {
  readonly message: string;
  readonly object: Pick<Named, 'kind' | 'namespace' | 'name'> | null;
  readonly place: string | null;
}

/** Reads a text of `failureText` back. */
export function readPlace(text: string): FailurePlace | null {
  const start = text.lastIndexOf(' (');
  if (start < 0 || !text.endsWith(')')) return null;
  const message = text.slice(0, start);
  const inside = text.slice(start + 2, -1);
  const [, named = '', place = null] = /^([A-Z]\w+ [^\s,]+)(?:, (.+))?$/.exec(inside) ?? [];
  const object = readObject(named);
  if (object !== null) return { message, object, place };
  return /^(?:spec|key|Secret)\b/.test(inside) ? { message, object: null, place: inside } : null;
}

/** An object as texts name it: `Secret default/c1-ca`, `Node n`. */
export function objectText(object: Pick<Named, 'kind' | 'namespace' | 'name'>): string {
  return `${object.kind} ${pathOf(object)}`;
}

/** The object of such a text; null for another text. */
export function readObject(text: string): Pick<Named, 'kind' | 'namespace' | 'name'> | null {
  const [, kind, path] = /^([A-Z]\w+) (\S+)$/.exec(text) ?? [];
  if (kind === undefined || path === undefined) return null;
  const slash = path.indexOf('/');
  return { kind, namespace: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}

function pathOf({ namespace, name }: Pick<Named, 'namespace' | 'name'>): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
