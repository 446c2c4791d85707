// The rows, in the order of the checks.
//
// The requirement's rows end without a requeue; the wake-up of the ten-second rule is the same for all of them, and is there only
// while a Machine is left out for its age.

import type { Requeue, Row, WaitsFor } from '../kit/row.js';
import type { Facts, Request, State } from './facts.js';
import type { Guard } from './guards.js';
import * as say from './reasons.js';

/** A row of this machine. */
export type MachinesUpToDateRow = Row<State, Facts, Request, never, Guard>;

/** Looks again as soon as the next Machine is old enough. */
export const ageWakeUp: Requeue<Facts> = {
  afterMs: (f) => f.nextOldEnoughInMs,
  why: 'a Machine without UpToDate counts ten seconds after its creation',
};

const always = ['MU-001', 'MU-011', 'MU-012', 'MU-013', 'MU-014', 'MU-015', 'MU-017'];
const setting = [...always, 'MU-010'];
const everywhere: readonly State[] = ['NoReplicas', 'UpToDate', 'NotUpToDate', 'UpToDateUnknown', 'Unmanaged'];

type Saying = Pick<MachinesUpToDateRow, 'id' | 'requirements' | 'title' | 'description' | 'guard' | 'target'> &
  Partial<MachinesUpToDateRow>;

function row(saying: Saying): MachinesUpToDateRow {
  return { on: 'OBSERVED', from: [], request: null, requeue: null, conditions: say.unchanged, ...saying };
}

/** A row of the requirement's table: it sets the condition. */
function outcome(saying: Saying): MachinesUpToDateRow {
  return row({ from: everywhere, requeue: ageWakeUp, ...saying });
}

const onControlPlane = (f: Facts, what: string, remedy: string): WaitsFor => ({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  namespace: f.names.namespace,
  name: f.names.controlPlane,
  what,
  remedy,
});

const onCluster = (f: Facts, what: string, remedy: string): WaitsFor => ({
  ...onControlPlane(f, what, remedy),
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  name: f.names.cluster,
});

const guardRows: readonly MachinesUpToDateRow[] = [
  row({
    id: 'U01',
    requirements: always,
    title: 'filtered out',
    description: 'The watch filter does not select this object: it is left alone.',
    guard: 'isFilteredOut',
    target: null,
    waitsFor: (f) =>
      onControlPlane(f, 'the watch filter does not select it', 'Give it the label cluster.x-k8s.io/watch-filter.'),
  }),
  row({
    id: 'U02',
    requirements: always,
    title: 'no owner',
    description: 'No owner reference names a Cluster yet.',
    guard: 'isOwnerless',
    target: null,
    waitsFor: (f) => onControlPlane(f, 'no owner reference names a Cluster', 'The Cluster controller sets it.'),
  }),
  row({
    id: 'U03',
    requirements: always,
    title: 'Cluster missing',
    description: 'The Cluster that the owner reference names does not exist.',
    guard: 'isClusterMissing',
    target: null,
    waitsFor: (f) => onCluster(f, 'it does not exist', 'Create the Cluster, or correct the owner reference.'),
  }),
  row({
    id: 'U04',
    requirements: always,
    title: 'paused',
    description: 'The object or its Cluster is paused: nothing is written until neither is.',
    guard: 'isPaused',
    target: null,
    waitsFor: (f) =>
      onCluster(
        f,
        'it or its control plane is paused',
        'Set spec.paused to false and remove the annotation cluster.x-k8s.io/paused.',
      ),
  }),
  row({
    id: 'U05',
    requirements: always,
    title: 'Machines not listed',
    description: 'The Machines cannot be listed: nothing is known, and nothing is written.',
    guard: 'isMachineListMissing',
    target: null,
    waitsFor: (f) => onControlPlane(f, 'its Machines cannot be listed', 'Permit listing Machines.'),
  }),
  row({
    id: 'U06',
    requirements: always,
    title: 'Machine to be adopted',
    description: 'A control plane Machine of the Cluster has no controller: its adoption comes first.',
    from: everywhere,
    guard: 'hasAdoptableMachine',
    target: 'Unmanaged',
    waitsFor: (f) =>
      onControlPlane(f, 'a control plane Machine has no controller', 'The control plane controller adopts it.'),
  }),
  row({
    id: 'U07',
    requirements: always,
    title: 'mixed management',
    description:
      'A control plane Machine of the Cluster belongs to somebody else: this object does not speak for the control plane.',
    from: everywhere,
    guard: 'hasForeignMachine',
    target: 'Unmanaged',
    waitsFor: (f) =>
      onControlPlane(
        f,
        'a control plane Machine of the Cluster belongs to somebody else',
        'Let one control plane object own all control plane Machines.',
      ),
  }),
];

const outcomeRows: readonly MachinesUpToDateRow[] = [
  outcome({
    id: 'U10',
    requirements: [...setting, 'MU-002'],
    title: 'no Machine counts',
    description: 'There is no Machine, or none that is old enough to count.',
    guard: 'hasNoMachine',
    target: 'NoReplicas',
    conditions: say.noReplicas,
  }),
  outcome({
    id: 'U11',
    requirements: [...setting, 'MU-009'],
    title: 'aggregation failed',
    description: 'What the Machines say could not be put together: a bug.',
    guard: 'isAggregationFailed',
    target: 'UpToDateUnknown',
    conditions: say.internalError,
    waitsFor: (f) =>
      onControlPlane(f, 'its Machines could not be aggregated', 'Report it with the log of the operator.'),
  }),
  outcome({
    id: 'U12',
    requirements: [...setting, 'MU-005', 'MU-006', 'MU-016'],
    title: 'Machines outdated',
    description: 'At least one Machine is not up to date.',
    guard: 'hasOutdatedMachine',
    target: 'NotUpToDate',
    conditions: say.notUpToDate,
    waitsFor: (f) => onControlPlane(f, f.message, 'The control plane controller rolls the Machines out.'),
  }),
  outcome({
    id: 'U13',
    requirements: [...setting, 'MU-007', 'MU-008', 'MU-016'],
    title: 'Machines unknown',
    description: 'No Machine is known to be outdated, but of at least one it is not known.',
    guard: 'hasUnknownMachine',
    target: 'UpToDateUnknown',
    conditions: say.unknown,
    waitsFor: (f) => onControlPlane(f, f.message, 'The control plane controller reports on each Machine.'),
  }),
  outcome({
    id: 'U14',
    requirements: [...setting, 'MU-003', 'MU-004', 'MU-016'],
    title: 'Machines up to date',
    description: 'Every Machine is up to date.',
    guard: 'always',
    target: 'UpToDate',
    conditions: say.upToDate,
  }),
];

/** All rows. */
export const rows: readonly MachinesUpToDateRow[] = [...guardRows, ...outcomeRows];
