// What becomes of a value that upstream writes raw into a line of YAML: user fields, paths, owners, devices, labels, options.
//
// YAML reads it as a plain scalar: surrounding spaces go, ` #` starts a comment, `~` and `null` mean "not set", quotes are
// quotes. That is upstream's result and kept. A value that would be a mapping, a list or several lines of YAML is refused: a
// text may not add keys to the configuration.
import { decodeScalar } from './clc-decode.js';
import type { ClcType } from './clc-schema.js';
import { unreadableReason } from './literal-block.js';
import { readYaml, type YamlNode } from './yaml-tree.js';

/** A value after its way through YAML. `value` is undefined when it means "not set". */
export type PlainScalar<T> =
  { readonly kind: 'value'; readonly value: T | undefined } | { readonly kind: 'refused'; readonly message: string };

/** Texts that are themselves: nothing in them has a meaning in YAML. */
const SURELY_PLAIN =
  /^[A-Za-z0-9_/.(+$][A-Za-z0-9_/.(+$\-:=,@%;?&*!'"~^|)<>[\]{}]*(?: [A-Za-z0-9_/.(+$\-=,@%;?&*!'"~^|)<>[\]{}][A-Za-z0-9_/.(+$\-:=,@%;?&*!'"~^|)<>[\]{}]*)*$/;
const NULL_WORD = /^(?:null|Null|NULL)$/;

/** How every message about a value starts; what follows may quote the value. */
export const NOT_PLAIN = 'it cannot stand in a line of YAML';

/** Where a value stands: after a key, or as an item of a list, at this column. */
export interface ScalarPlace {
  readonly as: 'member' | 'item';
  readonly indent: number;
}

/** Whether a value is itself, without being read as YAML. */
export function isSurelyPlain(value: string): boolean {
  return SURELY_PLAIN.test(value) && !/:( |$)/.test(value) && !NULL_WORD.test(value);
}

/** A text field. */
export function plainText(value: string, place: ScalarPlace): PlainScalar<string> {
  if (isSurelyPlain(value)) return { kind: 'value', value };
  return decodePlain<string>(value, { kind: 'text' }, place);
}

/** A whole number field, in any form that YAML knows: `0640` is octal, `640` is not. */
export function plainInteger(value: string, place: ScalarPlace): PlainScalar<number> {
  return decodePlain<number>(value, { kind: 'integer', isUnsigned: false }, place);
}

function decodePlain<T>(value: string, type: ClcType, place: ScalarPlace): PlainScalar<T> {
  const unreadable = unreadableReason(value);
  if (unreadable !== null) return { kind: 'refused', message: unreadable };
  if (place.as === 'item' && /^ *\t/.test(value))
    return { kind: 'refused', message: `${NOT_PLAIN}: it starts with a tab` };
  const node = nodeOf(value, place);
  if (typeof node === 'string') return { kind: 'refused', message: `${NOT_PLAIN}: ${node}` };
  const decoded = decodeScalar(node, type);
  if (decoded.kind === 'decoded') return { kind: 'value', value: decoded.value as T | undefined };
  const cause = decoded.message.replace(/^yaml: (?:unmarshal errors:\n {2}line \d+: )?/, '');
  return { kind: 'refused', message: `${NOT_PLAIN}: ${cause}` };
}

/** The scalar that a value becomes between its neighbours, or a reason why it does not become one. */
function nodeOf(value: string, { as, indent }: ScalarPlace): YamlNode | string {
  const margin = ' '.repeat(indent);
  const [before, after] = as === 'item' ? ['- ', '- next'] : ['this: ', 'next: next'];
  const tree = readYaml(`${margin}${before}${value}\n${margin}${after}\n`);
  if (tree.kind === 'failed') return tree.message.replace(/^yaml: (?:line \d+: )?/, '');
  const { root } = tree;
  const values =
    root?.kind === 'sequence' ? root.items : root?.kind === 'mapping' ? root.entries.map((entry) => entry.value) : [];
  const [node, next] = values;
  if (node?.kind !== 'scalar' || next?.kind !== 'scalar' || next.value !== 'next' || values.length !== 2) {
    return 'it would be more than one value';
  }
  return node;
}
