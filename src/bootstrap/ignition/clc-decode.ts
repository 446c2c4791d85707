// A YAML tree as a Container Linux Config, decoded as Go's yaml.v3 decodes into typed structs.
//
// Null counts as absent everywhere; inside a list a null item vanishes. Texts take any scalar as it was written; numbers take
// floats and cut them; flags also take YAML 1.1's words. Aliases and merge keys work. All type mismatches are collected;
// anything else ends the decoding at once. Aliases cannot make the work explode: the number of visits is bounded.
import { isGoBase64 } from './data-url.js';
import { parseCoreosVersion, type CoreosVersion } from './coreos-version.js';
import { serviceOptions } from './clc-options.js';
import { clcSchema, type ClcConfig, type ClcStruct, type ClcType, type VersionedService } from './clc-schema.js';
import { resolveScalar, type Resolved } from './yaml-resolve.js';
import type { YamlMapping, YamlNode, YamlScalar } from './yaml-tree.js';
import { goQuote } from '../go-format/go-quote.js';
import { bytesToText } from '../go-format/go-string.js';

/** A node visit costs one; a configuration of 32 KiB has some ten thousand nodes, so only alias bombs get here. */
const VISITS_MAX = 200_000;
const DEFAULT_ETCD: CoreosVersion = { major: 3, minor: 5, patch: 0, isPreRelease: false, text: '3.5.0' };
const DEFAULT_FLANNEL: CoreosVersion = { major: 0, minor: 6, patch: 0, isPreRelease: false, text: '0.6.0' };

/** The answer of decoding. */
export type Decoded<T> =
  { readonly kind: 'decoded'; readonly value: T } | { readonly kind: 'failed'; readonly message: string };

/** What one decoding keeps track of. */
interface Decoding {
  readonly mismatches: { readonly line: number; readonly message: string }[];
  /** The first thing that ends everything. */
  failure: string | null;
  visits: number;
  /** The aliases that are being followed, to notice a node that contains itself. */
  readonly following: Set<YamlNode>;
}

/** A value, or undefined when there is none to be set. Decoded values themselves are never undefined. */
type Found = NonNullable<unknown> | undefined;

/** Decodes a whole configuration. `root` is null for a text without content. */
export function decodeClc(root: YamlNode | null): Decoded<ClcConfig> {
  const decoding = newDecoding();
  const value = (root === null ? undefined : decode(root, clcSchema, decoding)) ?? zeroOf(clcSchema);
  return answer(decoding, value as ClcConfig);
}

/** Decodes a single scalar, as a field of this type would. `value` is undefined when the field would stay unset. */
export function decodeScalar(node: YamlNode, type: ClcType): Decoded<unknown> {
  const decoding = newDecoding();
  return answer(decoding, decode(node, type, decoding));
}

function newDecoding(): Decoding {
  return { mismatches: [], failure: null, visits: 0, following: new Set() };
}

function answer<T>(decoding: Decoding, value: T): Decoded<T> {
  if (decoding.failure !== null) return { kind: 'failed', message: decoding.failure };
  if (decoding.mismatches.length === 0) return { kind: 'decoded', value };
  const mismatches = decoding.mismatches
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, message }) => `line ${line}: ${message}`);
  return { kind: 'failed', message: ['yaml: unmarshal errors:', ...mismatches].join('\n  ') };
}

function decode(node: YamlNode, type: ClcType, decoding: Decoding): Found {
  decoding.visits += 1;
  if (decoding.visits > VISITS_MAX) return fail(decoding, 'yaml: document contains excessive aliasing');
  if (decoding.failure !== null) return undefined;
  if (node.kind === 'alias') return followAlias(node, decoding, (target) => decode(target, type, decoding));
  if (type.kind === 'optional') return decode(node, type.of, decoding);
  switch (node.kind) {
    case 'scalar':
      return decodeScalarNode(node, type, decoding);
    case 'sequence':
      if (type.kind !== 'list') return mismatch(node, '!!seq', type, decoding);
      return node.items.map((item) => decode(item, type.of, decoding)).filter((item) => item !== undefined);
    case 'mapping':
      if (type.kind === 'versioned') return decodeService(node, type.service, decoding);
      if (type.kind !== 'struct') return mismatch(node, '!!map', type, decoding);
      return decodeStruct(node, type, decoding);
  }
}

function followAlias<T>(
  alias: Extract<YamlNode, { kind: 'alias' }>,
  decoding: Decoding,
  use: (target: YamlNode) => T,
): T | undefined {
  if (decoding.following.has(alias)) {
    fail(decoding, `yaml: anchor '${alias.name}' value contains itself`);
    return undefined;
  }
  decoding.following.add(alias);
  const result = use(alias.target());
  decoding.following.delete(alias);
  return result;
}

function decodeScalarNode(node: YamlScalar, type: ClcType, decoding: Decoding): Found {
  const resolved = resolveScalar(node);
  if (resolved.kind === 'failed') return fail(decoding, resolved.message);
  if (resolved.tag === '!!binary' && resolved.kind === 'text')
    return decodeBinary(resolved.value, node, type, decoding);
  if (resolved.kind === 'null') return undefined;
  if (type.kind === 'text') return node.value;
  if (type.kind === 'integer') {
    const whole = wholeNumber(resolved, type.isUnsigned);
    if (whole !== null && !Number.isSafeInteger(whole)) {
      return fail(decoding, `yaml: line ${node.line}: ${node.value} is too large a number`);
    }
    if (whole !== null) return whole;
  }
  if (type.kind === 'flag') {
    if (resolved.kind === 'bool') return resolved.value;
    if (resolved.kind === 'text' && isWord(resolved.value, TRUE_WORDS)) return true;
    if (resolved.kind === 'text' && isWord(resolved.value, FALSE_WORDS)) return false;
  }
  return mismatch(node, resolved.tag, type, decoding);
}

const TRUE_WORDS = ['y', 'yes', 'on'];
const FALSE_WORDS = ['n', 'no', 'off'];

/** Whether a text is one of the words in lower, title or upper case. */
function isWord(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  const title = lower.slice(0, 1).toUpperCase() + lower.slice(1);
  return words.includes(lower) && [lower, title, lower.toUpperCase()].includes(text);
}

function wholeNumber(resolved: Resolved, isUnsigned: boolean): number | null {
  const value =
    resolved.kind === 'int' ? Number(resolved.value) : resolved.kind === 'float' ? Math.trunc(resolved.value) : null;
  if (value === null || Number.isNaN(value) || value === Number.POSITIVE_INFINITY) return null;
  return isUnsigned && value < 0 ? null : value + 0;
}

function decodeBinary(text: string, node: YamlScalar, type: ClcType, decoding: Decoding): Found {
  if (!isGoBase64(text)) return fail(decoding, 'yaml: !!binary value contains invalid base64 data');
  if (type.kind !== 'text') return mismatch(node, '!!binary', type, decoding);
  return bytesToText(Buffer.from(text, 'base64'));
}

function decodeStruct(node: YamlMapping, type: ClcStruct, decoding: Decoding): Found {
  const decoded = zeroOf(type) as Record<string, unknown>;
  for (const [key, member] of membersOf(node, decoding)) {
    const fieldType = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
    if (fieldType !== undefined) decoded[key] = decode(member, fieldType, decoding) ?? decoded[key];
  }
  return decoded;
}

/** etcd and flannel: the version decides which other keys there are. */
function decodeService(node: YamlMapping, service: 'etcd' | 'flannel', decoding: Decoding): Found {
  const text = { kind: 'text' } as const;
  const members = membersOf(node, decoding);
  const versionText = decodeMember(members.get('version'), text, decoding);
  let version: CoreosVersion | undefined;
  if (typeof versionText === 'string') {
    const parsed = parseCoreosVersion(versionText);
    if (parsed.kind === 'invalid') return fail(decoding, parsed.message);
    version = parsed.version;
  }
  const options: { key: string; value: string | number | boolean }[] = [];
  for (const option of serviceOptions(service, version ?? defaultVersion(service))) {
    const type: ClcType = option.type === 'integer' ? { kind: 'integer', isUnsigned: false } : { kind: option.type };
    const value = decodeMember(members.get(option.key), type, decoding);
    if (value !== undefined) options.push({ key: option.key, value: value as string | number | boolean });
  }
  const networkConfig =
    service === 'flannel'
      ? decodeMember(members.get('network_config'), { ...text, goType: 'types.NetworkConfig' }, decoding)
      : '';
  const decoded: VersionedService = { version, networkConfig: String(networkConfig ?? ''), options };
  return decoded;
}

/** The version whose options count when none is given. */
export function defaultVersion(service: 'etcd' | 'flannel'): CoreosVersion {
  return service === 'etcd' ? DEFAULT_ETCD : DEFAULT_FLANNEL;
}

function decodeMember(node: YamlNode | undefined, type: ClcType, decoding: Decoding): Found {
  return node === undefined ? undefined : decode(node, type, decoding);
}

/** The members of a mapping by key; merged ones (`<<`) only where the mapping itself has none. No key may be there twice. */
function membersOf(node: YamlMapping, decoding: Decoding): ReadonlyMap<string, YamlNode> {
  const members = new Map<string, YamlNode>();
  mergeMapping(members, node, decoding);
  return members;
}

function mergeMapping(members: Map<string, YamlNode>, node: YamlMapping, decoding: Decoding): void {
  if (hasRepeatedKeys(node, decoding)) return;
  let merged: YamlNode | null = null;
  for (const { key, value } of node.entries) {
    if (isMergeKey(key)) {
      merged = value;
      continue;
    }
    const name = decode(key, { kind: 'text' }, decoding);
    if (typeof name === 'string' && !members.has(name)) members.set(name, value);
  }
  if (merged !== null) mergeInto(members, merged, decoding);
}

/** Keys are compared as they are written: two keys that are lists or mappings count as the same. */
function hasRepeatedKeys(node: YamlMapping, decoding: Decoding): boolean {
  const lines = new Map<string, number>();
  const before = decoding.mismatches.length;
  for (const { key } of node.entries) {
    const written = key.kind === 'scalar' ? key.value : key.kind === 'alias' ? key.name : '';
    const line = lines.get(`${key.kind} ${written}`);
    if (line === undefined) lines.set(`${key.kind} ${written}`, key.line);
    else
      decoding.mismatches.push({
        line: key.line,
        message: `mapping key ${goQuote(written)} already defined at line ${line}`,
      });
  }
  return decoding.mismatches.length > before;
}

function mergeInto(members: Map<string, YamlNode>, merged: YamlNode, decoding: Decoding): void {
  decoding.visits += 1;
  if (decoding.visits > VISITS_MAX || decoding.failure !== null) return;
  if (merged.kind === 'alias') {
    followAlias(merged, decoding, (target) => {
      if (target.kind === 'mapping') mergeInto(members, target, decoding);
      else fail(decoding, MERGE_WANTS_MAP);
    });
  } else if (merged.kind === 'sequence') {
    for (const item of merged.items) {
      if (item.kind === 'sequence' || item.kind === 'scalar') fail(decoding, MERGE_WANTS_MAP);
      else mergeInto(members, item, decoding);
    }
  } else if (merged.kind === 'mapping') {
    mergeMapping(members, merged, decoding);
  } else {
    fail(decoding, MERGE_WANTS_MAP);
  }
}

const MERGE_WANTS_MAP = 'yaml: map merge requires map or sequence of maps as the value';

function isMergeKey(key: YamlNode): boolean {
  return key.kind === 'scalar' && key.value === '<<' && !key.isQuoted && (key.tag === '' || key.tag === '!!merge');
}

function mismatch(node: YamlNode, tag: string, type: ClcType, decoding: Decoding): undefined {
  const value =
    node.kind === 'scalar' ? ` \`${node.value.length > 10 ? `${node.value.slice(0, 7)}...` : node.value}\`` : '';
  decoding.mismatches.push({ line: node.line, message: `cannot unmarshal ${tag}${value} into ${goTypeOf(type)}` });
  return undefined;
}

function fail(decoding: Decoding, message: string): undefined {
  decoding.failure ??= message;
  return undefined;
}

function goTypeOf(type: ClcType): string {
  switch (type.kind) {
    case 'text':
      return type.goType ?? 'string';
    case 'integer':
      return type.isUnsigned ? 'uint' : 'int';
    case 'flag':
      return 'bool';
    case 'optional':
      return goTypeOf(type.of);
    case 'list':
      return `[]${goTypeOf(type.of)}`;
    case 'struct':
      return type.goType;
    case 'versioned':
      return type.service === 'etcd' ? 'types.etcdCommon' : 'types.flannelCommon';
  }
}

/** What a field holds when nothing was given. */
function zeroOf(type: ClcType): unknown {
  switch (type.kind) {
    case 'text':
      return '';
    case 'integer':
      return 0;
    case 'flag':
      return false;
    case 'list':
      return [];
    case 'struct':
      return Object.fromEntries(Object.entries(type.fields).map(([key, field]) => [key, zeroOf(field)]));
    case 'optional':
    case 'versioned':
      return undefined;
  }
}
