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
