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
const anyBreak = /[\n\r\x85\u2028\u2029]/;
const spaceAfterBreak = /[\n\r\x85\u2028\u2029] /;
const breakAfterSpace = / [\n\r\x85\u2028\u2029]/;
/** What `isPrintable` denies; halves of what is above U+FFFF included. */
const notPrintable = /[^\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const indicatorAtStart = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t]|$))/;
const colonAfterWord = /:(?:[ \t]|$)/;
const hashBeforeWord = /[ \t\n\r\x85\u2028\u2029]#/;
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

/** Looks at the text as a whole, never at a list of its characters: that would take many times its memory. */
export function analyzeText(text: string): TextAnalysis {
  if (simple.test(text) && !text.startsWith('...')) return simpleAnswer;
  if (text === '') return { ...simpleAnswer, isBlockAllowed: false };
  const isMultiline = anyBreak.test(text);
  const edges = [text.charAt(0), text.charAt(text.length - 1)].some((char) => char === ' ' || isBreak(char));
  const breakThenSpace = isMultiline && spaceAfterBreak.test(text);
  const spaceThenBreak = isMultiline && breakAfterSpace.test(text);
  const needsDouble = spaceThenBreak || notPrintable.test(text);
  return {
    isMultiline,
    isPlainAllowed: !(hasIndicator(text) || isMultiline || edges || breakThenSpace || needsDouble),
    isSingleAllowed: !(breakThenSpace || needsDouble),
    isBlockAllowed: !(text.endsWith(' ') || needsDouble),
  };
}

/** Whether a character means something to YAML in its place of a plain text. */
function hasIndicator(text: string): boolean {
  if (text.startsWith('---') || text.startsWith('...')) return true;
  return indicatorAtStart.test(text) || colonAfterWord.test(text) || hashBeforeWord.test(text);
}
