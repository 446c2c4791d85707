// The objects of one evaluation without a cluster: which KubeadmConfig, its owner, its Cluster, and what they refer to.
//
// The stream is taken for the whole world: what is not in it does not exist. An object that never was in a cluster (no
// uid) cannot have owner references yet; its owner is then the Machine or MachinePool whose configRef names it.
import type { Cluster, KubernetesObject } from '../api/core.js';
import type { KubeadmConfig } from '../api/kubeadmconfig/v1beta2.js';
import { group } from '../api/names.js';
import type { ControlPlaneVersion, SecretRead, SecretReads } from './bootstrap-types.js';
import { listOf, memberOf, textOf, textsOf } from './loose-json.js';

/** Objects in memory, by kind and name. */
export interface World {
  readonly objects: readonly KubernetesObject[];
}

/** The KubeadmConfig with what stands around it, or why the reconciler would not even start. */
export type Surroundings =
  | {
      readonly kind: 'found';
      readonly owner: KubernetesObject;
      readonly cluster: Cluster;
    }
  | { readonly kind: 'waiting'; readonly message: string };

/** Finds owner and Cluster. */
export function surroundings(world: World, config: KubeadmConfig, hasMachinePools: boolean): Surroundings {
  const wait = (message: string): Surroundings => ({ kind: 'waiting', message });
  const kinds = hasMachinePools ? ['Machine', 'MachinePool'] : ['Machine'];
  const reference = ownerReference(world, config, kinds);
  if (reference === null) return wait('no Machine or MachinePool owns it yet');
  const namespace = textOf(config.metadata.namespace);
  const owner = find(world, { group: group.cluster, kind: reference.kind, namespace, name: reference.name });
  if (owner === undefined) return wait(`its owner ${reference.kind} ${namespace}/${reference.name} does not exist`);
  const clusterName = textOf(memberOf(owner, 'spec', 'clusterName'));
  const cluster = find(world, { group: group.cluster, kind: 'Cluster', namespace, name: clusterName });
  if (cluster === undefined) return wait(`its Cluster ${namespace}/${clusterName} does not exist`);
  return { kind: 'found', owner, cluster: cluster as Cluster };
}

/** Reads of all Secrets in a namespace. */
export function secretReads(world: World, namespace: string): SecretReads {
  const reads = new Map<string, SecretRead>();
  for (const object of world.objects) {
    if (object.kind !== 'Secret' || textOf(object.metadata.namespace) !== namespace) continue;
    const given = Object.entries(textsOf(memberOf(object, 'stringData')));
    const encoded = given.map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const data = { ...textsOf(memberOf(object, 'data')), ...Object.fromEntries(encoded) };
    reads.set(textOf(object.metadata.name), { kind: 'found', data });
  }
  return reads;
}

/** The version of the Cluster's control plane object. */
export function controlPlaneVersion(world: World, cluster: Cluster): ControlPlaneVersion {
  const ref = memberOf(cluster, 'spec', 'controlPlaneRef');
  const [apiGroup = '', kind = '', name = ''] = ['apiGroup', 'kind', 'name'].map((part) => textOf(memberOf(ref, part)));
  if (apiGroup + kind + name === '') return { kind: 'absent' };
  const namespace = textOf(cluster.metadata.namespace);
  const object = find(world, { group: apiGroup, kind, namespace, name });
  if (object === undefined) {
    const resource = `${kind.toLowerCase()}s.${apiGroup}`;
    return {
      kind: 'failed',
      cause: `failed to retrieve ${kind} ${namespace}/${name}: ${resource} "${name}" not found`,
    };
  }
  const version = textOf(memberOf(object, 'spec', 'version'));
  return version === '' ? { kind: 'absent' } : { kind: 'version', version };
}

/** Who holds the init lock, if another living Machine does. */
export function initLockHolder(world: World, cluster: Cluster, machineName: string): string | null {
  const namespace = textOf(cluster.metadata.namespace);
  const name = `${textOf(cluster.metadata.name)}-lock`;
  const lock = find(world, { group: '', kind: 'ConfigMap', namespace, name });
  if (lock === undefined) return null;
  const holder = lockHolderName(textOf(memberOf(lock, 'data', 'lock-information')));
  if (holder === null) return `ConfigMap ${namespace}/${name} (which cannot be read)`;
  if (holder === machineName) return null;
  const machine = find(world, { group: group.cluster, kind: 'Machine', namespace, name: holder });
  return machine === undefined ? null : `Machine ${namespace}/${holder}`;
}

/** The object of that group, kind and name; any version of the group will do. */
export function find(
  world: World,
  wanted: { readonly group: string; readonly kind: string; readonly namespace: string; readonly name: string },
): KubernetesObject | undefined {
  return world.objects.find(
    ({ apiVersion, kind, metadata }) =>
      kind === wanted.kind &&
      groupOf(textOf(apiVersion)) === wanted.group &&
      textOf(metadata.name) === wanted.name &&
      textOf(metadata.namespace) === wanted.namespace,
  );
}

function ownerReference(
  world: World,
  config: KubeadmConfig,
  kinds: readonly string[],
): { readonly kind: string; readonly name: string } | null {
  for (const reference of listOf(config.metadata.ownerReferences)) {
    const kind = textOf(memberOf(reference, 'kind'));
    const isOwner = groupOf(textOf(memberOf(reference, 'apiVersion'))) === group.cluster && kinds.includes(kind);
    if (isOwner) return { kind, name: textOf(memberOf(reference, 'name')) };
  }
  if (config.metadata.uid !== undefined) return null;
  const named = world.objects.find((object) => kinds.includes(textOf(object.kind)) && isConfiguredBy(object, config));
  return named === undefined ? null : { kind: textOf(named.kind), name: textOf(named.metadata.name) };
}

/** Whether the configRef of a Machine or MachinePool names this KubeadmConfig. */
function isConfiguredBy(owner: KubernetesObject, { metadata }: KubeadmConfig): boolean {
  const spec = owner.kind === 'Machine' ? ['spec'] : ['spec', 'template', 'spec'];
  const ref = memberOf(owner, ...spec, 'bootstrap', 'configRef');
  const isSameNamespace = textOf(owner.metadata.namespace) === textOf(metadata.namespace);
  return isSameNamespace && memberOf(ref, 'kind') === 'KubeadmConfig' && memberOf(ref, 'name') === metadata.name;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

function lockHolderName(information: string): string | null {
  try {
    return textOf(memberOf(JSON.parse(information), 'machineName')) || null;
  } catch {
    return null;
  }
}
