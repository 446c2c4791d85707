// What the reconcilers of clusters, machines and pools share: the mirrors, due times, notes, and small writes.
import { rfc3339 } from '../core.js';
import type { Mirror } from './mirror.js';
import type { KubeObject, Resource } from '../../api/rest.js';
import type { ClusterName, Delays, InfrastructureNote, InfrastructureOptions } from './ports.js';
import {
  clusterLabel,
  controllerReference,
  kubeadmConfigs,
  targetOf,
  type Bootstrap,
  type Cluster,
  type Condition,
  type DemoMachine,
  type KubeadmConfig,
  type Machine,
  type MachinePool,
} from './resources.js';

/** The shared inside of one infrastructure. */
export interface World {
  readonly options: InfrastructureOptions;
  readonly delays: Delays;
  readonly clusters: Mirror<Cluster>;
  readonly machines: Mirror<Machine>;
  readonly pools: Mirror<MachinePool>;
  /** Null where Machines are ours: then nobody needs infrastructure objects. */
  readonly demoMachines: Mirror<DemoMachine> | null;
  readonly configs: Mirror<KubeadmConfig>;
  /** Milliseconds until a step that began when it was first asked about; 0 when it is time. */
  remaining(step: string, range: readonly [number, number]): number;
  /** Forgets the steps of something that is gone. */
  forget(prefix: string): void;
  note(note: InfrastructureNote): void;
  /** Has a cluster looked at again. */
  wakeCluster(cluster: ClusterName): void;
  now(): string;
}

/** What a look at something needs the next time: milliseconds, or null for nothing. */
export type Wait = number | null;

/** Due times by step, in memory: a restart begins steps again. */
export function createSteps(options: InfrastructureOptions): Pick<World, 'remaining' | 'forget'> {
  const due = new Map<string, number>();
  return {
    remaining(step, [least, most]) {
      const now = options.clock.nowMs();
      const known = due.get(step);
      const at = known ?? now + least + options.random.next() * (most - least);
      if (known === undefined) due.set(step, at);
      return Math.max(0, Math.ceil(at - now));
    },
    forget(prefix) {
      for (const step of [...due.keys()]) if (step.startsWith(prefix)) due.delete(step);
    },
  };
}

/** Time as objects have it. */
export function timeText(options: InfrastructureOptions): string {
  return rfc3339(options.clock.nowMs());
}

/** Whether the infrastructure keeps its hands off. */
export function isPaused(cluster: Cluster, object: KubeObject): boolean {
  return cluster.spec?.paused === true || object.metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
}

/** `host:port` of a cluster, or null before it has one. */
export function endpointOf(cluster: Cluster): string | null {
  const { host = '', port = 0 } = cluster.spec?.controlPlaneEndpoint ?? {};
  if (host === '' || port === 0) return null;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Puts an object under its cluster: label, owner and finalizer, as the core controllers do. True when it wrote. */
export async function adopt(
  world: World,
  resource: Resource,
  object: KubeObject,
  owner: KubeObject,
  options: { readonly cluster: string; readonly controller: boolean; readonly finalizer: string | null },
): Promise<boolean> {
  const { labels = {}, ownerReferences = [], finalizers = [], resourceVersion } = object.metadata;
  const uid = owner.metadata.uid ?? '';
  const own = ownerReferences.find((reference) => reference.uid === uid);
  const isOwned = own !== undefined && (!options.controller || own.controller === true);
  const isHeld = options.finalizer === null || finalizers.includes(options.finalizer);
  if (isOwned && isHeld && labels[clusterLabel] === options.cluster) return false;
  const { apiVersion, kind } = owner;
  const reference = options.controller
    ? controllerReference(owner)
    : { apiVersion, kind, name: owner.metadata.name, uid };
  const metadata = {
    resourceVersion,
    labels: { [clusterLabel]: options.cluster },
    ownerReferences: isOwned ? ownerReferences : [...ownerReferences.filter((other) => other.uid !== uid), reference],
    finalizers: isHeld ? finalizers : [...finalizers, options.finalizer],
  };
  await world.options.client.mergePatch(targetOf(resource, object), { metadata });
  return true;
}

/** Takes a finalizer away. */
export async function release(world: World, resource: Resource, object: KubeObject, finalizer: string): Promise<void> {
  const { finalizers = [], resourceVersion } = object.metadata;
  if (!finalizers.includes(finalizer)) return;
  const metadata = { resourceVersion, finalizers: finalizers.filter((other) => other !== finalizer) };
  await world.options.client.mergePatch(targetOf(resource, object), { metadata });
}

/** The KubeadmConfig that a Machine or pool refers to, once it is there. */
export function configOf(world: World, owner: KubeObject, bootstrap: Bootstrap): KubeadmConfig | undefined {
  const { configRef } = bootstrap;
  if (configRef === undefined || configRef.kind !== kubeadmConfigs.kind) return undefined;
  return world.configs.get(owner.metadata.namespace ?? '', configRef.name);
}

/** The name of the data Secret that a KubeadmConfig reports, or null. */
export function reportedSecret(config: KubeadmConfig): string | null {
  const { dataSecretName = '', initialization } = config.status ?? {};
  return initialization?.dataSecretCreated === true && dataSecretName !== '' ? dataSecretName : null;
}

/** A list of conditions with one of them set; its time moves only with its status. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] {
  const old = (conditions ?? []).find(({ type }) => type === next.type);
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : now;
  const others = (conditions ?? []).filter(({ type }) => type !== next.type);
  return [...others, { ...next, lastTransitionTime }];
}

/** Whether a condition is True. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return (conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}
