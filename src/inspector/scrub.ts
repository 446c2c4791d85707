// Takes out of a text what looks like a secret. The second line of defence: the first is that only listed facts get here.

const TEXT_MAX = 500;
const MASK = '[removed]';

/** Shapes of secrets, most specific first. Linear patterns only: no input makes them slow. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g,
  /(?:#cloud-config|## template: jinja)[\s\S]*/g,
  /"ignition"\s*:\s*\{[\s\S]*/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi,
  /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g,
  /\b(?:password|passwd|token|secret|client-key-data|certificateKey|certificate-key|apikey|api-key)\b["']?\s*[:=]\s*["']?(?!secret[\s"'])[^\s"',;}]{3,}/gi,
  /\/\/[^/\s:@]{1,64}:[^/\s@]{1,128}@/g,
  /(?<!sha256:)\b[0-9a-f]{64}\b/g,
  /[A-Za-z0-9+/]{120,}={0,2}/g,
];

/** The text without what looks like a secret, at most 500 characters long. */
export function scrub(text: string): string {
  let clean = text.length > 100_000 ? text.slice(0, 100_000) : text;
  for (const shape of SHAPES) clean = clean.replace(shape, MASK);
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
        ? MASK
        : scrubDeep(item, depth + 1),
    ]),
  );
}
