// Kubernetes protobuf, as far as kubectl insists on it: `create namespace`, `create secret`, `auth can-i` and the like send their
// objects in it. Requests only; answers are JSON, which every client takes.
//
// A message is read by a table of its fields. A kind that has no table, or a field that its table does not name, is refused
// with 415: nothing that was sent is ever dropped in silence.
import { unsupportedMediaType } from '../failure.js';

/** The media type of such bodies. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

type Field =
  | { readonly name: string; readonly as: 'text' | 'bytes' | 'integer' | 'boolean' | 'time' | 'textMap' | 'bytesMap' }
  | { readonly name: string; readonly as: 'message'; readonly of: Message };

type Listed = Field & { readonly repeated?: true };

type Message = Readonly<Record<number, Listed>>;

const text = (name: string): Field => ({ name, as: 'text' });
const message = (name: string, of: Message): Field => ({ name, as: 'message', of });
const listOf = (field: Field): Listed => ({ ...field, repeated: true });

const ownerReference: Message = {
  5: text('apiVersion'),
  1: text('kind'),
  3: text('name'),
  4: text('uid'),
  6: { name: 'controller', as: 'boolean' },
  7: { name: 'blockOwnerDeletion', as: 'boolean' },
};

const metadata: Message = {
  1: text('name'),
  2: text('generateName'),
  3: text('namespace'),
  4: text('selfLink'),
  5: text('uid'),
  6: text('resourceVersion'),
  7: { name: 'generation', as: 'integer' },
  8: { name: 'creationTimestamp', as: 'time' },
  9: { name: 'deletionTimestamp', as: 'time' },
  10: { name: 'deletionGracePeriodSeconds', as: 'integer' },
  11: { name: 'labels', as: 'textMap' },
  12: { name: 'annotations', as: 'textMap' },
  13: listOf(message('ownerReferences', ownerReference)),
  14: listOf(text('finalizers')),
};

const deleteOptions: Message = {
  1: { name: 'gracePeriodSeconds', as: 'integer' },
  2: message('preconditions', { 1: text('uid'), 2: text('resourceVersion') }),
  3: { name: 'orphanDependents', as: 'boolean' },
  4: text('propagationPolicy'),
  5: listOf(text('dryRun')),
};

const resourceAttributes: Message = {
  1: text('namespace'),
  2: text('verb'),
  3: text('group'),
  4: text('version'),
  5: text('resource'),
  6: text('subresource'),
  7: text('name'),
};

const accessSpec: Message = {
  1: message('resourceAttributes', resourceAttributes),
  2: message('nonResourceAttributes', { 1: text('path'), 2: text('verb') }),
};

const kinds: Readonly<Record<string, Message>> = {
  'v1/Namespace': {
    1: message('metadata', metadata),
    2: message('spec', { 1: listOf(text('finalizers')) }),
    3: message('status', { 1: text('phase') }),
  },
  'v1/Secret': {
    1: message('metadata', metadata),
    2: { name: 'data', as: 'bytesMap' },
    3: text('type'),
    4: { name: 'stringData', as: 'textMap' },
    5: { name: 'immutable', as: 'boolean' },
  },
  'v1/ConfigMap': {
    1: message('metadata', metadata),
    2: { name: 'data', as: 'textMap' },
    3: { name: 'binaryData', as: 'bytesMap' },
    4: { name: 'immutable', as: 'boolean' },
  },
  'v1/ServiceAccount': { 1: message('metadata', metadata) },
  'v1/DeleteOptions': deleteOptions,
  'policy/v1/Eviction': { 1: message('metadata', metadata), 2: message('deleteOptions', deleteOptions) },
  'authorization.k8s.io/v1/SelfSubjectAccessReview': {
    1: message('metadata', metadata),
    2: message('spec', accessSpec),
    3: message('status', {}),
  },
  'authentication.k8s.io/v1/SelfSubjectReview': { 1: message('metadata', metadata), 2: message('status', {}) },
};

const envelope: Message = {
  1: message('typeMeta', { 1: text('apiVersion'), 2: text('kind') }),
  2: { name: 'raw', as: 'bytes' },
  3: text('contentEncoding'),
  4: text('contentType'),
};

/** The object in a protobuf body (as latin-1 text), or 415. */
export function decodeProtobuf(body: string): unknown {
  const bytes = Buffer.from(body, 'latin1');
  if (bytes.subarray(0, 4).toString('latin1') !== 'k8s\0') throw refused('the body has no Kubernetes envelope');
  const unknown = read(bytes.subarray(4), envelope) as {
    typeMeta?: { apiVersion?: string; kind?: string };
    raw?: string;
  };
  const { apiVersion = '', kind = '' } = unknown.typeMeta ?? {};
  const table = kinds[`${apiVersion}/${kind}`];
  if (table === undefined) throw refused(`${kind} of ${apiVersion} is not read from it`);
  return { apiVersion, kind, ...read(Buffer.from(unknown.raw ?? '', 'base64'), table) };
}

function refused(why: string): Error {
  return unsupportedMediaType(['application/json', 'application/yaml', `${protobufType} for a few kinds: ${why}`]);
}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

function varint(cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; shift < 64; shift += 7) {
    const byte = cursor.bytes[cursor.at];
    if (byte === undefined) throw refused('it ends in the middle');
    cursor.at += 1;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
  throw refused('a number is too long');
}

/** Reads a message. A field may only be left out of a table when it is empty. */
function read(bytes: Buffer, table: Message): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const cursor: Cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    const key = varint(cursor);
    const [number, wire] = [Math.floor(key / 8), key % 8];
    if (wire !== 0 && wire !== 2) throw refused(`wire type ${wire} is not read`);
    const length = wire === 0 ? varint(cursor) : 0;
    const size = wire === 2 ? varint(cursor) : 0;
    const content = bytes.subarray(cursor.at, cursor.at + size);
    cursor.at += size;
    const field = table[number];
    if (field !== undefined) put(found, field, length, content);
    else if (content.length > 0 || length !== 0) throw refused(`field ${number} is not read`);
  }
  return found;
}

function put(found: Record<string, unknown>, field: Listed, number: number, content: Buffer): void {
  if (field.as === 'textMap' || field.as === 'bytesMap') {
    const as = field.as === 'textMap' ? 'text' : 'bytes';
    const entry = read(content, { 1: text('key'), 2: { name: 'value', as } });
    found[field.name] = { ...(found[field.name] as object | undefined), [String(entry.key)]: entry.value ?? '' };
    return;
  }
  const value = valueOf(field, number, content);
  if (field.repeated === true) found[field.name] = [...((found[field.name] as unknown[] | undefined) ?? []), value];
  else if (value !== undefined) found[field.name] = value;
}

/** Empty texts and times are what a client did not set. */
function valueOf(field: Field, number: number, content: Buffer): unknown {
  switch (field.as) {
    case 'text':
      return content.length === 0 ? undefined : content.toString('utf8');
    case 'bytes':
      return content.toString('base64');
    case 'integer':
      return number;
    case 'boolean':
      return number !== 0;
    case 'time': {
      const { seconds } = read(content, { 1: { name: 'seconds', as: 'integer' }, 2: { name: 'nanos', as: 'integer' } });
      return typeof seconds === 'number' ? new Date(seconds * 1000).toISOString() : undefined;
    }
    case 'message':
      return read(content, field.of);
    default:
      return undefined;
  }
}
