// From the objects of a server to the notation of the recorded scenarios (test/scenarios/README.md).
//
// Times, uids, generations, tokens, certificates and expiries become placeholders, so that two runs can be compared.
import type { ApiObject } from '../../src/embedded/types.js';

type Json = unknown;
type Dictionary = Record<string, Json>;

/** What placeholders are made from. */
export interface Names {
  readonly nowMs: number;
  readonly ttlMs: number;
  readonly uids: ReadonlyMap<string, string>;
  /** PEM texts by `secret/key`. */
  readonly pems: ReadonlyMap<string, string>;
  readonly hashes: ReadonlyMap<string, string>;
  /** Tokens in the order of their placeholders. */
  readonly tokens: readonly string[];
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** A text with placeholders; a list of lines when it has several. */
export function normaliseText(text: string, names: Names): Json {
  let clean = text;
  for (const [where, pem] of names.pems) {
    const lines = pem.trimEnd().split('\n');
    clean = clean.replace(new RegExp(lines.map(escape).join('\\n[ ]*'), 'g'), `<pem ${where}>`);
    clean = clean.replaceAll(Buffer.from(pem).toString('base64'), `<base64 of <pem ${where}>\n>`);
    const encoded = [...Buffer.from(pem.trimEnd())].map(percent).join('');
    clean = clean.replaceAll(encoded, `<pem ${where}>`);
  }
  for (const [hash, where] of names.hashes) clean = clean.replaceAll(hash, `<sha256 of ${where}>`);
  names.tokens.forEach((token, index) => {
    clean = clean.replaceAll(token, `<token-${index + 1}>`);
    clean = clean.replaceAll(`bootstrap-token-${token.slice(0, 6)}`, `bootstrap-token-<token-${index + 1}>.id`);
  });
  for (const [uid, who] of names.uids) clean = clean.replaceAll(uid, `<uid:${who}>`);
  return clean.includes('\n') && !clean.startsWith('<base64') ? clean.split('\n') : clean;
}

/** Go's `url.PathEscape` as data URLs use it. */
function percent(byte: number): string {
  const char = String.fromCharCode(byte);
  return /[A-Za-z0-9\-_.~!*'();:@&=+$,?#[\]]/.test(char) && !'+/=;:@&,?#[]!*$'.includes(char)
    ? char
    : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** An object without what differs between runs. */
export function normaliseObject(object: ApiObject, names: Names): Json {
  const { metadata, ...rest } = object as ApiObject & Dictionary;
  const generation = metadata.generation ?? 0;
  const kept: Dictionary = { name: metadata.name };
  for (const key of ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const) {
    const value = metadata[key];
    if (value !== undefined && Object.keys(value).length > 0) kept[key] = value;
  }
  if (metadata.deletionTimestamp !== undefined) kept['deletionTimestamp'] = '<time>';
  const body: Dictionary = { metadata: kept };
  for (const [key, value] of Object.entries(rest)) if (!['apiVersion', 'kind'].includes(key)) body[key] = value;
  return walk(body, '', (value, key) => {
    if (key === 'observedGeneration')
      return value === generation ? '<generation>' : `<generation-${generation - Number(value)}>`;
    if (key === 'lastTransitionTime') return '<time>';
    return typeof value === 'string' ? normaliseText(value, names) : value;
  });
}

/** A Secret with its data decoded. */
export function normaliseSecret(object: ApiObject, names: Names): Json {
  const { data = {}, ...rest } = object as ApiObject & { readonly data?: Readonly<Record<string, string>> };
  const decoded = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
  return normaliseObject({ ...rest, data: decoded } as unknown as ApiObject, names);
}

/** A bootstrap token of the workload cluster. */
export function normaliseToken(object: ApiObject, names: Names): Json {
  const { data = {} } = object as ApiObject & { readonly data?: Readonly<Record<string, string>> };
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  const id = text('token-id');
  const token = `${id}.${text('token-secret')}`;
  const leftMs = Date.parse(text('expiration')) - names.nowMs;
  return normaliseObject(
    {
      ...object,
      data: {
        ...Object.fromEntries(Object.keys(data).map((key) => [key, text(key)])),
        expiration: expiryText(leftMs, names.ttlMs),
        'token-id': object.metadata.name === `bootstrap-token-${id}` ? '<matches the name>' : id,
        'token-secret': names.tokens.includes(token) ? '<matches the token>' : 'another',
      },
    } as unknown as ApiObject,
    names,
  );
}

function expiryText(leftMs: number, ttlMs: number): string {
  const minutes = Math.round(leftMs / 60_000);
  return Math.abs(leftMs - ttlMs) < ttlMs / 10 ? '<nearly TTL from now>' : `<${minutes} minutes from now>`;
}

function walk(value: Json, key: string, visit: (value: Json, key: string) => Json): Json {
  if (Array.isArray(value)) return value.map((each) => walk(each, '', visit));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, walk(each, name, visit)]));
  }
  return visit(value, key);
}
