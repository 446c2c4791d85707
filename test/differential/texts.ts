// Texts of two worlds made comparable: certificates, hashes, tokens, uids and kubeconfigs become the names of what they are.
import { createHash } from 'node:crypto';
import { caCertHashes } from '../../src/bootstrap/certificates/ca-cert-hashes.js';

/** What names are made from. */
export interface Names {
  /** Names by PEM text without white space. */
  readonly pems: ReadonlyMap<string, string>;
  /** Names by `sha256:...` of a CA. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Names by token. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly uids: ReadonlyMap<string, string>;
  /** Names by any other text that differs by world. */
  readonly others: ReadonlyMap<string, string>;
}

const PEM = /-----BEGIN ([A-Z ]+)-----[\sA-Za-z0-9+/=]+?-----END \1-----/g;
const BASE64_PEM = /LS0tLS1CRUdJTi[A-Za-z0-9+/]+=*/g;
const DATA_URL = /data:,[^"'\s]*/g;
const HASH = /sha256:[0-9a-f]{64}/g;
const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TOKEN = /\b([a-z0-9]{6})\.([a-z0-9]{16})\b/g;
const TOKEN_SECRET = /bootstrap-token-([a-z0-9]{6})\b/g;

/** A PEM text as `pems` knows it. */
export function pemKey(pem: string): string {
  return createHash('sha256').update(pem.replace(/\s/g, '')).digest('base64');
}

/** The hashes of the CAs in a PEM text. */
export function hashesOf(pem: string): readonly string[] {
  if (!pem.includes('BEGIN CERTIFICATE')) return [];
  const found = caCertHashes(pem);
  return found.kind === 'hashes' ? found.hashes : [];
}

/** A text with names in it. */
export function named(text: string, names: Names): string {
  let clean = text;
  for (const [other, name] of names.others) clean = clean.replaceAll(other, name);
  if (clean.includes('data:,'))
    clean = clean.replace(DATA_URL, (url) => `data:,${namedPems(decoded(url.slice('data:,'.length)), names)}`);
  clean = namedPems(clean, names);
  if (clean.includes('sha256:'))
    clean = clean.replace(HASH, (hash) => names.hashes.get(hash) ?? '<hash of another CA>');
  clean = clean.replace(TOKEN, (token) => names.tokens.get(token) ?? token);
  clean = clean.replace(TOKEN_SECRET, (whole, id: string) => {
    const token = [...names.tokens.keys()].find((each) => each.startsWith(`${id}.`));
    return token === undefined ? whole : `bootstrap-token-${names.tokens.get(token)}`;
  });
  return clean.replace(UID, (uid) => (names.uids.has(uid) ? `<uid:${names.uids.get(uid)}>` : uid));
}

function namedPems(text: string, names: Names): string {
  if (text.length < 40) return text;
  const plain = text.includes('-----BEGIN')
    ? text.replace(PEM, (pem) => names.pems.get(pemKey(pem)) ?? '<another PEM>')
    : text;
  if (!plain.includes('LS0tLS1CRUdJTi')) return plain;
  return plain.replace(
    BASE64_PEM,
    (code) => `<base64 of ${named(Buffer.from(code, 'base64').toString(), names).trim()}>`,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
