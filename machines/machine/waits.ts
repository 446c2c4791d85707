// What would end each wait of a Machine, for `explain` and the inspector: an object, what about it, and what a person can do.
//
// A remedy names the exact annotation, field or object. The waits of a deletion's steps are in waits-deletion.ts.

import type { WaitsFor } from '../kit/row.js';
import type { MachineFacts } from './facts.js';
import { condition } from './names.js';

/** What is waited for, from facts. */
export type Wait = (facts: MachineFacts) => WaitsFor;

const clusterApi = 'cluster.x-k8s.io/v1beta2';
/** The Machine, as a part of what is waited for. */
export const self = ({ machine }: MachineFacts): Pick<WaitsFor, 'apiVersion' | 'kind' | 'namespace' | 'name'> => ({
  apiVersion: clusterApi,
  kind: 'Machine',
  namespace: machine.namespace,
  name: machine.name,
});

/** Its Cluster, as a part of what is waited for. */
export const cluster = ({ machine }: MachineFacts): Pick<WaitsFor, 'apiVersion' | 'kind' | 'namespace' | 'name'> => ({
  apiVersion: clusterApi,
  kind: 'Cluster',
  namespace: machine.namespace,
  name: machine.clusterName,
});

/** An external object, as a part of what is waited for. */
export function external(
  facts: MachineFacts,
  which: 'bootstrap' | 'infrastructure',
): Pick<WaitsFor, 'apiVersion' | 'kind' | 'namespace' | 'name'> {
  const reading = facts[which] ?? facts.infrastructure;
  return {
    apiVersion: reading.apiVersion,
    kind: reading.objectKind,
    namespace: facts.machine.namespace,
    name: reading.objectName,
  };
}

/** The Cluster is not there. */
export const waitForCluster: Wait = (facts) => ({
  ...cluster(facts),
  what: 'to exist',
  remedy:
    facts.machine.deletingSinceMs === null
      ? `Create Cluster ${facts.machine.clusterName}.`
      : `Create Cluster ${facts.machine.clusterName} again so that the Machine can be cleaned up, or, once its infrastructure is known to be gone, remove the finalizer machine.cluster.x-k8s.io from the Machine.`,
});

/** The Machine or its Cluster is paused. */
export const waitForUnpause: Wait = (facts) =>
  facts.cluster?.isPaused === true
    ? { ...cluster(facts), what: 'spec.paused to be false', remedy: 'Set spec.paused of the Cluster to false.' }
    : {
        ...self(facts),
        what: 'the annotation cluster.x-k8s.io/paused to be removed',
        remedy: 'Remove the annotation cluster.x-k8s.io/paused from the Machine.',
      };

/** An owner is not there. */
export const waitForOwner: Wait = (facts) => ({
  apiVersion: clusterApi,
  kind: facts.missingOwner?.kind ?? 'MachineSet',
  namespace: facts.machine.namespace,
  name: facts.missingOwner?.name ?? '',
  what: 'to exist',
  remedy: `Create the ${facts.missingOwner?.kind ?? 'owner'} again, or remove its owner reference from the Machine.`,
});

/** The workload cluster does not answer, or nobody knows how to reach it. */
export function connection(facts: MachineFacts): WaitsFor {
  const { clusterName, namespace } = facts.machine;
  const secret = `Secret ${namespace}/${clusterName}-kubeconfig`;
  const cause = facts.node.kind === 'unreachable' ? facts.node.message.replace(connectionPrefix, '') : '';
  const told = cause === '' ? '' : `: ${cause}`;
  if (cause.includes('kubeconfig')) {
    return {
      ...cluster(facts),
      what: `${secret} with a kubeconfig that can be used${told}`,
      remedy: `Create or repair ${secret}: its key \`value\` holds the kubeconfig of the workload cluster.`,
    };
  }
  const since = unreachableSince(facts);
  return {
    ...cluster(facts),
    what: `its API server to answer${since === '' ? '' : ` (unreachable since ${since})`}${told}`,
    remedy: `Make the address in ${secret} reachable from here.`,
  };
}

const connectionPrefix = /^error getting client: connection to the workload cluster is down:? ?/;

/** Since when: as this process knows it, else as a condition has recorded it; empty for neither. */
function unreachableSince({ connection: { downSinceMs }, status }: MachineFacts): string {
  if (downSinceMs !== null) return `${new Date(downSinceMs).toISOString().slice(0, 19)}Z`;
  const recorded = status.conditions?.find(({ type }) => type === condition.nodeHealthy)?.message ?? '';
  return /^Last successful probe at (\S+)$/.exec(recorded)?.[1] ?? '';
}

/** The control plane object cannot be read. */
export const waitForControlPlane: Wait = (facts) => ({
  ...cluster(facts),
  what: 'the object of spec.controlPlaneRef to be readable',
  remedy: `Correct spec.controlPlaneRef of the Cluster, or let its object be read${
    facts.controlPlane.kind === 'unreadable' ? `: ${facts.controlPlane.message}` : '.'
  }`,
});
