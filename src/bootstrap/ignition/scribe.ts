// Takes values through YAML and remembers the first one that does not survive it.
//
// The collectors of a node's configuration would otherwise have to stop at every value. A refused value is replaced by an
// empty one; nobody sees it, because the refusal is the answer.
import { literalBlock } from './literal-block.js';
import { PLAIN_CHARS_IN_ALL_MAX, PLAIN_CHARS_MAX } from '../render-limits.js';
import { isSurelyPlain, NOT_PLAIN, plainInteger, plainText, type ScalarPlace } from './plain-scalar.js';

/** The first thing that was refused. */
export interface ScribeRefusal {
  readonly field: string;
  readonly message: string;
}

/** Where a plain value stands, and what it is called. A secret one is never quoted in a message. */
export interface PlainPlace extends ScalarPlace {
  readonly field: string;
  readonly isSecret?: boolean;
}

/** Takes values through YAML, each named by its field. */
export interface Scribe {
  /** A text field; undefined when YAML reads it as "not set". */
  text(value: string, place: PlainPlace): string | undefined;
  /** Texts of a list; items that YAML reads as "not set" vanish. */
  texts(values: readonly string[], place: (index: number) => PlainPlace): readonly string[];
  /** A whole number; undefined when YAML reads it as "not set". */
  integer(value: string, place: PlainPlace): number | undefined;
  /** A text of lines. */
  block(text: string, place: { readonly field: string; readonly indent: number }): string;
  refuse(field: string, message: string): void;
  refusal(): ScribeRefusal | null;
}

/** A scribe that has seen nothing yet. */
export function createScribe(): Scribe {
  let first: ScribeRefusal | null = null;
  let charsLeft = PLAIN_CHARS_IN_ALL_MAX;
  const refuse = (field: string, message: string): void => {
    first ??= { field, message: `${field}: ${message}` };
  };
  const refusePlain = ({ field, isSecret }: PlainPlace, message: string): undefined => {
    refuse(field, isSecret === true && message.startsWith(NOT_PLAIN) ? NOT_PLAIN : message);
    return undefined;
  };
  /** Whether a value may still be read as YAML. */
  const mayRead = (value: string, { field }: PlainPlace): boolean => {
    if (value.length > PLAIN_CHARS_MAX) {
      refuse(field, `it has ${value.length} characters, more than the limit of ${PLAIN_CHARS_MAX}`);
      return false;
    }
    charsLeft -= value.length;
    if (charsLeft < 0)
      refuse(field, `with it, values have more characters than the limit of ${PLAIN_CHARS_IN_ALL_MAX}`);
    return charsLeft >= 0;
  };
  const text = (value: string, place: PlainPlace): string | undefined => {
    if (!isSurelyPlain(value) && !mayRead(value, place)) return undefined;
    const scalar = plainText(value, place);
    return scalar.kind === 'value' ? scalar.value : refusePlain(place, scalar.message);
  };
  return {
    text,
    texts: (values, place) =>
      values.map((value, index) => text(value, place(index))).filter((value) => value !== undefined),
    integer: (value, place) => {
      if (!mayRead(value, place)) return undefined;
      const scalar = plainInteger(value, place);
      return scalar.kind === 'value' ? scalar.value : refusePlain(place, scalar.message);
    },
    block: (lines, { field, indent }) => {
      const block = literalBlock(lines, indent);
      if (block.kind === 'text') return block.text;
      refuse(field, block.message);
      return '';
    },
    refuse,
    refusal: () => first,
  };
}
