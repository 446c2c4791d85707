// What would end each wait of a Machine, for `explain` and the inspector: an object, what about it, and what a person can do.
//
// A remedy names the exact annotation or field. Where only a stored condition tells (a drain that another process ran), its
// text is read: the texts of this table are the ones that are written.

import type { WaitsFor } from '../kit/row.js';
import type { DrainReport, MachineFacts } from './facts.js';
import { nodeName } from './guards.js';
import { budgetSentence, evictionPrefix, completionText, terminatingText } from './messages.js';
import { condition } from './names.js';

/** What is waited for, from facts. */
export type Wait = (facts: MachineFacts) => WaitsFor;

const clusterApi = 'cluster.x-k8s.io/v1beta2';
const skipDrain = 'machine.cluster.x-k8s.io/exclude-node-draining';
const skipVolumes = 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach';

const self = ({ machine }: MachineFacts): Pick<WaitsFor, 'apiVersion' | 'kind' | 'namespace' | 'name'> => ({
  apiVersion: clusterApi,
  kind: 'Machine',
  namespace: machine.namespace,
  name: machine.name,
});

const cluster = ({ machine }: MachineFacts): Pick<WaitsFor, 'apiVersion' | 'kind' | 'namespace' | 'name'> => ({
  apiVersion: clusterApi,
  kind: 'Cluster',
  namespace: machine.namespace,
  name: machine.clusterName,
});

function external(
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

/** A living Machine waits for data, infrastructure or its Node, whichever comes first. */
export const waitForLife: Wait = (facts) => {
  const { bootstrap, infrastructure, node, machine } = facts;
  if (infrastructure.kind === 'missing' || infrastructure.kind === 'unreadable')
    return missing(facts, 'infrastructure');
  if (bootstrap?.kind === 'missing' || bootstrap?.kind === 'unreadable') return missing(facts, 'bootstrap');
  if (bootstrap?.kind === 'found' && !bootstrap.isCompleted && machine.dataSecretName === null) {
    return {
      ...external(facts, 'bootstrap'),
      what: 'status.initialization.dataSecretCreated to be true',
      remedy: `See what the conditions of ${bootstrap.objectKind} ${bootstrap.objectName} say.`,
    };
  }
  if (infrastructure.kind === 'found' && (!infrastructure.isCompleted || infrastructure.providerId === '')) {
    const field = infrastructure.isCompleted ? 'spec.providerID' : 'status.initialization.provisioned';
    return {
      ...external(facts, 'infrastructure'),
      what: infrastructure.isCompleted ? `${field} to be set` : `${field} to be true`,
      remedy: `See what the conditions of ${infrastructure.objectKind} ${infrastructure.objectName} say.`,
    };
  }
  if (node.kind === 'unreachable' || node.kind === 'connecting') return connection(facts);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    namespace: '',
    name: nodeName(facts) ?? '',
    what: `to exist with spec.providerID ${machine.providerId}`,
    remedy: 'See the console of the machine: its kubelet has not registered a Node with this provider ID.',
  };
};

function missing(facts: MachineFacts, which: 'bootstrap' | 'infrastructure'): WaitsFor {
  const reading = facts[which];
  const message = reading?.kind === 'unreadable' ? reading.message : '';
  return {
    ...external(facts, which),
    what: message === '' ? 'to exist' : 'to be readable',
    remedy: message === '' ? `Create ${reading?.objectKind ?? ''} ${reading?.objectName ?? ''}.` : message,
  };
}

function connection(facts: MachineFacts): WaitsFor {
  const { downSinceMs } = facts.connection;
  const since = downSinceMs === null ? '' : ` (unreachable since ${new Date(downSinceMs).toISOString().slice(0, 19)}Z)`;
  return {
    ...cluster(facts),
    what: `its API server to answer${since}`,
    remedy: `Make the address in Secret ${facts.machine.clusterName}-kubeconfig reachable from here.`,
  };
}

/** The control plane object cannot be read. */
export const waitForControlPlane: Wait = (facts) => ({
  ...cluster(facts),
  what: 'the object of spec.controlPlaneRef to be readable',
  remedy: facts.controlPlane.kind === 'unreadable' ? facts.controlPlane.message : 'See the operator’s log.',
});

/** Hooks block. */
export const waitForHooks =
  (which: 'preDrainHooks' | 'preTerminateHooks'): Wait =>
  (facts) => {
    const hooks = facts.machine[which];
    return {
      ...self(facts),
      what: `the owner of each hook to remove its annotation: ${hooks.join(', ')}`,
      remedy: `See why ${hooks.map(hookOwner).join(', ')} has not finished, or remove the annotation ${hooks.join(', ')} from the Machine.`,
    };
  };

/** The part of a hook's key that names its owner. */
function hookOwner(key: string): string {
  return key.split('/')[1] ?? key;
}

/** The Node cannot be drained to the end. */
export const waitForDrain: Wait = (facts) => {
  if (facts.node.kind === 'connecting' || facts.node.kind === 'unreachable') {
    const base = connection(facts);
    return {
      ...base,
      remedy: `${base.remedy} To go on without draining, annotate the Machine with ${skipDrain}.`,
    };
  }
  const stored = facts.status.conditions?.find(({ type }) => type === condition.deleting)?.message ?? '';
  const { what, remedy } = facts.drain.kind === 'left' ? ofReport(facts.drain.report) : ofMessage(stored);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    namespace: '',
    name: nodeName(facts) ?? '',
    what,
    remedy: `${remedy} To go on without draining, annotate the Machine with ${skipDrain}.`,
  };
};

interface Story {
  readonly what: string;
  readonly remedy: string;
}

function ofReport(report: DrainReport): Story {
  const refused = report.failed.find(({ message }) => message.includes('disruption budget'));
  if (refused !== undefined) return budgetStory(refused.message, refused.pods);
  const [failed] = report.failed;
  if (failed !== undefined) return failureStory(failed.message, failed.pods);
  if (report.terminating.length > 0) return terminatingStory(report.terminating);
  return completionStory([...report.waitNow, ...report.waitLater]);
}

/** What a stored message tells: the lines of drainMessage, read back. */
function ofMessage(message: string): Story {
  const lines = message.split('\n').flatMap((line) => {
    const [, pods = '', why = ''] = /^\* Pods? ([^:]+): (.*)$/.exec(line) ?? [];
    return pods === '' ? [] : [{ pods: pods.split(', '), why }];
  });
  const find = (words: string): (typeof lines)[number] | undefined => lines.find(({ why }) => why.includes(words));
  const budget = find(budgetSentence);
  if (budget !== undefined) return budgetStory(budget.why, budget.pods);
  const failed = find(evictionPrefix);
  if (failed !== undefined) return failureStory(failed.why.replace(evictionPrefix, ''), failed.pods);
  const terminating = find(terminatingText);
  if (terminating !== undefined) return terminatingStory(terminating.pods);
  const waiting = find(completionText);
  if (waiting !== undefined) return completionStory(waiting.pods);
  return message.startsWith('Error')
    ? {
        what: 'the drain to work',
        remedy: 'See the Event FailedDrainNode and the v1beta1 condition DrainingSucceeded for the cause.',
      }
    : { what: 'its Pods to be evicted', remedy: 'Nothing is needed yet: the drain goes on by itself.' };
}

function budgetStory(message: string, pods: readonly string[]): Story {
  const name = /The disruption budget (\S+) /.exec(message)?.[1];
  const namespace = pods[0]?.split('/')[0] ?? '';
  const budget = name === undefined ? `a PDB of ${pods.join(', ')}` : `PDB ${namespace}/${name}`;
  return {
    what: `${budget} allows 0 disruptions; Pods ${pods.join(', ')}`,
    remedy: `Make more Pods of ${budget} healthy, or change or delete it (spec.minAvailable, spec.maxUnavailable).`,
  };
}

function failureStory(message: string, pods: readonly string[]): Story {
  return {
    what: `Pods ${pods.join(', ')} to be evicted: ${message}`,
    remedy: 'Delete these Pods by hand if they may go.',
  };
}

function terminatingStory(pods: readonly string[]): Story {
  return {
    what: `Pods ${pods.join(', ')} to end: they have a deletionTimestamp`,
    remedy: 'See their metadata.finalizers and terminationGracePeriodSeconds; a dead kubelet never confirms their end.',
  };
}

function completionStory(pods: readonly string[]): Story {
  return {
    what: `Pods ${pods.join(', ')} to complete and be deleted`,
    remedy: 'Delete these Pods, or change their label cluster.x-k8s.io/drain or their MachineDrainRule.',
  };
}

/** Volumes are still attached. */
export const waitForVolumes: Wait = (facts) => {
  const stored = facts.status.conditions?.find(({ type }) => type === condition.deleting)?.message ?? '';
  const names =
    facts.volumes.kind === 'attached'
      ? Object.values(facts.volumes.report as unknown as Record<string, readonly string[]>).flat()
      : stored
          .split('\n')
          .slice(1)
          .map((line) => line.replace(/^\* /, ''));
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    namespace: '',
    name: '',
    what:
      names.length === 0
        ? 'the volumes of the Node to be detached'
        : `these volumes to be detached: ${names.join(', ')}`,
    remedy: `See why the CSI driver does not detach them. To go on without waiting, annotate the Machine with ${skipVolumes}, or set spec.deletion.nodeVolumeDetachTimeoutSeconds.`,
  };
};

/** An external object does not go. */
export const waitForRemoval =
  (which: 'bootstrap' | 'infrastructure'): Wait =>
  (facts) => {
    const reading = facts[which];
    const kind = reading?.objectKind ?? '';
    const name = reading?.objectName ?? '';
    const remedy =
      reading?.kind === 'unreadable'
        ? reading.message
        : `See the metadata.finalizers and the conditions of ${kind} ${name}: its own controller has to remove them.`;
    return { ...external(facts, which), what: 'to be deleted', remedy };
  };

/** The Node does not go. */
export const waitForNodeRemoval: Wait = (facts) => {
  const isOut = facts.node.kind === 'unreachable' || facts.node.kind === 'connecting';
  return {
    ...(isOut ? connection(facts) : { apiVersion: 'v1', kind: 'Node', namespace: '', name: nodeName(facts) ?? '' }),
    what: isOut ? connection(facts).what : 'to be deleted',
    remedy: `${isOut ? connection(facts).remedy : (facts.failure?.message ?? 'See why the Node cannot be deleted.')} To go on without it, set spec.deletion.nodeDeletionTimeoutSeconds.`,
  };
};

/** Finalizers of others hold the Machine. */
export const waitForOtherFinalizers: Wait = (facts) => ({
  ...self(facts),
  what: 'its other finalizers to be removed',
  remedy: 'See metadata.finalizers of the Machine: their owners have to remove them.',
});
