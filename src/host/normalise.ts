// Texts of causes without what differs from one try to the next, so that a condition changes only when the cause does.
//
// A text is cut first, and no pattern has a quantifier without bound that something must follow: texts are strangers'.
// Server URLs stay: they are configuration. What goes is where a connection happened to lead: addresses, ports, times and ids.

import { CAUSE_CHARS_MAX } from '../limits.js';

/** What goes rarely makes a text shorter than a quarter. */
const NORMALISED_CHARS_MAX = 4 * CAUSE_CHARS_MAX;

const address = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}\]?)`;

const RULES: readonly (readonly [RegExp, string])[] = [
  // read tcp 10.0.0.1:53412->10.0.0.2:6443: connection reset by peer
  [new RegExp(String.raw`\s${address}:\d{1,5}\s{0,4}->\s{0,4}${address}:\d{1,5}`, 'g'), ''],
  // dial tcp 10.0.0.2:6443: connect: connection refused; connect ECONNREFUSED 10.0.0.2:6443
  [
    new RegExp(
      String.raw`\b((?:dial|read|write) (?:tcp|udp)[46]?|E[A-Z]{4,}|connect|connection to)\s${address}(?::\d{1,5})?`,
      'g',
    ),
    '$1',
  ],
  [/\s{0,4}-?\s{0,4}\(?Local \([^)]{0,256}\)\)?/g, ''],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))*/g, '<time>'],
  [/\b(audit|request|trace|correlation)[- ]?id\b(["']?\s{0,4}[:=]?\s{0,4})["']?[\w-]+["']?/gi, '$1 id$2<id>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b(resource ?version)(["']?\s{0,4}[:=]?\s{0,4})["']?\d+["']?/gi, '$1$2<version>'],
  [/\b0x[0-9a-f]{6,16}\b/g, '<address>'],
  [/\b(after|within|in) \d{1,20}(?:\.\d{1,20})?\s?(?:ns|\u00b5s|us|ms|s|m|seconds?|milliseconds?)\b/g, '$1 a while'],
];

/** The text without local ports, connection addresses, times, request ids and resourceVersions. */
export function normaliseMessage(text: string): string {
  let clean = text.slice(0, NORMALISED_CHARS_MAX);
  for (const [shape, replacement] of RULES) clean = clean.replace(shape, replacement);
  return clean.length > CAUSE_CHARS_MAX || text.length > NORMALISED_CHARS_MAX
    ? `${clean.slice(0, CAUSE_CHARS_MAX)}…`
    : clean;
}
