// YAML as `sigs.k8s.io/yaml` 1.6.0 prints it, byte for byte: the value goes through Go's JSON, is read back as YAML, and
// is written by go-yaml v2 in block style.
//
// Only values that JSON can hold are taken. It refuses what go-yaml's reader refuses: control characters (U+007F to
// U+009F but for U+0085, U+FFFE, U+FFFF), line breaks by U+0085 in a key, and keys of more than 1,024 characters.
import { goJsonString } from './go-json.js';
import { toValidUtf8 } from './go-string.js';
import { analyzeText } from './yaml-analyze.js';
import { sortKeys } from './yaml-key-order.js';
import { writePlain, writeString } from './yaml-scalar.js';
import { newPen, put, putIndent, putIndicator, type Pen } from './yaml-writer.js';

/** A value that can be printed. A member that is `undefined` is left out. */
export type YamlValue =
  string | number | boolean | null | readonly YamlValue[] | { readonly [key: string]: YamlValue | undefined };

/** What go-yaml says about a value that cannot be printed. Its message is Go's. */
export class GoYamlError extends Error {
  override readonly name = 'GoYamlError';
}

const keyBytesMax = 128;
const keyCharactersReadMax = 1024;
const unreadable = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;
const nextLine = / *((?:\x85 *)+)/g;
const documentMark = /\x85(?:---|\.\.\.)[ \x85]/;

/** The value as YAML text that ends its last line. Throws a GoYamlError for what Go refuses. */
export function goYaml(value: YamlValue): string {
  const pen = newPen();
  try {
    writeNode(pen, value, { indent: -1, isInMap: false });
  } catch (error) {
    // Go's reader sees an unreadable character anywhere before its parser sees anything else.
    throw error instanceof GoYamlError && unreadable.test(JSON.stringify(value)) ? controlCharacters() : error;
  }
  putIndent(pen, -1);
  return pen.out;
}

function controlCharacters(): GoYamlError {
  return new GoYamlError('yaml: control characters are not allowed');
}

interface NodePlace {
  readonly indent: number;
  readonly isInMap: boolean;
}

function writeNode(pen: Pen, value: YamlValue, place: NodePlace): void {
  const scalarPlace = { indent: Math.max(place.indent, 0) + 2, isSimpleKey: false };
  if (place.indent < 0) scalarPlace.indent = 2;
  if (value === null) return writePlain(pen, 'null', scalarPlace);
  if (typeof value === 'string') return writeString(pen, readBack(value), scalarPlace);
  if (typeof value === 'number') return writePlain(pen, goFloat(value), scalarPlace);
  if (typeof value === 'boolean') return writePlain(pen, String(value), scalarPlace);
  if (isList(value)) return writeList(pen, value, place);
  writeMap(pen, value, place);
}

function writeList(pen: Pen, list: readonly YamlValue[], place: NodePlace): void {
  if (list.length === 0) return writeEmpty(pen, '[', ']');
  // A list under a map key stands in the key's own column.
  const isIndentless = place.isInMap && !pen.isIndentation;
  const indent = place.indent < 0 ? 0 : isIndentless ? place.indent : place.indent + 2;
  for (const item of list) {
    putIndent(pen, indent);
    putIndicator(pen, '-', { needsSpace: true, isIndentation: true });
    writeNode(pen, item, { indent, isInMap: false });
  }
}

function writeMap(pen: Pen, map: { readonly [key: string]: YamlValue | undefined }, place: NodePlace): void {
  const members = membersOf(map);
  if (members.size === 0) return writeEmpty(pen, '{', '}');
  const indent = place.indent < 0 ? 0 : place.indent + 2;
  for (const key of sortKeys([...members.keys()])) {
    putIndent(pen, indent);
    writeKey(pen, key, indent);
    writeNode(pen, members.get(key) ?? null, { indent, isInMap: true });
  }
}

/** Long keys and keys with line breaks take the form with a question mark. */
function writeKey(pen: Pen, key: string, indent: number): void {
  const isSimpleKey = Buffer.byteLength(key) <= keyBytesMax && !analyzeText(key).isMultiline;
  if (isSimpleKey) {
    writeString(pen, key, { indent: indent + 2, isSimpleKey });
    put(pen, ':');
    pen.isSpace = false;
    pen.isIndentation = false;
    return;
  }
  putIndicator(pen, '?', { needsSpace: true, isIndentation: true });
  writeString(pen, key, { indent: indent + 2, isSimpleKey });
  putIndent(pen, indent);
  putIndicator(pen, ':', { needsSpace: true, isIndentation: true });
}

function writeEmpty(pen: Pen, open: string, close: string): void {
  putIndicator(pen, open, { needsSpace: true, isSpace: true });
  putIndicator(pen, close, { needsSpace: false });
}

/** The members as Go reads them back from JSON. */
function membersOf(map: { readonly [key: string]: YamlValue | undefined }): Map<string, YamlValue> {
  const members = new Map<string, YamlValue>();
  for (const [key, value] of Object.entries(map)) {
    if (value === undefined) continue;
    const read = readBack(key);
    if (read !== toValidUtf8(key) || goJsonString(read).length > keyCharactersReadMax) {
      throw new GoYamlError("yaml: line 1: did not find expected ',' or '}'");
    }
    members.set(read, value);
  }
  return members;
}

/** What is left of a text after Go's JSON was read as YAML: U+0085 is a line break there and is folded away. */
function readBack(text: string): string {
  const valid = toValidUtf8(text);
  if (unreadable.test(valid)) throw controlCharacters();
  if (!valid.includes('\x85')) return valid;
  if (documentMark.test(valid)) throw new GoYamlError('yaml: line 2: found unexpected document indicator');
  return valid.replace(nextLine, (_, run: string) => {
    const breaks = run.replaceAll(' ', '').length;
    return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1);
  });
}

/** Go's %g in its shortest form: exponents below 1e-4 and, for what is not an integer, from 1e6 on. */
function goFloat(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 21 && exponent < Math.max(6, 0)) return String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function isList(value: object): value is readonly YamlValue[] {
  return Array.isArray(value);
}

/** Whether a text can stand in a document at all. */
export function isYamlText(text: string): boolean {
  try {
    readBack(text);
    return true;
  } catch {
    return false;
  }
}
