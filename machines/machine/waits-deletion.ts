// What would end each wait of a deletion: who holds it, by name, and the annotation, label, field or object that would let it go on.
//
// Where only a stored condition tells (a drain that another process ran), its text is read: the texts of this table are the
// ones that are written.

import type { WaitsFor } from '../kit/row.js';
import type { DrainReport, MachineFacts, VolumeReport } from './facts.js';
import { nodeName } from './guards.js';
import { budgetSentence, completionText, evictionPrefix, terminatingText } from './messages.js';
import { condition } from './names.js';
import { connection, external, self, type Wait } from './waits.js';

const skipDrain =
  'To go on without draining, annotate the Machine with machine.cluster.x-k8s.io/exclude-node-draining, or limit the time with spec.deletion.nodeDrainTimeoutSeconds.';
const skipVolumes =
  'To go on without waiting, annotate the Machine with machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach, or limit the time with spec.deletion.nodeVolumeDetachTimeoutSeconds.';
const skipNode = 'To go on without deleting the Node, set spec.deletion.nodeDeletionTimeoutSeconds of the Machine.';

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

interface Story {
  readonly what: string;
  readonly remedy: string;
}

const isCutOff = ({ node }: MachineFacts): boolean => node.kind === 'connecting' || node.kind === 'unreachable';

function ofNode(facts: MachineFacts, { what, remedy }: Story): WaitsFor {
  return { apiVersion: 'v1', kind: 'Node', namespace: '', name: nodeName(facts) ?? '', what, remedy };
}

/** A step that the workload cluster's silence holds up. */
function cutOff(facts: MachineFacts, wayOut: string): WaitsFor {
  const base = connection(facts);
  return { ...base, remedy: `${base.remedy} ${wayOut}` };
}

const storedMessage = ({ status }: MachineFacts): string =>
  status.conditions?.find(({ type }) => type === condition.deleting)?.message ?? '';

/** The Node cannot be drained to the end. */
export const waitForDrain: Wait = (facts) => {
  if (isCutOff(facts)) return cutOff(facts, skipDrain);
  const { what, remedy } = drainStory(facts);
  return ofNode(facts, { what, remedy: `${remedy} ${skipDrain}` });
};

function drainStory(facts: MachineFacts): Story {
  const { failure } = facts;
  if (failure?.request === 'drainNode') return brokenDrain(failure.message);
  return facts.drain.kind === 'left' ? ofReport(facts.drain.report) : ofMessage(storedMessage(facts));
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

function brokenDrain(message: string): Story {
  const rule = /MachineDrainRule "?([^\s:"]+)/.exec(message)?.[1];
  return {
    what: `the drain to work: ${message}`,
    remedy:
      rule === undefined
        ? 'Mend what the error names; the drain is tried again by itself.'
        : `Correct or delete MachineDrainRule ${rule}; the drain is tried again by itself.`,
  };
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
  const remedy = message.includes('more than one PodDisruptionBudget')
    ? `Let one PodDisruptionBudget alone select ${pods.join(', ')} (spec.selector), or delete these Pods by hand if they may go.`
    : 'Mend what the error names, or delete these Pods by hand if they may go.';
  return { what: `Pods ${pods.join(', ')} to be evicted: ${message}`, remedy };
}

function terminatingStory(pods: readonly string[]): Story {
  return {
    what: `Pods ${pods.join(', ')} to end: they have a deletionTimestamp`,
    remedy: `See metadata.finalizers and spec.terminationGracePeriodSeconds of ${pods.join(', ')}; a dead kubelet never confirms their end.`,
  };
}

function completionStory(pods: readonly string[]): Story {
  return {
    what: `Pods ${pods.join(', ')} to complete and be deleted`,
    remedy: `Delete ${pods.join(', ')}, or set their label cluster.x-k8s.io/drain to skip, or change their MachineDrainRule.`,
  };
}

/** Volumes are still attached. */
export const waitForVolumes: Wait = (facts) => {
  if (isCutOff(facts)) return cutOff(facts, skipVolumes);
  const { failure } = facts;
  const held =
    facts.volumes.kind === 'attached'
      ? volumeLines(facts.volumes.report)
      : storedMessage(facts)
          .split('\n')
          .slice(1)
          .map((line) => line.replace(/^\* /, ''));
  const known = held.length === 0 ? 'the volumes of the Node to be detached' : `to be detached: ${held.join('; ')}`;
  const broken = failure?.request === 'checkVolumes' ? `the volumes to be readable: ${failure.message}` : null;
  return ofNode(facts, {
    what: broken ?? known,
    remedy: `See the VolumeAttachments of the Node and why their CSI driver does not detach them. ${skipVolumes}`,
  });
};

function volumeLines(report: VolumeReport): readonly string[] {
  const line = (what: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`];
  return [
    ...line('PersistentVolumeClaims', report.claims),
    ...line('PersistentVolumes', report.volumesWithoutClaim),
    ...line('status.volumesAttached of the Node', report.nodeEntriesWithoutVolume),
    ...line('VolumeAttachments of PersistentVolumes', report.attachmentsWithoutVolume),
  ];
}

/** An external object does not go. */
export const waitForRemoval =
  (which: 'bootstrap' | 'infrastructure'): Wait =>
  (facts) => {
    const reading = facts[which];
    const target = external(facts, which);
    const object = `${reading?.objectKind ?? ''} ${reading?.objectName ?? ''}`;
    if (reading?.kind === 'unreadable') return { ...target, what: 'to be readable', remedy: reading.message };
    const { failure } = facts;
    if (failure?.request === 'deleteInfrastructure' || failure?.request === 'deleteBootstrap') {
      return { ...target, what: 'its deletion to be accepted', remedy: failure.message };
    }
    const finalizers = reading?.kind === 'found' ? (reading.finalizers ?? []).join(', ') : '';
    const says = reading?.kind === 'found' && reading.ready.kind === 'reported' ? readyText(reading.ready) : '';
    return {
      ...target,
      what: `to be deleted${finalizers === '' ? '' : `: held by its finalizers ${finalizers}`}`,
      remedy: `Its own controller has to remove metadata.finalizers${finalizers === '' ? '' : ` (${finalizers})`} of ${object}.${says}`,
    };
  };

function readyText({ status, reason, message }: { status: string; reason: string; message: string }): string {
  return ` Its condition Ready says ${status} (${reason})${message === '' ? '' : `: ${message}`}.`;
}

/** The Node does not go. */
export const waitForNodeRemoval: Wait = (facts) => {
  if (isCutOff(facts)) return cutOff(facts, skipNode);
  const cause = facts.failure?.request === 'deleteNode' ? facts.failure.message : null;
  return ofNode(facts, {
    what: `to be deleted${cause === null ? '' : `: ${cause}`}`,
    remedy: `See the Event FailedDeleteNode for why the workload cluster refuses. ${skipNode}`,
  });
};

/** Finalizers of others hold the Machine. */
export const waitForOtherFinalizers: Wait = (facts) => {
  const others = (facts.machine.otherFinalizers ?? []).join(', ');
  return {
    ...self(facts),
    what: `its other finalizers to be removed: ${others}`,
    remedy: `The owners of ${others} have to remove them from metadata.finalizers of the Machine.`,
  };
};
