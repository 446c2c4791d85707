// How a message is put behind a head such as `* Ready:` or `* Machines m1, m2:`.
//
// A text of one line follows its head; a list is indented below it. White space of a bullet is exactly tab, LF, FF, CR and
// space: JavaScript's `\s` knows more. Messages are never trimmed.

const bullet = /\*[\t\n\f\r ]/;

/** The head with its message. */
export function attachMessage(head: string, message: string): string {
  if (!message.includes('\n') && !bullet.test(message)) return `${head} ${message}`;
  return `${head}\n${indented(message.split('\n')).join('\n')}`;
}

function indented(lines: readonly string[]): readonly string[] {
  if (lines.every((line) => bullet.test(line))) return lines.map((line) => `  ${line}`);
  return lines.map((line) => (bullet.test(line) ? `    ${line}` : `  * ${line}`));
}

/** A text of at most so many characters: whole lines where that is possible. */
export function cutAtLine(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const cut = text.slice(0, charsMax);
  const end = text[charsMax] === '\n' ? charsMax : cut.lastIndexOf('\n');
  return end > 0 ? cut.slice(0, end) : cut;
}
