// When the world of `demo` has settled: every actor rests, every node is there, and nobody has written for a while.

import type { ApiObject } from '../embedded/types.js';
import type { Clock } from '../host/contract.js';
import { deletingOf } from './demo-deletion.js';
import type { DemoWorld } from './demo-world.js';
import { seenActor } from './demo-progress.js';

/** States in which a KubeadmConfig's actor rests. */
const RESTING = new Set(['Done', 'TokenMonitoring']);

/** When the last write happened, anywhere in the world. */
export interface WriteWatch {
  silentMs(): number;
}

/** Watches the writes of the management cluster and of every workload cluster. */
export function watchWrites(world: DemoWorld, clock: Clock): WriteWatch {
  let lastMs = clock.monotonicMs();
  const seen = new Set<object>();
  const listen = (server: DemoWorld['management']): void => {
    if (seen.has(server)) return;
    seen.add(server);
    server.store.subscribe((event) => {
      if (!event.resource.endsWith('/leases')) lastMs = clock.monotonicMs();
    });
  };
  listen(world.management);
  return {
    silentMs() {
      for (const server of world.workloads.all()) listen(server);
      return clock.monotonicMs() - lastMs;
    },
  };
}

/** Something that has not arrived. */
export interface Unsettled {
  readonly what: string;
  /** The actor that can say why, by its machine. */
  readonly actor: { readonly machine: string; readonly namespace: string; readonly name: string } | null;
}

/** What has not arrived, as sentences. */
export function unsettledOf(world: DemoWorld): readonly Unsettled[] {
  const { store } = world.management;
  const configs = store.list('kubeadmconfigs.bootstrap.cluster.x-k8s.io').flatMap((object): Unsettled[] => {
    const actor = seenActor(object, 0);
    if (RESTING.has(actor.state)) return [];
    const { namespace, name } = actor;
    const what = `KubeadmConfig ${namespace}/${name} is in ${actor.state || 'no state'}`;
    return [{ what, actor: { machine: 'kubeadmconfig', namespace, name } }];
  });
  const machines = store.list('machines.cluster.x-k8s.io').flatMap((object): Unsettled[] => {
    const { namespace = '', name, deletionTimestamp } = object.metadata;
    const actor = { machine: 'machine', namespace, name };
    if (deletionTimestamp !== undefined) {
      const { reason = 'being deleted' } = deletingOf(object) ?? {};
      return [{ what: `Machine ${nameOf(object)} is not gone: ${reason}`, actor }];
    }
    return hasNode(object) ? [] : [{ what: `Machine ${nameOf(object)} has no node`, actor }];
  });
  const pools = store.list('machinepools.cluster.x-k8s.io').flatMap((object): Unsettled[] => {
    const { spec = {}, status = {} } = object as {
      readonly spec?: { readonly replicas?: number };
      readonly status?: { readonly nodeRefs?: readonly object[] };
    };
    const want = spec.replicas ?? 1;
    const have = status.nodeRefs?.length ?? 0;
    return have >= want ? [] : [{ what: `MachinePool ${nameOf(object)} has ${have} of ${want} nodes`, actor: null }];
  });
  return [...configs, ...machines, ...pools];
}

function hasNode(object: ApiObject): boolean {
  const { status = {} } = object as { readonly status?: { readonly nodeRef?: { readonly name?: string } } };
  return status.nodeRef?.name !== undefined;
}

function nameOf(object: ApiObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}
