// Texts of causes without what differs from one try to the next, so that a condition changes only when the cause does.

const RULES: readonly (readonly [RegExp, string])[] = [
  // read tcp 10.0.0.1:53412->10.0.0.2:6443: the local end goes.
  [/\b(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):\d{2,5}\s*->\s*/g, ''],
  // connect ECONNREFUSED ... - Local (127.0.0.1:53412)
  [/\s*-\s*Local \([^)]*\)/g, ''],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b(resourceVersion|resource version)([:=]?\s*)"?\d+"?/gi, '$1$2<version>'],
  [/\b(request ?id)([:=]?\s*)"?[\w-]+"?/gi, '$1$2<id>'],
  [/\bafter \d+(?:\.\d+)?\s?(?:ms|s)\b/g, 'after a while'],
];

/** Longest text of a cause: conditions stay readable. */
const MESSAGE_MAX = 1000;

/** The text without local ports, connection addresses, times, request ids and resourceVersions. */
export function normaliseMessage(text: string): string {
  let clean = text;
  for (const [shape, replacement] of RULES) clean = clean.replace(shape, replacement);
  return clean.length > MESSAGE_MAX ? `${clean.slice(0, MESSAGE_MAX)}…` : clean;
}
