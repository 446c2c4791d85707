// What a Machine controller may write: asked at each write, by what is true at that moment in both clusters.
//
// Whatever holds a deletion up in a simulated world only ever goes away (machine-acts.ts): what an operator may have seen to be
// gone is gone when it writes.
import type { StoreEvent } from '../../../src/embedded/types.js';
import type { InvariantName } from './invariants.js';
import { PRE_DRAIN, PRE_TERMINATE } from './machine-acts.js';
import { at, controllerOf, textAt, type Fields, type Loose, type Truth } from './mirror.js';
import type { Seen } from './network.js';
import type { Plan } from './plan.js';
import { EPOCH_MS } from './virtual-time.js';

/** The key of a Machine's actor, as requests carry it: KubeadmConfigs have the same names. */
export const MACHINE_ACTOR = 'Machine:';

/** What rules of Machines know of the world beside its objects. */
export interface MachineRulesPorts {
  readonly plan: Plan;
  readonly truth: Truth;
  accuse(invariant: InvariantName, message: string): void;
  now(): number;
}

/** Rules for the writes of a Machine controller. */
export interface MachineRules {
  /** Something changed in the management cluster, whoever did it. */
  note(event: StoreEvent, resource: string): void;
  /** A Machine's actor wrote into the management cluster. */
  judge(by: Seen, event: StoreEvent, resource: string): void;
  /** Something changed in a workload cluster; `by` is the operator that wrote, or null. */
  onWorkload(by: Seen | null, cluster: string, event: StoreEvent): void;
  /** An object of a workload cluster as its store has it. */
  workload(cluster: string, resource: string, key: string): Loose | undefined;
  /** What is left of Machines that are gone, and Machines that are still on their way out. */
  leftovers(): readonly string[];
}

const FINALIZER = 'machine.cluster.x-k8s.io';
const PHASES = ['', 'Pending', 'Provisioning', 'Provisioned', 'Running', 'Deleting'];
const PAUSE_SEEN_MS = 280_000;
const SNAPSHOT = 'kubeadm-bootstrap-operator/actor';
const CLUSTER_LABEL = 'cluster.x-k8s.io/cluster-name';
const OWN_SPEC = ['bootstrap', 'providerID', 'failureDomain'];

/** Rules that have seen nothing yet. */
export function createMachineRules({ plan, truth, accuse, now }: MachineRulesPorts): MachineRules {
  const workloads = new Map<string, Loose>();
  /** When a Node of a name was made last, and a Machine by its uid. */
  const nodeBornMs = new Map<string, number>();
  const machineBornMs = new Map<string, number>();
  /** Machines that had a Node when their deletion began: their nodes are drained, unless no control plane was left. */
  const deletedWithNode = new Set<string>();
  /** Data that a KubeadmConfig of this Machine, by its uid, has reported. */
  const reported = new Map<string, Set<string>>();
  /** When a cluster was last without a living control plane Machine. */
  const headlessMs = new Map<string, number>();
  const pausedSinceMs = new Map<string, number>();
  const bornMs = new Map<string, number>();

  const id = (cluster: string, resource: string, key: string): string => `${cluster} ${resource}/${key}`;
  const inWorkload = (cluster: string, resource: string, key: string): Loose | undefined =>
    workloads.get(id(cluster, resource, key));
  const allIn = (cluster: string, resource: string): readonly Loose[] =>
    [...workloads].flatMap(([key, object]) => (key.startsWith(id(cluster, resource, '')) ? [object] : []));
  const clusterOf = (machine: Loose): string => textAt(machine, 'spec', 'clusterName');

  const noteHeads = (): void => {
    for (const { metadata } of truth.all('clusters')) {
      const isHead = (machine: Loose): boolean =>
        clusterOf(machine) === metadata.name &&
        machine.metadata.deletionTimestamp === undefined &&
        machine.metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;
      if (!truth.all('machines').some(isHead)) headlessMs.set(metadata.name, now());
    }
  };

  /** Whether the Node of a Machine has to be drained, and deleted: upstream leaves it alone without a control plane. */
  const isNodeKept = (machine: Loose): boolean => {
    const wasHeadlessMs = headlessMs.get(clusterOf(machine)) ?? -Infinity;
    return deletedWithNode.has(machine.metadata.uid ?? '') && wasHeadlessMs < deletedAtMs(machine) - PAUSE_SEEN_MS;
  };
  const deletedAtMs = ({ metadata }: Loose): number => Date.parse(metadata.deletionTimestamp ?? '') - EPOCH_MS;
  /** Wall clocks that jump make limits longer and shorter. */
  const isOver = (startText: string, seconds: unknown): boolean => {
    if (typeof seconds !== 'number' || seconds === 0 || startText === '') return false;
    const hasJumps = plan.faults.some(({ kind }) => kind === 'clock');
    return hasJumps || now() - (Date.parse(startText) - EPOCH_MS) >= seconds * 1000;
  };

  /** Everything that must be gone before the infrastructure of a Machine goes. */
  const holds = (machine: Loose): readonly string[] => {
    const { annotations = {}, name } = machine.metadata;
    const held = annotations[PRE_TERMINATE] === undefined ? [] : ['a pre-terminate hook'];
    if (!isNodeKept(machine)) return held;
    const cluster = clusterOf(machine);
    const [status, limits] = [at(machine, 'status', 'deletion'), at(machine, 'spec', 'deletion')];
    const isDrained = isOver(textAt(status, 'nodeDrainStartTime'), at(limits, 'nodeDrainTimeoutSeconds'));
    const isDetached = isOver(
      textAt(status, 'waitForNodeVolumeDetachStartTime'),
      at(limits, 'nodeVolumeDetachTimeoutSeconds'),
    );
    const node = inWorkload(cluster, 'nodes', name);
    const isOn = (object: Loose): boolean => textAt(object, 'spec', 'nodeName') === name;
    const pods = isDrained || node === undefined ? [] : allIn(cluster, 'pods').filter(isOn);
    const volumes = isDetached || node === undefined ? [] : allIn(cluster, 'volumeattachments').filter(isOn);
    return [
      ...held,
      ...(annotations[PRE_DRAIN] === undefined ? [] : ['a pre-drain hook']),
      ...pods.map(({ metadata }) => `Pod ${metadata.name}`),
      ...volumes.map(({ metadata }) => `the volume ${metadata.name}`),
    ];
  };

  /** Objects of a Machine: those that it controls, and those of its names that were there before its deletion. */
  const ownLeft = (machine: Loose, kind: 'demomachines' | 'kubeadmconfigs'): boolean => {
    const object = truth.get(kind, machine.metadata.name);
    if (object === undefined) return false;
    const owner = controllerOf(object).uid;
    if (owner !== '') return owner === machine.metadata.uid;
    return (bornMs.get(object.metadata.uid ?? '') ?? 0) < deletedAtMs(machine) - 1_000;
  };

  const judgeOwned = (by: Seen, event: StoreEvent, kind: 'demomachines' | 'kubeadmconfigs'): void => {
    const object = event.object as Loose;
    const { name } = object.metadata;
    const machine = truth.get('machines', nameOf(by));
    if (name !== nameOf(by)) return accuse('own-writes', `${by.actor} wrote ${kind}/${name}`);
    if (event.type === 'ADDED') return accuse('own-writes', `${by.actor} made ${kind}/${name}`);
    if (isDeletion(event)) return judgeDeletion(by, object, { kind, machine });
    const before = event.previous as Loose;
    if (isSame(ownedPart(before), ownedPart(object))) return;
    accuse('own-writes', `${by.actor} changed more of ${kind}/${name} than owner and label`);
  };

  const judgeDeletion = (
    by: Seen,
    object: Loose,
    { kind, machine }: { readonly kind: 'demomachines' | 'kubeadmconfigs'; readonly machine: Loose | undefined },
  ): void => {
    const { name } = object.metadata;
    if (machine?.metadata.deletionTimestamp === undefined)
      return accuse('alive-keeps', `${by.actor} deleted ${kind}/${name}, its Machine is not deleted`);
    const owner = controllerOf(object).uid;
    if (owner !== '' && owner !== machine.metadata.uid)
      return accuse('machine-own-life', `${by.actor} deleted ${kind}/${name} of another life`);
    judgePause(by, machine, `deleted ${kind}/${name}`);
    if (kind === 'kubeadmconfigs' && ownLeft(machine, 'demomachines'))
      return accuse('deletion-order', `${by.actor} deleted its KubeadmConfig before its infrastructure was gone`);
    const held = holds(machine);
    if (held.length > 0) accuse('infra-after-hooks', `${kind}/${name} was deleted in spite of ${held.join(', ')}`);
  };

  const judgePause = (by: Seen, machine: Loose, what: string): void => {
    const sinceMs = pausedSinceMs.get(clusterOf(machine));
    if (sinceMs !== undefined && now() - sinceMs >= PAUSE_SEEN_MS)
      accuse('paused', `${by.operator} ${what} of a paused Cluster`);
  };

  const judgeMachine = (by: Seen, event: StoreEvent): void => {
    const [before, after] = [event.previous as Loose, event.object as Loose];
    const { name, uid = '' } = after.metadata;
    if (name !== nameOf(by) || event.type === 'ADDED')
      return accuse('own-writes', `${by.actor} ${event.type} Machine ${name}`);
    if (event.type === 'DELETED') return judgeEnd(by, before ?? after);
    const [had, has] = [before, after].map(({ metadata }) => metadata.finalizers ?? []) as [string[], string[]];
    if (had.includes(FINALIZER) && !has.includes(FINALIZER)) judgeEnd(by, before);
    const others = (each: readonly string[]): readonly string[] => each.filter((finalizer) => finalizer !== FINALIZER);
    if (!isSame(others(had), others(has))) accuse('own-writes', `${by.actor} changed finalizers of others`);
    if (!isSame(usersPart(before), usersPart(after))) accuse('others-changes', `${by.actor} changed what users wrote`);
    if (!isSame(before.spec, after.spec)) judgePause(by, after, `changed Machine ${name}`);
    judgeForward(by, before, after);
    const data = textAt(after, 'spec', 'bootstrap', 'dataSecretName');
    if (data !== textAt(before, 'spec', 'bootstrap', 'dataSecretName') && reported.get(uid)?.has(data) !== true)
      accuse('machine-own-life', `${name} got the data ${data}, which nobody has reported to it`);
    const node = textAt(after, 'status', 'nodeRef', 'name');
    if (node === '' || node === textAt(before, 'status', 'nodeRef', 'name')) return;
    const born = nodeBornMs.get(id(clusterOf(after), 'nodes', node)) ?? -Infinity;
    if (born < (machineBornMs.get(uid) ?? 0))
      accuse('machine-own-life', `${name} got the Node ${node} of another life`);
  };

  const judgeForward = (by: Seen, before: Loose, after: Loose): void => {
    const fixed = [
      ['spec', 'bootstrap', 'dataSecretName'],
      ['spec', 'providerID'],
      ['status', 'nodeRef', 'name'],
    ];
    for (const path of fixed) {
      const had = textAt(before, ...path);
      if (had !== '' && textAt(after, ...path) !== had)
        accuse(
          'machine-forward',
          `${by.actor}: ${path.join('.')} went from ${had} to ${textAt(after, ...path) || 'nothing'}`,
        );
    }
    for (const flag of ['infrastructureProvisioned', 'bootstrapDataSecretCreated'])
      if (at(before, 'status', 'initialization', flag) === true && at(after, 'status', 'initialization', flag) !== true)
        accuse('machine-forward', `${by.actor}: ${flag} went back`);
    const phase = (machine: Loose): number => PHASES.indexOf(textAt(machine, 'status', 'phase'));
    if (phase(after) < phase(before) && !isLoss(before, after))
      accuse('machine-forward', `${by.actor}: the phase went back to ${textAt(after, 'status', 'phase')}`);
  };

  /** A Machine has failed once its Node is gone before its deletion is seen. */
  const isLoss = (before: Loose, after: Loose): boolean =>
    textAt(after, 'status', 'phase') === 'Failed' &&
    textAt(before, 'status', 'phase') !== 'Deleting' &&
    inWorkload(clusterOf(after), 'nodes', textAt(after, 'status', 'nodeRef', 'name')) === undefined;

  /** The finalizer goes last. */
  const judgeEnd = (by: Seen, machine: Loose): void => {
    const { name, deletionTimestamp } = machine.metadata;
    if (deletionTimestamp === undefined) return accuse('alive-keeps', `${by.actor} gave Machine ${name} up`);
    judgePause(by, machine, `gave up Machine ${name}`);
    const left = (['demomachines', 'kubeadmconfigs'] as const).filter((kind) => ownLeft(machine, kind));
    const hasNode = isNodeKept(machine) && inWorkload(clusterOf(machine), 'nodes', name) !== undefined;
    const all = [...left, ...(hasNode ? ['nodes'] : [])];
    if (all.length > 0) accuse('deletion-order', `Machine ${name} was given up before ${all.join(', ')}`);
    const held = holds(machine);
    if (held.length > 0) accuse('infra-after-hooks', `Machine ${name} was given up in spite of ${held.join(', ')}`);
  };

  const judgeNode = (by: Seen, cluster: string, event: StoreEvent): void => {
    const { name } = event.object.metadata;
    const machine = truth.get('machines', name);
    if (event.type === 'ADDED') return accuse('own-writes', `${by.operator} made Node ${name}`);
    const isDeleting = machine?.metadata.deletionTimestamp !== undefined;
    const isCordon =
      at(event.object, 'spec', 'unschedulable') === true && at(event.previous, 'spec', 'unschedulable') !== true;
    const isGoing = isDeletion(event);
    if (machine !== undefined) judgePause(by, machine, `wrote Node ${name}`);
    if ((isCordon || isGoing) && machine !== undefined && !isDeleting)
      return accuse(
        'alive-keeps',
        `${by.operator} ${isGoing ? 'deleted' : 'cordoned'} the Node of ${name}, which lives`,
      );
    if (isCordon && machine !== undefined) judgeDrain(by, machine, 'its Node was cordoned');
    if (!isGoing || machine === undefined) return;
    const left = (['demomachines', 'kubeadmconfigs'] as const).filter((kind) => ownLeft(machine, kind));
    if (left.length > 0) accuse('deletion-order', `Node ${name} of ${cluster} was deleted before ${left.join(', ')}`);
  };

  const judgeDrain = (by: Seen, machine: Loose, what: string): void => {
    const { name, annotations = {}, deletionTimestamp } = machine.metadata;
    if (deletionTimestamp === undefined) return accuse('alive-keeps', `${name} lives, and ${what} by ${by.operator}`);
    if (annotations[PRE_DRAIN] !== undefined) accuse('drain-recorded', `${name} has a pre-drain hook, and ${what}`);
    if (textAt(machine, 'status', 'deletion', 'nodeDrainStartTime') === '')
      accuse('drain-recorded', `the start of the drain of ${name} is not recorded, and ${what}`);
  };

  const judgePod = (by: Seen, event: StoreEvent): void => {
    const { name } = event.object.metadata;
    if (by.subresource !== 'eviction') return accuse('own-writes', `${by.operator} wrote Pod ${name}`);
    const machine = truth.get('machines', textAt(event.object, 'spec', 'nodeName'));
    if (machine !== undefined) judgeDrain(by, machine, `Pod ${name} was evicted`);
  };

  return {
    workload: inWorkload,
    note({ type, object, previous }, resource) {
      const { name, uid = '' } = object.metadata;
      if (type === 'ADDED') bornMs.set(uid, now());
      if (resource === 'machines') {
        if (type === 'ADDED') machineBornMs.set(uid, now());
        const isMarked =
          previous?.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp !== undefined;
        if (isMarked && textAt(object, 'status', 'nodeRef', 'name') !== '') deletedWithNode.add(uid);
        noteHeads();
      }
      if (resource === 'kubeadmconfigs' && at(object, 'status', 'initialization', 'dataSecretCreated') === true) {
        const owner = controllerOf(object).uid;
        const known = reported.get(owner) ?? new Set<string>();
        reported.set(owner, known.add(textAt(object, 'status', 'dataSecretName')));
      }
      if (resource !== 'clusters') return;
      if (at(object, 'spec', 'paused') !== true) pausedSinceMs.delete(name);
      else if (!pausedSinceMs.has(name)) pausedSinceMs.set(name, now());
    },
    judge(by, event, resource) {
      const { name } = event.object.metadata;
      switch (resource) {
        case 'machines':
          return judgeMachine(by, event);
        case 'demomachines':
        case 'kubeadmconfigs':
          return judgeOwned(by, event, resource);
        case 'configmaps':
          if (name !== `${nameOf(by)}-machine-actor` || plan.world.snapshotStore !== 'configmap')
            accuse('own-writes', `${by.actor} wrote ConfigMap ${name}`);
          return;
        case 'events':
        case 'leases':
          return;
        default:
          accuse('own-writes', `${by.actor} wrote ${resource}/${name}`);
      }
    },
    onWorkload(by, cluster, event) {
      const resource = event.resource.split('/').at(-1) ?? '';
      const { name, namespace = '' } = event.object.metadata;
      const key = id(cluster, resource, namespace === '' ? name : `${namespace}/${name}`);
      if (resource === 'nodes' && event.type === 'ADDED') nodeBornMs.set(key, now());
      if (by !== null && resource === 'nodes') judgeNode(by, cluster, event);
      else if (by !== null && resource === 'pods') judgePod(by, event);
      else if (by !== null && resource !== 'poddisruptionbudgets')
        accuse('own-writes', `${by.operator} wrote ${event.resource}/${name} in ${cluster}`);
      if (event.type === 'DELETED') workloads.delete(key);
      else if (['nodes', 'pods', 'volumeattachments'].includes(resource)) workloads.set(key, event.object as Loose);
    },
    leftovers() {
      const going = truth.all('machines').filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      const orphans = (['demomachines', 'kubeadmconfigs'] as const).flatMap((kind) =>
        truth.all(kind).filter(({ metadata }) => {
          const isPool = metadata.name.endsWith('-pool');
          return !isPool && truth.get('machines', metadata.name) === undefined;
        }),
      );
      return [...going, ...orphans].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    },
  };
}

function nameOf({ actor }: Seen): string {
  return actor.split('/')[1] ?? '';
}

function isDeletion({ type, object, previous }: StoreEvent): boolean {
  const isMarked =
    previous?.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp !== undefined;
  return type === 'DELETED' || isMarked;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What of a Machine's objects is not the Machine controller's. */
function ownedPart({ metadata, spec, status }: Loose): unknown {
  const { [CLUSTER_LABEL]: _, ...labels } = metadata.labels ?? {};
  return [labels, metadata.annotations, metadata.finalizers, spec, status];
}

/** What of a Machine its users write. */
function usersPart({ metadata, spec }: Loose): unknown {
  const { [CLUSTER_LABEL]: _, ...labels } = metadata.labels ?? {};
  const { [SNAPSHOT]: __, ...annotations } = metadata.annotations ?? {};
  const bootstrap = { ...(at(spec, 'bootstrap') as Fields), dataSecretName: null };
  const rest = Object.entries(spec ?? {}).filter(([field]) => !OWN_SPEC.includes(field));
  return [labels, annotations, bootstrap, rest];
}
