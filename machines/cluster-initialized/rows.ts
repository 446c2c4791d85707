// The rows, in the order of the checks. What a control plane object says is asked twice: on every look, and right after the
// watch of its kind came up, so that the first look at a new kind needs no second turn.

import type { Row, WaitsFor } from '../kit/row.js';
import type { Facts, Reply, Request, State } from './facts.js';
import type { Guard } from './guards.js';
import * as say from './reasons.js';

/** A row of this machine. */
export type ClusterInitializedRow = Row<State, Facts, Request, Reply, Guard>;

type Saying = Pick<ClusterInitializedRow, 'id' | 'requirements' | 'title' | 'description' | 'guard' | 'target'> &
  Partial<ClusterInitializedRow>;

/** Fills in what a row leaves unsaid. No row of this machine ever wishes to look again by the clock. */
function row(saying: Saying): ClusterInitializedRow {
  return { on: 'OBSERVED', from: [], request: null, requeue: null, conditions: say.unchanged, ...saying };
}

const always = ['CI-016', 'CI-018', 'CI-019', 'CI-020', 'CI-022'];
const setting = [...always, 'CI-017'];
const waiting: readonly State[] = ['WaitingTopology', 'WaitingControlPlane', 'WaitingFirstNode', 'Unreadable'];

const onCluster = (f: Facts, what: string, remedy: string): WaitsFor => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  namespace: f.names.namespace,
  name: f.names.cluster,
  what,
  remedy,
});

const onControlPlane = (f: Facts, what: string, remedy: string): WaitsFor => ({
  apiVersion: f.names.controlPlaneGroup,
  kind: f.names.controlPlaneKind,
  namespace: f.names.namespace,
  name: f.names.controlPlane,
  what,
  remedy,
});

const guardRows: readonly ClusterInitializedRow[] = [
  row({
    id: 'C01',
    requirements: [...always, 'CI-001', 'CI-002'],
    title: 'initialized for good',
    description: 'The condition is True. It never leaves True, and nothing else is looked at.',
    from: [...waiting, 'Initialized'],
    guard: 'isInitialized',
    target: 'Initialized',
  }),
  row({
    id: 'C02',
    requirements: always,
    title: 'filtered out',
    description: 'The watch filter does not select this Cluster: it is left alone.',
    guard: 'isFilteredOut',
    target: null,
    waitsFor: (f) =>
      onCluster(f, 'the watch filter does not select it', 'Give it the label cluster.x-k8s.io/watch-filter.'),
  }),
  row({
    id: 'C03',
    requirements: always,
    title: 'paused',
    description: 'The Cluster is paused: nothing is written until it is not.',
    guard: 'isPaused',
    target: null,
    waitsFor: (f) =>
      onCluster(f, 'it is paused', 'Set spec.paused to false and remove the annotation cluster.x-k8s.io/paused.'),
  }),
  row({
    id: 'C04',
    requirements: [...setting, 'CI-003'],
    title: 'topology pending',
    description: 'The Cluster has a topology, and its control plane object is not made yet.',
    from: ['WaitingControlPlane', 'WaitingTopology'],
    guard: 'isTopologyPending',
    target: 'WaitingTopology',
    conditions: say.topologyPending,
    waitsFor: (f) => onCluster(f, 'spec.controlPlaneRef is not set', 'The topology controller sets it.'),
  }),
  row({
    id: 'C05',
    requirements: [...setting, 'CI-004'],
    title: 'topology leaving',
    description: 'The Cluster has a topology without a control plane object, and is being deleted.',
    from: ['WaitingTopology'],
    guard: 'isTopologyLeaving',
    target: 'WaitingTopology',
    conditions: say.topologyLeaving,
  }),
  row({
    id: 'C06',
    requirements: ['CI-020'],
    title: 'kind not watched',
    description: 'Nobody watches the kind of the control plane object yet: its watch is opened.',
    from: ['WaitingTopology', 'WaitingControlPlane', 'Unreadable'],
    guard: 'isControlPlaneUnwatched',
    target: 'WaitingControlPlane',
    request: 'watchControlPlane',
  }),
];

/** What the control plane object says. `first` is the number of the first row's id. */
function controlPlaneRows(on: ClusterInitializedRow['on'], first: number): readonly ClusterInitializedRow[] {
  const from: readonly State[] = on === 'OBSERVED' ? waiting : ['WaitingControlPlane'];
  const id = (index: number): string => `C${String(first + index).padStart(2, '0')}`;
  return [
    row({
      id: id(0),
      on,
      requirements: [...setting, 'CI-005'],
      title: 'control plane unavailable',
      description: 'The control plane object cannot be read, for another reason than that it does not exist.',
      from,
      guard: 'isControlPlaneUnavailable',
      target: 'Unreadable',
      conditions: say.internalError,
      waitsFor: (f) => onControlPlane(f, 'it cannot be read', f.problem),
    }),
    row({
      id: id(1),
      on,
      requirements: [...setting, 'CI-006', 'CI-007'],
      title: 'control plane missing',
      description: 'The Cluster names a control plane object that does not exist.',
      from,
      guard: 'isControlPlaneMissing',
      target: 'WaitingControlPlane',
      conditions: say.controlPlaneMissing,
      waitsFor: (f) => onControlPlane(f, 'it does not exist', 'Create the object that spec.controlPlaneRef names.'),
    }),
    row({
      id: id(2),
      on,
      requirements: [...setting, 'CI-010'],
      title: 'field unreadable',
      description:
        'The control plane object was read, but the field that tells about initialization has the wrong type.',
      from,
      guard: 'isControlPlaneUnreadable',
      target: 'Unreadable',
      conditions: say.internalError,
      waitsFor: (f) => onControlPlane(f, f.problem, 'Its provider must write true or false.'),
    }),
    row({
      id: id(3),
      on,
      requirements: [...setting, 'CI-008', 'CI-021'],
      title: 'control plane initialized',
      description: 'The control plane object says that the control plane is initialised.',
      from,
      guard: 'isControlPlaneInitialized',
      target: 'Initialized',
      conditions: say.controlPlaneInitialized,
    }),
    row({
      id: id(4),
      on,
      requirements: [...setting, 'CI-009', 'CI-011'],
      title: 'control plane not initialized',
      description: 'The control plane object says that the control plane is not initialised, or does not say anything.',
      from,
      guard: on === 'OBSERVED' ? 'hasControlPlane' : 'always',
      target: 'WaitingControlPlane',
      conditions: say.controlPlaneNotInitialized,
      waitsFor: (f) =>
        onControlPlane(
          f,
          'it does not say that it is initialised',
          'Its provider says so once the first API server answers.',
        ),
    }),
  ];
}

const standaloneRows: readonly ClusterInitializedRow[] = [
  row({
    id: 'C12',
    requirements: [...setting, 'CI-012'],
    title: 'Machines not listed',
    description: 'The Cluster has no control plane object, and its Machines cannot be listed.',
    from: ['WaitingControlPlane', 'WaitingFirstNode', 'Unreadable'],
    guard: 'isMachineListMissing',
    target: 'Unreadable',
    conditions: say.internalError,
    waitsFor: (f) => onCluster(f, 'its Machines cannot be listed', 'Permit listing Machines.'),
  }),
  row({
    id: 'C13',
    requirements: [...setting, 'CI-013', 'CI-014'],
    title: 'first node there',
    description: 'The Cluster has no control plane object, and a control plane Machine of it has a node.',
    from: ['WaitingControlPlane', 'WaitingFirstNode', 'Unreadable'],
    guard: 'hasNode',
    target: 'Initialized',
    conditions: say.firstNode,
  }),
  row({
    id: 'C14',
    requirements: [...setting, 'CI-014', 'CI-015'],
    title: 'no node yet',
    description: 'The Cluster has no control plane object, and no control plane Machine of it has a node.',
    from: ['WaitingControlPlane', 'WaitingFirstNode', 'Unreadable'],
    guard: 'always',
    target: 'WaitingFirstNode',
    conditions: say.noNode,
    waitsFor: (f) =>
      onCluster(
        f,
        'no control plane Machine of it has a node',
        'The first control plane Machine gets its node when it has joined.',
      ),
  }),
];

const failureRows: readonly ClusterInitializedRow[] = [
  row({
    id: 'C30',
    on: 'EFFECT_FAILED',
    requirements: [...setting, 'CI-005'],
    title: 'kind cannot be watched',
    description: 'The kind of the control plane object cannot be watched; it is tried again with a growing delay.',
    from: ['WaitingControlPlane'],
    guard: 'always',
    target: 'Unreadable',
    conditions: say.internalError,
    waitsFor: (f) => onControlPlane(f, 'its kind cannot be watched', f.failure?.message ?? f.problem),
  }),
];

/** All rows. */
export const rows: readonly ClusterInitializedRow[] = [
  ...guardRows,
  ...controlPlaneRows('OBSERVED', 7),
  ...standaloneRows,
  ...controlPlaneRows('CONTROL_PLANE_WATCHED', 20),
  ...failureRows,
];
