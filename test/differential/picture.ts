// What one world looks like: every object of a history's namespace and its tokens, without what differs between any two runs.
import type { KubeObject } from '../../src/kube/contract.js';
import { resources } from '../../src/api/names.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { isApiError } from '../../src/kube/failures.js';
import type { Json } from './history.js';
import type { Material } from './material.js';
import { specToken, SYSTEM, type SeenKind } from './mirror.js';
import type { Side } from './side.js';
import { hashesOf, named, pemKey, type Names } from './texts.js';

/** Objects by kind and name, `Token/w0` and `Event/KubeadmConfig w0 TokenLost` among them. */
export type Picture = Readonly<Record<string, Json>>;

/** What the player tells the painter. */
export interface Scene {
  readonly namespace: string;
  readonly material: Material;
  /** The annotation by which objects were made to be looked at. */
  readonly touched: string;
}

type Loose = KubeObject & {
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly [field: string]: unknown;
};

const PAINTED: readonly SeenKind[] = ['KubeadmConfig', 'Secret', 'ConfigMap', 'Machine', 'MachinePool', 'Cluster'];

/** Looks at a world. */
export function paint(side: Side, scene: Scene): Picture {
  const { namespace } = scene;
  const names = namesOf(side, scene);
  const picture: Record<string, Json> = {};
  for (const kind of PAINTED) {
    for (const object of side.mirror.list(kind, namespace) as readonly Loose[])
      picture[`${kind}/${object.metadata.name}`] = normalised(object, names, scene);
  }
  for (const event of side.mirror.list('Event', namespace) as readonly Loose[]) {
    const { type, reason, involvedObject } = event as unknown as EventLike;
    if (type === 'Warning') picture[`Event/${involvedObject.kind} ${involvedObject.name} ${reason}`] = { type };
  }
  for (const config of side.mirror.list('KubeadmConfig', namespace)) {
    const token = specToken(config);
    if (token !== '') picture[`Token/${config.metadata.name}`] = tokenState(side, token);
  }
  return picture;
}

interface EventLike {
  readonly type: string;
  readonly reason: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

/** Whether a node could join with a token now. */
function tokenState(side: Side, token: string): Json {
  const [id = '', secret = ''] = token.split('.');
  const found = side.mirror.get('Secret', SYSTEM, `bootstrap-token-${id}`) as Loose | undefined;
  if (found === undefined) return { state: 'absent' };
  const text = (key: string): string => Buffer.from(found.data?.[key] ?? '', 'base64').toString();
  const { 'token-id': _id, 'token-secret': _secret, expiration: _until, ...rest } = found.data ?? {};
  const until = text('expiration');
  return {
    state: until === '' ? 'for ever' : Date.parse(until) > Date.now() ? 'alive' : 'expired',
    isWhole: text('token-id') === id && text('token-secret') === secret,
    type: found.type ?? '',
    data: Object.fromEntries(Object.keys(rest).map((key) => [key, text(key)])),
  };
}

/** The same objects as readers of v1beta1 see them. */
export async function paintLegacy(side: Side, scene: Scene): Promise<Picture> {
  const resource = { ...resourceOf(resources.KubeadmConfig), version: 'v1beta1' };
  try {
    const { items } = await side.client.list<Loose>(resource, { namespace: scene.namespace });
    const names = namesOf(side, scene);
    return Object.fromEntries(
      items.map((object) => [`v1beta1/${object.metadata.name}`, normalised(object, names, scene)]),
    );
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { 'v1beta1/list': { status: error.failure.status, message: error.message } };
  }
}

const remembered = new WeakMap<Side, Map<string, Map<string, string>>>();

/** Certificates that a world made itself, as they are met: `namespace` to names by PEM. */
function madeHere(side: Side, namespace: string): Map<string, string> {
  const spaces = remembered.get(side) ?? new Map<string, Map<string, string>>();
  remembered.set(side, spaces);
  const made = spaces.get(namespace) ?? new Map<string, string>();
  spaces.set(namespace, made);
  return made;
}

function namesOf(side: Side, { namespace, material }: Scene): Names {
  const pems = new Map<string, string>();
  const hashes = new Map<string, string>();
  const learn = (pem: string, name: string): void => {
    if (!pem.includes('-----BEGIN')) return;
    if (!pems.has(pemKey(pem))) pems.set(pemKey(pem), `<${name}>`);
    for (const hash of hashesOf(pem)) if (!hashes.has(hash)) hashes.set(hash, `<hash of ${name}>`);
  };
  for (const set of ['first', 'second'] as const) {
    for (const [purpose, pair] of Object.entries(material[set])) {
      learn(pair.cert, `given ${set} ${purpose}.crt`);
      learn(pair.key, `given ${set} ${purpose}.key`);
    }
  }
  const made = madeHere(side, namespace);
  for (const secret of side.mirror.list('Secret', namespace) as readonly Loose[]) {
    for (const key of ['tls.crt', 'tls.key']) {
      const pem = Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
      if (!pem.startsWith('-----BEGIN')) continue;
      learn(pem, `made ${secret.metadata.name}/${key}`);
      made.set(pem, `${secret.metadata.name}/${key}`);
    }
  }
  for (const [pem, where] of made) learn(pem, `former ${where}`);
  return {
    pems,
    hashes,
    tokens: tokenNames(side, namespace),
    uids: uidNames(side, namespace),
    others: new Map([
      [side.workloadKubeconfig, '<kubeconfig>'],
      [side.unreachableKubeconfig, '<unreachable kubeconfig>'],
    ]),
  };
}

/** Who uids belong to, and who they belonged to before somebody of the same name came. */
function uidNames(side: Side, namespace: string): ReadonlyMap<string, string> {
  const uids = new Map([...side.mirror.ownersOf(namespace)].map(([uid, name]) => [uid, `former ${name}`]));
  for (const kind of PAINTED)
    for (const { metadata } of side.mirror.list(kind, namespace))
      uids.set(metadata.uid ?? '', `${kind}/${metadata.name}`);
  return uids;
}

/** The tokens that specs hold by who holds them, and those that they held before. */
function tokenNames(side: Side, namespace: string): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  for (const [token, name] of side.mirror.tokensOf(namespace)) tokens.set(token, `<former token of ${name}>`);
  for (const config of side.mirror.list('KubeadmConfig', namespace))
    tokens.set(specToken(config), `<token of ${config.metadata.name}>`);
  tokens.delete('');
  tokens.delete('abcdef.0123456789abcdef');
  return tokens;
}

/** An object without times, versions and what the player wrote to have it looked at. */
function normalised(object: Loose, names: Names, { touched }: Scene): Json {
  const { metadata, apiVersion: _version, kind: _kind, ...rest } = object;
  const generation = metadata.generation ?? 0;
  const { [touched]: _touched, ...annotations } = metadata.annotations ?? {};
  const kept = {
    labels: metadata.labels ?? {},
    annotations,
    ownerReferences: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
  const data = rest.data;
  const body = {
    metadata: kept,
    ...rest,
    ...(object.kind === 'Secret' && data !== undefined ? { data: decodedData(data) } : {}),
  };
  return walk(body, '', (value, key) => {
    if (key === 'observedGeneration')
      return value === generation ? 'of this generation' : `${generation - Number(value)} behind`;
    if (key === 'lastTransitionTime') return 'some time';
    if (key === 'cluster.x-k8s.io/conversion-data') return 'some data';
    return typeof value === 'string' ? named(value, names) : value;
  }) as Json;
}

function decodedData(data: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

/** Conditions become an object by type: their order says nothing. */
function walk(value: unknown, key: string, visit: (value: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) {
    if (key === 'conditions') {
      const byType = value as readonly { readonly type: string }[];
      return Object.fromEntries(byType.map((each) => [each.type, walk(each, '', visit)]));
    }
    return value.map((each) => walk(each, '', visit));
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, walk(each, name, visit)]));
  return visit(value, key);
}
