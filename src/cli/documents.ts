// Reads files of YAML or JSON documents the way kubectl does.
//
// Scalars are read as go-yaml reads them (YAML 1.1 without its base 60 numbers and dates), nulls are dropped.

import { readFileSync } from 'node:fs';
import { parseAllDocuments, type Tags } from 'yaml';
import { isObject, type Json, type JsonObject } from '../api/wire.js';
import { fileProblem } from '../kube/file-problem.js';
import { CommandFailure } from './exit.js';
import { separateJsonObjects } from './json-stream.js';

/** A document, or an item of a list, and the words that name its place. */
export interface Document {
  readonly where: string;
  readonly value: JsonObject;
}

/** The text of a file; `-` is stdin. Throws a CommandFailure that says what is wrong with the file. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`cannot read ${file}: ${fileProblem(error)}`);
  }
}

/** Every object of the text, lists taken apart. Throws a CommandFailure that names the document for what is none. */
export function readDocuments(text: string): readonly Document[] {
  const options = { version: '1.1', merge: true, customTags: asGoYaml, uniqueKeys: true } as const;
  const documents = parseAllDocuments(separateJsonObjects(text), options);
  const found: Document[] = [];
  for (const [index, document] of [...documents].entries()) {
    const where = `document ${index + 1}`;
    const [problem] = document.errors;
    if (problem !== undefined) throw new CommandFailure(`${where}: ${firstLine(problem.message).replace(/:$/u, '')}`);
    const value = plain(toJs(document, where));
    if (value !== undefined) found.push(...itemsOf(value, where));
  }
  return found;
}

function asGoYaml(tags: Tags): Tags {
  return tags.filter((tag) => {
    if (typeof tag === 'string') return true;
    return tag.format !== 'TIME' && tag.tag !== 'tag:yaml.org,2002:timestamp';
  });
}

function toJs(document: { toJS(options: { maxAliasCount: number }): unknown }, where: string): unknown {
  try {
    const value = document.toJS({ maxAliasCount: 100 });
    if (isCircular(value)) throw new Error('an alias names what holds it');
    return value;
  } catch (error) {
    throw new CommandFailure(`${where}: ${error instanceof Error ? firstLine(error.message) : String(error)}`);
  }
}

function isCircular(value: unknown, around: readonly object[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (around.includes(value)) return true;
  return Object.values(value).some((member) => isCircular(member, [...around, value]));
}

/** Without nulls, and with every text as Go reads it from JSON (a lone surrogate becomes U+FFFD). */
export function plain(value: unknown): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value.replace(/[\ud800-\udfff]/gu, '\ufffd');
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item) => plain(item) ?? null);
  if (typeof value !== 'object') return value as Json;
  const members = Object.entries(value).map(([key, member]) => [key, plain(member)] as const);
  return Object.fromEntries(members.filter((member): member is readonly [string, Json] => member[1] !== undefined));
}

function itemsOf(value: Json, where: string): readonly Document[] {
  if (!isObject(value)) throw new CommandFailure(`${where}: is not a Kubernetes object`);
  const { apiVersion, kind, items } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw new CommandFailure(`${where}: apiVersion and kind are required`);
  }
  if (!kind.endsWith('List') || !Array.isArray(items)) {
    if (!isObject(value.metadata) || typeof value.metadata.name !== 'string') {
      throw new CommandFailure(`${where}: ${kind} has no metadata.name`);
    }
    return [{ where, value }];
  }
  const itemKind = kind.slice(0, -'List'.length);
  return (items as readonly Json[]).flatMap((item, index) => {
    const typed = isObject(item) && itemKind !== '' ? { apiVersion, kind: itemKind, ...item } : item;
    return itemsOf(typed, `${where}, item ${index + 1}`);
  });
}

/** The first line of a text. */
export function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
