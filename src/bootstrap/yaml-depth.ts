// How deep the nodes of a YAML text may be nested, told from the text alone, before a recursive reader sees it.
//
// A reader that overflows the stack can end the process: V8 gives up where it must compile a pattern with no stack left. What stands in
// block scalars counts as if it were YAML, so the answer is an upper bound. One pass, no pattern.

const INDICATORS = '-?:';

/** An upper bound of the depth of the text's nodes. */
export function yamlDepthBound(text: string): number {
  const indents: number[] = [];
  let brackets = 0;
  let deepest = 0;
  for (let at = 0; at < text.length;) {
    const start = at;
    let nested = 0;
    while (at < text.length && isBlankOrIndicator(text, at)) {
      if (text[at] !== ' ' && text[at] !== '\t') nested += 1;
      at += 1;
    }
    const indent = at - start;
    while ((indents.at(-1) ?? -1) > indent) indents.pop();
    if ((indents.at(-1) ?? -1) < indent) indents.push(indent);
    deepest = Math.max(deepest, 2 * indents.length + nested + brackets);
    let isLineOpen = true;
    for (; at < text.length && isLineOpen; at += 1) {
      const char = text[at];
      if (char === '\n' || char === '\r') isLineOpen = false;
      else if (char === '{' || char === '[') brackets += 1;
      else if ((char === '}' || char === ']') && brackets > 0) brackets -= 1;
      // Explicit keys and lists may also begin behind a bracket.
      else if (char === '?' && brackets > 0) nested += 1;
      deepest = Math.max(deepest, 2 * indents.length + nested + brackets);
    }
  }
  return deepest;
}

function isBlankOrIndicator(text: string, at: number): boolean {
  const char = text[at] ?? '';
  if (char === ' ' || char === '\t') return true;
  return INDICATORS.includes(char) && (' \t\n\r'.includes(text[at + 1] ?? '\n') || at + 1 === text.length);
}
