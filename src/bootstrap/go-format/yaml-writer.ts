// The YAML writer's pen: the text so far, the column, and whether we stand in the indentation or behind white space.
//
// libyaml decides line breaks from these three, and so the folding at column 80 and the form of nested lists hang on
// them. Columns count characters, not bytes.

/** Where the pen stands. `isIndentation`: only indentation and indicators since the line began. */
export interface Pen {
  out: string;
  column: number;
  isIndentation: boolean;
  isSpace: boolean;
}

/** A pen on an empty page. */
export function newPen(): Pen {
  return { out: '', column: 0, isIndentation: true, isSpace: true };
}

/** Writes text that has no line break in it. */
export function put(pen: Pen, text: string): void {
  pen.out += text;
  pen.column += text.length === 1 ? 1 : countCharacters(text);
}

/** Ends the line. Any break but LF is written as it is. */
export function putBreak(pen: Pen, char = '\n'): void {
  pen.out += char;
  pen.column = 0;
}

/** Moves to the indentation, on a new line unless we already stand there. */
export function putIndent(pen: Pen, indent: number): void {
  const target = Math.max(indent, 0);
  if (!pen.isIndentation || pen.column > target || (pen.column === target && !pen.isSpace)) putBreak(pen);
  if (pen.column < target) {
    pen.out += ' '.repeat(target - pen.column);
    pen.column = target;
  }
  pen.isSpace = true;
  pen.isIndentation = true;
}

/** Writes an indicator such as `-`, `:` or an opening quote. */
export function putIndicator(
  pen: Pen,
  indicator: string,
  how: { readonly needsSpace: boolean; readonly isSpace?: boolean; readonly isIndentation?: boolean },
): void {
  if (how.needsSpace && !pen.isSpace) put(pen, ' ');
  put(pen, indicator);
  pen.isSpace = how.isSpace ?? false;
  pen.isIndentation = pen.isIndentation && (how.isIndentation ?? false);
}

function countCharacters(text: string): number {
  let surrogatePairs = 0;
  for (let index = 0; index < text.length - 1; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800) surrogatePairs += 1;
  }
  return text.length - surrogatePairs;
}
