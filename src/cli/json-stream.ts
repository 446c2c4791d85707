// JSON objects one after the other, as `jq -c` and programs write them.

/**
 * The text with a document separator between JSON objects that have none.
 * Any other text comes back as it is.
 */
export function separateJsonObjects(text: string): string {
  if (!/^\ufeff?\s*\{/.test(text)) return text;
  const pieces = objectsOf(text).map((piece) => piece.replace(/^\s*---\s/, ''));
  return pieces.every(isJsonObject) ? pieces.join('\n---\n') : text;
}

/** The text cut behind every outermost object. What is no JSON is cut anywhere. */
function objectsOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') depth += 1;
    if (token !== '}') continue;
    depth -= 1;
    if (depth > 0) continue;
    pieces.push(text.slice(start, index + 1));
    start = index + 1;
  }
  return text.slice(start).trim() === '' ? pieces : [...pieces, text.slice(start)];
}

function isJsonObject(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}
