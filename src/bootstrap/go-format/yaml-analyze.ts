// Which of YAML's ways to write a text are open to it: plain, single quotes, literal block. Double quotes always work.
//
// The questions are those of the libyaml emitter that go-yaml v2 carries, with its answers: a tab and everything above
// U+FFFF are "not printable", so they force double quotes.

/** What a text allows. */
export interface TextAnalysis {
  readonly isMultiline: boolean;
  readonly isPlainAllowed: boolean;
  readonly isSingleAllowed: boolean;
  readonly isBlockAllowed: boolean;
}

const simple = /^[A-Za-z0-9/_.][A-Za-z0-9/_.,=+@%()<>;$^~-]*$/;
const simpleAnswer: TextAnalysis = {
  isMultiline: false,
  isPlainAllowed: true,
  isSingleAllowed: true,
  isBlockAllowed: true,
};

/** Whether YAML breaks a line here. */
export function isBreak(char: string | undefined): boolean {
  return char === '\n' || char === '\r' || char === '\x85' || char === '\u2028' || char === '\u2029';
}

/** Whether go-yaml writes the character without an escape. */
export function isPrintable(char: string): boolean {
  const code = char.codePointAt(0) as number;
  if (code < 0x7f) return code >= 0x20 || code === 0x0a;
  return (code >= 0xa0 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff);
}

/** Looks at every character once. */
export function analyzeText(text: string): TextAnalysis {
  if (simple.test(text) && !text.startsWith('...')) return simpleAnswer;
  const chars = Array.from(text);
  if (chars.length === 0) return { ...simpleAnswer, isBlockAllowed: false };
  const hasIndicator =
    text.startsWith('---') || text.startsWith('...') || chars.some((_, at) => isIndicator(chars, at));
  const isMultiline = chars.some(isBreak);
  const hasSpecial = chars.some((char) => !isPrintable(char));
  const last = chars.length - 1;
  const edges = [chars[0], chars[last]].some((char) => char === ' ' || isBreak(char));
  const breakThenSpace = chars.some((char, at) => char === ' ' && isBreak(chars[at - 1]));
  const spaceThenBreak = chars.some((char, at) => isBreak(char) && chars[at - 1] === ' ');
  const needsDouble = spaceThenBreak || hasSpecial;
  return {
    isMultiline,
    isPlainAllowed: !(hasIndicator || isMultiline || edges || breakThenSpace || needsDouble),
    isSingleAllowed: !(breakThenSpace || needsDouble),
    isBlockAllowed: !(chars[last] === ' ' || needsDouble),
  };
}

/** Whether the character means something to YAML in this place of a plain text. */
function isIndicator(chars: readonly string[], at: number): boolean {
  const char = chars[at] as string;
  const next = chars[at + 1];
  const isLastOfWord = next === undefined || next === ' ' || next === '\t';
  if (at === 0) {
    if ('#,[]{}&*!|>\'"%@`'.includes(char)) return true;
    return '?:-'.includes(char) && isLastOfWord;
  }
  if (char === ':') return isLastOfWord;
  if (char !== '#') return false;
  const before = chars[at - 1];
  return before === ' ' || before === '\t' || isBreak(before);
}
