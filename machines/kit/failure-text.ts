// A failure in one line that names what failed: the cause, then the object and the place in it, as far as the cause does not.
//
// Pure, and readable back: `explain` finds object and place again in what a condition says.
import type { Failure } from './row.js';

type Named = NonNullable<Failure['object']>;

/** The cause with its object and place: `missing certificate (Secret default/c1-ca)`. `self` goes without saying. */
export function failureText({ message, object, place }: Failure, self?: Pick<Named, 'kind' | 'name'>): string {
  const isSelf = object === undefined || (object.kind === self?.kind && object.name === self.name);
  const isNamed = isSelf || (place === undefined && message.includes(`${object.kind} ${pathOf(object)}`));
  const parts = [
    isNamed ? '' : `${object.kind} ${pathOf(object)}`,
    place === undefined || message.includes(place) ? '' : place,
  ].filter((part) => part !== '');
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
  const [, kind, path = '', rest] = /^([A-Z]\w+) ([^\s,]+)(?:, (.+))?$/.exec(inside) ?? [];
  const isPlace = /^(?:spec|key|Secret)\b/.test(rest ?? inside);
  if (kind === undefined) return isPlace ? { message, object: null, place: inside } : null;
  const slash = path.indexOf('/');
  const object = { kind, namespace: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
  return { message, object, place: rest ?? null };
}

function pathOf({ namespace, name }: Named): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
