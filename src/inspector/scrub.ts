// Values for the page without what looks like a secret. The second line of defence: the first is that only listed facts get here.

import { REMOVED, scrubStrictly } from '../scrub.js';

const TEXT_MAX = 500;

/** The text without what looks like a secret, at most 500 characters long. */
export function scrub(text: string): string {
  const clean = scrubStrictly(text);
  return clean.length > TEXT_MAX ? `${clean.slice(0, TEXT_MAX)}…` : clean;
}

const SECRET_NAME = /^(?:token|password|passwd|secret|value|data|key|tls\.key|certificateKey|kubeconfig|content)$/i;

/** Scrubs every text of a value; drops what is named like a secret and is a text; class instances become their name. */
export function scrubDeep(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? '[function]' : value;
  if (depth > 6) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => scrubDeep(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    return `[${(value.constructor as { name?: string } | undefined)?.name ?? 'object'}]`;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET_NAME.test(name) && (typeof item === 'string' || item instanceof Uint8Array)
        ? REMOVED
        : scrubDeep(item, depth + 1),
    ]),
  );
}
