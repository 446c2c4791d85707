// Takes out of a text what looks like a secret, for logs, Events, conditions and the inspector. The second line of defence: the first
// is that callers name objects, not contents.
//
//   SC1. A text is cut first, and every pattern is linear: a quantifier that something must follow has an upper bound.
//   SC2. What a cut leaves of a word at its end goes with it: half a secret has no shape.

import { SCRUBBED_CHARS_MAX } from './limits.js';

/** What stands where a secret was. */
export const REMOVED = '[removed]';

type Shape = readonly [RegExp, string];

/** Shapes of secrets, the most specific first. A bootstrap token's id stays: it is no secret. */
const SHAPES: readonly Shape[] = [
  [/-----BEGIN [A-Z0-9 ]{0,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/g, REMOVED],
  [/(?:#cloud-config|## template: jinja)[\s\S]*/g, REMOVED],
  [/"ignition"\s{0,8}:\s{0,8}\{[\s\S]*/g, REMOVED],
  [/\b([a-z0-9]{6})\.[a-z0-9]{16}\b/g, `$1.${REMOVED}`],
  [/\beyJ[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_-]{4}[A-Za-z0-9_.-]*/g, REMOVED],
  [/\b(Bearer|Basic)\s{1,8}[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${REMOVED}`],
  [
    /\b((?:client-key-data|password|passwd|certificateKey|certificate-key|token-secret|apikey|api-key)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[^\s"',;}]{3,}/gi,
    `$1${REMOVED}`,
  ],
  [/\/\/[^/\s:@]{1,64}:[^/\s@]{1,128}@/g, `//${REMOVED}@`],
  [/(?<!sha256:)\b[0-9a-f]{64}\b/g, REMOVED],
];

/** Shapes that ordinary messages have, too: for readers who need no exact words. */
const FURTHER_SHAPES: readonly Shape[] = [
  // What is left of a token: its id is no secret, but not everybody knows that.
  [/\b[a-z0-9]{6}\.\[removed\]/g, REMOVED],
  [/[A-Za-z0-9+/]{120,}={0,2}/g, REMOVED],
  [/\b(?:token|secret)\b\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?!secret[\s"'])[^\s"',;}]{3,}/gi, REMOVED],
];

/** What every one of the shapes contains: most texts have nothing of it. */
const SECRET_SIGN = /[.:=#]|-----BEGIN|\b(?:bearer|basic)\s|[0-9a-f]{64}/i;

/** The text, cut to SCRUBBED_CHARS_MAX, without private keys, tokens and passwords. Token ids and CA hashes stay. */
export function scrubSecrets(text: string): string {
  const short = cut(text);
  return SECRET_SIGN.test(short) ? without(short, SHAPES) : short;
}

/** As scrubSecrets, and without long base64 and anything that is only called a token or a secret. */
export function scrubStrictly(text: string): string {
  return without(scrubSecrets(text), FURTHER_SHAPES);
}

function without(text: string, shapes: readonly Shape[]): string {
  let clean = text;
  for (const [shape, replacement] of shapes) clean = clean.replace(shape, replacement);
  return clean;
}

function cut(text: string): string {
  if (text.length <= SCRUBBED_CHARS_MAX) return text;
  let end = SCRUBBED_CHARS_MAX;
  while (end > 0 && !' \t\n"\',;'.includes(text[end - 1] ?? '')) end -= 1;
  return `${text.slice(0, end === 0 ? SCRUBBED_CHARS_MAX : end)}…`;
}
