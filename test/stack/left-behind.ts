// What a provider leaves behind, made comparable: KubeadmConfigs in both versions, data Secrets and CA Secrets, object by object.
//
//   LB1. What differs from run to run is replaced: generated names, uids, times, versions, tokens, keys, hashes, ports.
//   LB2. Two things of ours are left out, and nothing else: the condition ActorState and the annotation about the token.
import { parse } from 'yaml';
import { at, type Api, type Seen } from './api.js';
import { clusterLabel } from './manifests.js';
import { isControlPlane } from './state.js';

/** Normalised objects: a line each field, sorted; the key says what it is. */
export interface Left {
  readonly what: string;
  readonly lines: readonly string[];
}

const dropped: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'creationTimestamp',
  'managedFields',
  'lastTransitionTime',
  'machine-template-hash',
  'kubeadm-bootstrap-operator/token',
]);

/** Reads and normalises. */
export async function leftBehind(api: Api): Promise<readonly Left[]> {
  const [machines, configs, older, secrets] = await Promise.all([
    api.list('Machine'),
    api.list('KubeadmConfig'),
    api.list('KubeadmConfig', 'v1beta1'),
    api.list('Secret'),
  ]);
  const rename = renamer(await generatedNames(api, machines));
  const left: Left[] = [];
  const add = (what: string, object: unknown): void => {
    left.push({ what: rename(what), lines: linesOf(object).map(rename).sort() });
  };
  for (const config of configs) add(`KubeadmConfig ${config.metadata.name}`, config);
  for (const config of older) add(`KubeadmConfig v1beta1 ${config.metadata.name}`, config);
  for (const secret of secrets) {
    if (secret['type'] !== 'cluster.x-k8s.io/secret') continue;
    const owners = (secret.metadata.ownerReferences ?? []).map(({ kind }) => kind);
    const { name } = secret.metadata;
    if (owners.includes('KubeadmConfig')) add(`data Secret ${name}`, withText(secret));
    else if (/-(ca|etcd|proxy|sa)$/u.test(name)) add(`CA Secret ${name}`, withText(secret));
  }
  const key = ({ what, lines }: Left): string => `${what}\n${lines.join('\n')}`;
  return left.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Differences of two worlds, as text; empty when there are none. */
export function differences(ours: readonly Left[], other: readonly Left[]): readonly string[] {
  const found: string[] = [];
  for (const what of new Set([...ours, ...other].map((left) => left.what))) {
    const a = ours.filter((left) => left.what === what);
    const b = other.filter((left) => left.what === what);
    if (a.length !== b.length) found.push(`${what}: ${a.length} of ours, ${b.length} of theirs`);
    for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
      const mine = a[index]?.lines ?? [];
      const theirs = b[index]?.lines ?? [];
      const more = mine.filter((line) => !theirs.includes(line)).map((line) => `ours ${line}`);
      const less = theirs.filter((line) => !mine.includes(line)).map((line) => `theirs ${line}`);
      if (more.length + less.length > 0) found.push(`${what}: ${[...more, ...less].join(' | ').slice(0, 2000)}`);
    }
  }
  return [...new Set(found)];
}

/** Names that controllers made up, and what stands for them. */
async function generatedNames(api: Api, machines: readonly Seen[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const cluster = ({ metadata }: Seen): string => metadata.labels?.[clusterLabel] ?? '';
  for (const machine of machines)
    names.set(machine.metadata.name, `${cluster(machine)}-${isControlPlane(machine) ? 'cp' : 'md'}-*`);
  for (const kind of ['MachineSet', 'MachineDeployment', 'KubeadmControlPlane', 'DevMachineTemplate'] as const)
    for (const object of await api.list(kind)) names.set(object.metadata.name, `${cluster(object)}-${kind}`);
  for (const template of await api.list('KubeadmConfigTemplate'))
    if (template.metadata.name !== cluster(template))
      names.set(template.metadata.name, `${cluster(template)}-KubeadmConfigTemplate`);
  for (const object of await api.list('Cluster')) names.delete(object.metadata.name);
  return names;
}

function renamer(names: ReadonlyMap<string, string>): (text: string) => string {
  const longestFirst = [...names].sort(([a], [b]) => b.length - a.length);
  return (text) =>
    longestFirst
      .reduce((all, [name, plain]) => all.replaceAll(name, plain), text)
      .replace(/-----BEGIN ([A-Z ]+)-----[^-]*-----END [A-Z ]+-----/gu, 'PEM $1')
      .replace(/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/gu, 'TOKEN')
      .replace(/sha256:[0-9a-f]{64}/gu, 'HASH')
      .replace(/127\.0\.0\.1:\d+/gu, 'ENDPOINT')
      .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/gu, 'TIME');
}

/** A Secret's data as text; cloud-config is taken apart, so that each field is a line. */
function withText(secret: Seen): object {
  const data = Object.entries((at(secret, 'data') ?? {}) as Readonly<Record<string, string>>).map(([name, value]) => {
    const text = Buffer.from(value, 'base64').toString('utf8');
    return [name, text.includes('#cloud-config') ? { text, fields: parse(text) as unknown } : text];
  });
  return { ...secret, data: Object.fromEntries(data) as object };
}

function linesOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    const isNamed = value.every((item) => typeof at(item, 'type') === 'string');
    return value.flatMap((item: unknown, index) => {
      const step = isNamed ? String(at(item, 'type')) : String(index);
      return step === 'ActorState' ? [] : linesOf(item, `${path}.${step}`);
    });
  }
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => (dropped.has(name) ? [] : linesOf(item, `${path}.${name}`)));
  // The API's newer version, kept in an annotation of the older one.
  if (typeof value === 'string' && path.endsWith('/conversion-data')) return linesOf(JSON.parse(value), path);
  return [`${path} = ${JSON.stringify(value)?.replaceAll('\\n', '\n') ?? ''}`];
}
