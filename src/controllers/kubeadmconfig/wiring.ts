// Which change wakes whom: exactly those who wait for it, at once.
//
//   W1. A change of the object itself, of its owner or of its Cluster wakes it, if anything changed that is read of them.
//   W2. A lock that goes wakes the control planes of its cluster that have no data; so does a holder that goes. A lock that is
//       seen only after its cluster was initialised wakes its holder.
//   W3. A Secret wakes those whose last failure names it, and the KubeadmConfig whose data it holds. A connection wakes those
//       whose last failure was to have none.
//   W4. Lists tell what there is, not what changed: they end no backoff and make no token due.
//   W5. Of those whom a Cluster wakes they come first who can go on now: somebody waits for their data.
import { group, label } from '../../api/names.js';
import { isControlPlaneInitialized } from '../../bootstrap/cluster-facts.js';
import type { Key, WakeCause } from '../../host/contract.js';
import type { CacheChange } from '../../kube/contract.js';
import { kubeconfigSecretName } from '../../kube/kubeconfig-secrets.js';
import { CLUSTER_INDEX, OWNER_INDEX, ownerKey } from './indexes.js';
import { isConfigLost, lockName, parseLock } from './lock-view.js';
import type { Memory } from './memory.js';
import { isSame } from './merge-diff.js';
import {
  isKubeadmConfigReference,
  kinds,
  type CachedSecret,
  type StoredCluster,
  type StoredConfig,
  type StoredConfigMap,
  type StoredMachine,
  type StoredMachinePool,
} from './objects.js';
import { dataSecretNameOf } from './owner.js';
import type { Caches, Ports } from './ports.js';

/** Wakes the actor of a key. */
export type Wake = (key: Key, cause: WakeCause) => void;

/** Subscribes to everything; returns the way out. */
export function wireCaches(
  ports: Pick<Ports, 'caches' | 'secretNames' | 'workload'>,
  memory: Memory,
  wake: Wake,
): () => void {
  const { caches, secretNames, workload } = ports;
  const world: Wires = { caches, memory, wake };
  const ends = [
    caches.configs.subscribe((change) => onConfig(world, change)),
    caches.machines.subscribe((change) => onMachine(world, change)),
    caches.machinePools?.subscribe((change) => onPool(world, change)),
    caches.clusters.subscribe((change) => onCluster(world, change)),
    caches.configMaps.subscribe((change) => onConfigMap(world, change)),
    caches.secrets.subscribe((change) => onSecret(world, change)),
    secretNames?.subscribe((change) => {
      if (change.kind === 'changed') wakeWaiters(world, 'Secret', change.namespace, change.name);
      else
        for (const [key, { namespace, name }] of memory.waitersForKind('Secret'))
          wake(key, objectCause('Secret', namespace, name));
    }),
    workload.subscribe(({ namespace, name }) => {
      const kubeconfig = { kind: 'Secret', namespace, name: kubeconfigSecretName(name) };
      for (const key of memory.waitersFor(kubeconfig)) wake(key, { kind: 'connection', cluster: name });
    }),
  ];
  return () => ends.forEach((end) => end?.());
}

/** Whether what is woken for a cause may cut an error backoff short. */
export function endsBackoff(
  cause: WakeCause,
  failure: {
    readonly kind: string;
    readonly object?: { readonly kind: string; readonly namespace: string; readonly name: string };
  } | null,
): boolean {
  switch (cause.kind) {
    case 'self':
      return true;
    case 'connection':
      return failure?.kind === 'WorkloadUnreachable';
    case 'object': {
      if (['Machine', 'MachinePool', 'Cluster'].includes(cause.objectKind)) return true;
      const { object } = failure ?? {};
      return object?.kind === cause.objectKind && object.namespace === cause.namespace && object.name === cause.name;
    }
    case 'sync':
    case 'timer':
      return false;
  }
}

interface Wires {
  readonly caches: Caches;
  readonly memory: Memory;
  readonly wake: Wake;
}

type ObjectCause = Extract<WakeCause, { readonly kind: 'object' }>;

const objectCause = (objectKind: string, namespace: string, name: string): ObjectCause => ({
  kind: 'object',
  objectKind,
  namespace,
  name,
});

function onConfig(world: Wires, { type, sync, before, after }: CacheChange<StoredConfig>): void {
  const config = after ?? before;
  if (config === undefined) return;
  const { memory, wake } = world;
  const { namespace = '', name, resourceVersion = '' } = config.metadata;
  const key = `${namespace}/${name}`;
  const isOwn = memory.hasWritten(key, resourceVersion);
  if (type === 'updated' && !isOwn && isSame(contentOf(before), contentOf(after))) return;
  if (type === 'deleted') memory.forget(key);
  else if (!sync) memory.touch(key, resourceVersion);
  const isSelf = isOwn || (!sync && (type !== 'updated' || isWish(before, after)));
  wake(
    key,
    isSelf ? { kind: 'self', resourceVersion, before: before?.metadata.resourceVersion ?? '' } : { kind: 'sync' },
  );
  if (type === 'deleted' || (isConfigLost(config) && !isConfigLost(before ?? null))) wakeRivalsOfConfig(world, config);
}

/** A KubeadmConfig without the marks of its writes: those alone are no news. */
function contentOf(config: StoredConfig | undefined): unknown {
  if (config === undefined) return undefined;
  const { resourceVersion: _version, managedFields: _fields, ...metadata } = config.metadata;
  return { ...config, metadata };
}

/** Whether somebody changed what they want, not only what is reported. */
function isWish(before: StoredConfig | undefined, after: StoredConfig | undefined): boolean {
  const one = before?.metadata;
  const other = after?.metadata;
  return (
    one?.generation !== other?.generation ||
    one?.deletionTimestamp !== other?.deletionTimestamp ||
    !isSame(one?.annotations, other?.annotations) ||
    !isSame(one?.labels, other?.labels) ||
    !isSame(one?.ownerReferences, other?.ownerReferences)
  );
}

function onMachine(world: Wires, change: CacheChange<StoredMachine>): void {
  onOwner(world, 'Machine', change);
  const { before, after } = change;
  const machine = after ?? before;
  if (machine === undefined) return;
  const isHolderNews =
    change.type === 'deleted' ||
    before?.metadata.uid !== after?.metadata.uid ||
    (before !== undefined && after !== undefined && dataSecretNameOf(before) !== dataSecretNameOf(after));
  if (isHolderNews) wakeRivalsOfHolder(world, machine);
}

function onPool(world: Wires, change: CacheChange<StoredMachinePool>): void {
  onOwner(world, 'MachinePool', change);
}

function onOwner(
  { caches, memory, wake }: Wires,
  kind: 'Machine' | 'MachinePool',
  { type, sync, before, after }: CacheChange<StoredMachine | StoredMachinePool>,
): void {
  const owner = after ?? before;
  if (owner === undefined || !isOwnerNews(type, before, after)) return;
  const { namespace = '', name } = owner.metadata;
  for (const key of keysOfOwner(caches, kind, owner)) {
    if (!sync && type === 'updated') memory.touch(key, null);
    wake(key, sync ? { kind: 'sync' } : objectCause(kind, namespace, name));
  }
}

/** Whether anything changed that is read of an owner. Its status is patched ten times while its node comes up. */
function isOwnerNews(
  type: CacheChange<StoredMachine>['type'],
  before: StoredMachine | StoredMachinePool | undefined,
  after: StoredMachine | StoredMachinePool | undefined,
): boolean {
  if (type !== 'updated' || before === undefined || after === undefined) return true;
  const read = ({ metadata, spec, status }: StoredMachine | StoredMachinePool): unknown => {
    const { uid, labels, annotations, ownerReferences } = metadata;
    const { nodeRef, nodeRefs } = (status ?? {}) as { readonly nodeRef?: unknown; readonly nodeRefs?: unknown };
    return [uid, labels, annotations, ownerReferences, spec, nodeRef, nodeRefs];
  };
  return !isSame(read(before), read(after));
}

function onCluster({ caches, wake }: Wires, { type, sync, before, after }: CacheChange<StoredCluster>): void {
  const cluster = after ?? before;
  if (cluster === undefined) return;
  const { namespace = '', name } = cluster.metadata;
  const concerns =
    type === 'updated' && before !== undefined && after !== undefined ? clusterNews(before, after) : 'all';
  if (concerns === 'nobody') return;
  const cause = objectCause('Cluster', namespace, name);
  for (const [key, { isControlPlane }] of actorsOfCluster(caches, namespace, name)) {
    const isWaiting = isWithoutData(caches, key);
    if (concerns !== 'all' && !isWaiting && !isHolder(caches, cluster, key)) continue;
    const canGoOn = isWaiting && isReadyFor(cluster, isControlPlane);
    wake(key, sync ? { kind: 'sync' } : canGoOn ? cause : { ...cause, priority: 'low' });
  }
}

/** Whether data can be made now, as far as the Cluster tells: the first control plane waits for infrastructure, others for it. */
function isReadyFor(cluster: StoredCluster, isControlPlane: boolean): boolean {
  if (cluster.status?.initialization?.infrastructureProvisioned !== true) return false;
  return isControlPlane || isControlPlaneInitialized(cluster);
}

/** Whom a change of a Cluster concerns: what is only rendered concerns those who have nothing rendered yet. */
function clusterNews(before: StoredCluster, after: StoredCluster): 'all' | 'waiting' | 'nobody' {
  const forAll = ({ metadata, spec, status }: StoredCluster): unknown => [
    metadata.uid,
    spec?.paused === true,
    status?.initialization?.infrastructureProvisioned === true,
  ];
  if (!isSame(forAll(before), forAll(after))) return 'all';
  const forWaiting = (cluster: StoredCluster): unknown => [
    isControlPlaneInitialized(cluster),
    cluster.spec?.controlPlaneEndpoint,
    cluster.spec?.controlPlaneRef,
    cluster.spec?.clusterNetwork,
  ];
  return isSame(forWaiting(before), forWaiting(after)) ? 'nobody' : 'waiting';
}

function onConfigMap(world: Wires, { type, sync, before, after }: CacheChange<StoredConfigMap>): void {
  const configMap = after ?? before;
  if (configMap === undefined) return;
  const { namespace = '', name, ownerReferences } = configMap.metadata;
  const owner = ownerReferences?.find(({ kind }) => kind === 'Cluster')?.name;
  const cluster = owner ?? name.replace(/-lock$/, '');
  if (name !== lockName(cluster)) return;
  if (after !== undefined) wakeHolderOfLeftOver(world, after, cluster);
  if (!sync && type !== 'added') wakeRivals(world, namespace, cluster);
}

/** A lock whose cluster was initialised before the lock was seen: nothing else would wake its holder. */
function wakeHolderOfLeftOver({ caches, wake }: Wires, lock: StoredConfigMap, name: string): void {
  const { namespace = '' } = lock.metadata;
  const cluster = caches.clusters.get(namespace, name);
  if (cluster === undefined || !isControlPlaneInitialized(cluster)) return;
  for (const key of actorsOfCluster(caches, namespace, name).keys()) {
    if (isHolder(caches, cluster, key)) wake(key, objectCause('ConfigMap', namespace, lock.metadata.name));
  }
}

function onSecret(world: Wires, { type, sync, before, after }: CacheChange<CachedSecret>): void {
  const secret = after ?? before;
  if (secret === undefined) return;
  const { namespace = '', name } = secret.metadata;
  if (!sync) wakeWaiters(world, 'Secret', namespace, name);
  const cause: WakeCause = sync ? { kind: 'sync' } : objectCause('Secret', namespace, name);
  const key = `${namespace}/${name}`;
  if (world.caches.configs.get(namespace, name) !== undefined) {
    const seen = ({ metadata }: CachedSecret): unknown => [
      metadata.uid,
      metadata.deletionTimestamp,
      metadata.ownerReferences,
      metadata.annotations,
    ];
    const isNews =
      type !== 'updated' || before === undefined || after === undefined || !isSame(seen(before), seen(after));
    // A Secret that we have just created is no news: the turn that did it goes on.
    const isOurs = type === 'added' && secret.metadata.ownerReferences?.some(isKubeadmConfigReference) === true;
    if (isNews && !isOurs) world.wake(key, cause);
    return;
  }
  if (type === 'deleted') {
    wakeRivalsOfLostData(world, secret);
    return;
  }
  for (const reference of secret.metadata.ownerReferences ?? []) {
    if (isKubeadmConfigReference(reference)) world.wake(`${namespace}/${reference.name}`, cause);
  }
}

function wakeWaiters({ memory, wake }: Wires, kind: string, namespace: string, name: string): void {
  for (const key of memory.waitersFor({ kind, namespace, name })) wake(key, objectCause(kind, namespace, name));
}

/** The control planes of a cluster that have no data: they want the lock. */
function wakeRivals({ caches, wake }: Wires, namespace: string, cluster: string): void {
  for (const machine of caches.machines.byIndex(CLUSTER_INDEX, `${namespace}/${cluster}`)) {
    if (machine.metadata.labels?.[label.controlPlane] === undefined) continue;
    for (const key of keysOfOwner(caches, 'Machine', machine)) {
      if (isWithoutData(caches, key)) wake(key, objectCause('ConfigMap', namespace, lockName(cluster)));
    }
  }
}

/** Something about a Machine may have freed the lock that it holds. */
function wakeRivalsOfHolder(world: Wires, { metadata, spec }: StoredMachine): void {
  const { namespace = '', name } = metadata;
  const cluster = spec?.clusterName ?? '';
  if (holderName(world.caches, namespace, cluster) === name) wakeRivals(world, namespace, cluster);
}

function wakeRivalsOfConfig(world: Wires, { metadata }: StoredConfig): void {
  const { namespace = '', ownerReferences = [] } = metadata;
  for (const { kind, name } of ownerReferences) {
    const machine = kind === 'Machine' ? world.caches.machines.get(namespace, name) : undefined;
    if (machine !== undefined) wakeRivalsOfHolder(world, machine);
  }
}

/** Data whose KubeadmConfig has gone keeps its Machine's lock: it is free once the data has gone, too. */
function wakeRivalsOfLostData(world: Wires, { metadata }: CachedSecret): void {
  const { namespace = '', name } = metadata;
  const cluster = metadata.labels?.[label.clusterName] ?? '';
  const holder = holderName(world.caches, namespace, cluster);
  const machine = holder === null ? undefined : world.caches.machines.get(namespace, holder);
  if (machine?.spec?.bootstrap?.configRef?.name === name) wakeRivals(world, namespace, cluster);
}

/** Who holds a cluster's lock; null when nobody does, or when it cannot be read. */
function holderName(caches: Caches, namespace: string, cluster: string): string | null {
  const lock = caches.configMaps.get(namespace, lockName(cluster));
  const information = lock === undefined ? null : parseLock(lock);
  return information !== null && 'machineName' in information ? information.machineName : null;
}

function isWithoutData(caches: Caches, key: Key): boolean {
  const slash = key.indexOf('/');
  return (
    caches.configs.get(key.slice(0, slash), key.slice(slash + 1))?.status?.initialization?.dataSecretCreated !== true
  );
}

/** Whether the init lock of a cluster is this key's: it is released as soon as the control plane is initialised. */
function isHolder(caches: Caches, cluster: StoredCluster, key: Key): boolean {
  const { namespace = '', name } = cluster.metadata;
  const lock = caches.configMaps.get(namespace, lockName(name));
  if (lock === undefined) return false;
  const information = parseLock(lock);
  if ('problem' in information) return true;
  const machine = caches.machines.get(namespace, information.machineName);
  return machine === undefined || keysOfOwner(caches, 'Machine', machine).includes(key);
}

/** The KubeadmConfigs of an owner: the one it names, and those that name it. */
function keysOfOwner(
  caches: Caches,
  kind: 'Machine' | 'MachinePool',
  owner: StoredMachine | StoredMachinePool,
): readonly Key[] {
  const { namespace = '', name } = owner.metadata;
  const spec = owner.spec as Partial<StoredMachine['spec']> & Partial<StoredMachinePool['spec']>;
  const reference = (kind === 'Machine' ? spec?.bootstrap : spec?.template?.spec?.bootstrap)?.configRef;
  const isConfig = reference?.kind === kinds.kubeadmConfig.kind && reference.apiGroup === group.bootstrap;
  const named = isConfig ? [`${namespace}/${reference.name}`] : [];
  const naming = caches.configs
    .byIndex(OWNER_INDEX, ownerKey(namespace, kind, name))
    .map(({ metadata }) => `${namespace}/${metadata.name}`);
  return [...new Set([...named, ...naming])];
}

/** The KubeadmConfigs of a cluster's Machines and MachinePools. */
function actorsOfCluster(
  caches: Caches,
  namespace: string,
  name: string,
): ReadonlyMap<Key, { readonly isControlPlane: boolean }> {
  const cluster = `${namespace}/${name}`;
  const actors = new Map<Key, { readonly isControlPlane: boolean }>();
  for (const machine of caches.machines.byIndex(CLUSTER_INDEX, cluster)) {
    const isControlPlane = machine.metadata.labels?.[label.controlPlane] !== undefined;
    for (const key of keysOfOwner(caches, 'Machine', machine)) actors.set(key, { isControlPlane });
  }
  for (const pool of caches.machinePools?.byIndex(CLUSTER_INDEX, cluster) ?? []) {
    for (const key of keysOfOwner(caches, 'MachinePool', pool)) actors.set(key, { isControlPlane: false });
  }
  return actors;
}
