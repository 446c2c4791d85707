// JSON as the Go implementation writes it, for texts that people and other programs compare: error messages and the
// conversion annotation. The order of fields is the order in which an object was built.

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Writes a JSON value compactly, with the characters that HTML and JavaScript care about escaped. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);
}

/** Writes a text in double quotes as Go's `%q` does: nothing but what cannot be printed is escaped. */
export function goQuote(text: string): string {
  return JSON.stringify(text)
    .replaceAll('\u007f', '\\x7f')
    .replace(/\\u00([01][\da-f])/g, (_, hex: string) => (hex === '07' ? '\\a' : hex === '0b' ? '\\v' : `\\x${hex}`));
}
