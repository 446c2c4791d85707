// The requirement's table as examples: what is given, and what must come of it. The unit tests run them on the table, the mutation
// test on every mutant of it.

import { expect } from '@jest/globals';
import { createChart } from '../../../machines/cluster-initialized/chart.js';
import type { Facts, State } from '../../../machines/cluster-initialized/facts.js';
import type { table } from '../../../machines/cluster-initialized/table.js';
import type { ConditionIntent } from '../../../machines/kit/row.js';
import { leafState, restore, restOf, step, type Snapshot } from '../../../machines/kit/step.js';

/** A Cluster with a control plane object that says nothing yet. */
export const base: Facts = {
  isHandled: true,
  isPaused: false,
  isDeleting: false,
  isInitialized: false,
  hasControlPlaneRef: true,
  hasTopology: false,
  controlPlane: 'notInitialized',
  machines: 'noNode',
  isControlPlaneDeleting: false,
  isTwinInitialized: false,
  reasons: 'table',
  problem: '',
  names: {
    namespace: 'ns',
    cluster: 'c1',
    controlPlaneGroup: 'controlplane.cluster.x-k8s.io',
    controlPlaneKind: 'KubeadmControlPlane',
    controlPlane: 'cp',
  },
  failure: null,
};

/** One line of the requirement. */
export interface Example {
  readonly ids: string;
  readonly title: string;
  readonly on?: string;
  readonly given: Partial<Facts>;
  readonly row: string;
  /** Null: the state stays. */
  readonly state: State | null;
  readonly request?: string;
  /** `status/reason/message`, with the upstream reason after `|` where it differs; null for no change. */
  readonly says: string | null;
  /** The deprecated twin: `status/reason/severity/message`; absent where it is untouched. */
  readonly twin?: string;
}

const noRef = { hasControlPlaneRef: false } as const;
const topology = { ...noRef, hasTopology: true } as const;
const cause = 'Please check controller logs for errors';
const providerWaits =
  'False/WaitingForControlPlaneProviderInitialized/Info/Waiting for control plane provider to indicate the control plane has been initialized';
const nodeWaits =
  'False/MissingNodeRef/Info/Waiting for the first control plane machine to have its status.nodeRef set';
const firstNode = 'Waiting for the first control plane machine to have status.nodeRef set';

/** Every row of the requirement and every row of the specification. */
export const examples: readonly Example[] = [
  {
    ids: 'CI-001 CI-002 C-1',
    title: 'already True, control plane says not initialised',
    given: { isInitialized: true },
    row: 'C01',
    state: 'Initialized',
    says: null,
  },
  {
    ids: 'CI-002 C-1',
    title: 'already True, although paused, deleting, filtered out and without anything else',
    given: { ...topology, isInitialized: true, isPaused: true, isDeleting: true, isHandled: false },
    row: 'C01',
    state: 'Initialized',
    says: null,
  },
  {
    ids: 'CP-4',
    title: 'paused',
    given: { isPaused: true, controlPlane: 'initialized' },
    row: 'C03',
    state: null,
    says: null,
  },
  {
    ids: 'CP-4',
    title: 'paused, with a topology that is pending',
    given: { ...topology, isPaused: true },
    row: 'C03',
    state: null,
    says: null,
  },
  {
    ids: 'watch filter',
    title: 'not selected',
    given: { isHandled: false, isPaused: true, controlPlane: 'initialized' },
    row: 'C02',
    state: null,
    says: null,
  },
  {
    ids: 'CI-003 C-2 CT-1',
    title: 'topology without ref',
    given: topology,
    row: 'C04',
    state: 'WaitingTopology',
    says: 'Unknown/DoesNotExist|ObjectDoesNotExist/Waiting for cluster topology to be reconciled',
  },
  {
    ids: 'CI-004 C-3 CT-2',
    title: 'topology without ref, deleting',
    given: { ...topology, isDeleting: true },
    row: 'C05',
    state: 'WaitingTopology',
    says: 'Unknown/DoesNotExist|ObjectDoesNotExist/',
  },
  {
    ids: 'CI-003',
    title: 'topology without ref, a Machine has a node',
    given: { ...topology, machines: 'node' },
    row: 'C04',
    state: 'WaitingTopology',
    says: 'Unknown/DoesNotExist|ObjectDoesNotExist/Waiting for cluster topology to be reconciled',
  },
  {
    ids: 'CI-020',
    title: 'kind of the control plane object not watched yet',
    given: { controlPlane: 'unwatched' },
    row: 'C06',
    state: 'WaitingControlPlane',
    request: 'watchControlPlane',
    says: null,
  },
  {
    ids: 'C-17',
    title: 'ref and topology: the ref wins',
    given: { hasTopology: true, controlPlane: 'initialized' },
    row: 'C10',
    state: 'Initialized',
    says: 'True/Initialized/',
    twin: 'True',
  },
  {
    ids: 'C-17',
    title: 'ref and topology, deleting: the ref wins',
    given: { hasTopology: true, isDeleting: true, controlPlane: 'missing' },
    row: 'C08',
    state: 'WaitingControlPlane',
    says: 'Unknown/DoesNotExist|ObjectDoesNotExist/KubeadmControlPlane does not exist',
  },
  {
    ids: 'CI-005 C-4 C-18 CT-4',
    title: 'object cannot be read',
    given: { controlPlane: 'unavailable', problem: 'no' },
    row: 'C07',
    state: 'Unreadable',
    says: `Unknown/InternalError/${cause}`,
  },
  {
    ids: 'CI-006 CI-007 C-5 CT-3',
    title: 'object does not exist',
    given: { controlPlane: 'missing' },
    row: 'C08',
    state: 'WaitingControlPlane',
    says: 'Unknown/DoesNotExist|ObjectDoesNotExist/KubeadmControlPlane does not exist',
  },
  {
    ids: 'CI-007',
    title: 'object of another kind does not exist',
    given: { controlPlane: 'missing', names: { ...base.names, controlPlaneKind: 'FakeControlPlane' } },
    row: 'C08',
    state: 'WaitingControlPlane',
    says: 'Unknown/DoesNotExist|ObjectDoesNotExist/FakeControlPlane does not exist',
  },
  {
    ids: 'CI-010 C-8',
    title: 'field of the wrong type',
    given: { controlPlane: 'unreadable', problem: 'it is a string' },
    row: 'C09',
    state: 'Unreadable',
    says: `Unknown/InternalError/${cause}`,
  },
  {
    ids: 'CI-008 C-6 CT-6',
    title: 'field is true',
    given: { controlPlane: 'initialized' },
    row: 'C10',
    state: 'Initialized',
    says: 'True/Initialized/',
    twin: 'True',
  },
  {
    ids: 'C-14 V-3',
    title: 'field is true, object deleting',
    given: { controlPlane: 'initialized', isControlPlaneDeleting: true },
    row: 'C10',
    state: 'Initialized',
    says: 'True/Initialized/',
  },
  {
    ids: 'V-1',
    title: 'field is true, deprecated condition True already',
    given: { controlPlane: 'initialized', isTwinInitialized: true },
    row: 'C10',
    state: 'Initialized',
    says: 'True/Initialized/',
  },
  {
    ids: 'C-15',
    title: 'field is true, Cluster deleting',
    given: { controlPlane: 'initialized', isDeleting: true },
    row: 'C10',
    state: 'Initialized',
    says: 'True/Initialized/',
    twin: 'True',
  },
  {
    ids: 'CI-009 CI-011 C-7 CT-5',
    title: 'field is false or absent',
    given: {},
    row: 'C11',
    state: 'WaitingControlPlane',
    says: 'False/NotInitialized/Control plane not yet initialized',
    twin: providerWaits,
  },
  {
    ids: 'C-14 V-3',
    title: 'field is false, object deleting',
    given: { isControlPlaneDeleting: true },
    row: 'C11',
    state: 'WaitingControlPlane',
    says: 'False/NotInitialized/Control plane not yet initialized',
  },
  {
    ids: 'V-1',
    title: 'field is false, deprecated condition True already',
    given: { isTwinInitialized: true },
    row: 'C11',
    state: 'WaitingControlPlane',
    says: 'False/NotInitialized/Control plane not yet initialized',
  },
  {
    ids: 'CI-009',
    title: 'field is false, a Machine has a node',
    given: { machines: 'node' },
    row: 'C11',
    state: 'WaitingControlPlane',
    says: 'False/NotInitialized/Control plane not yet initialized',
    twin: providerWaits,
  },
  {
    ids: 'CI-009',
    title: 'field is false, Machines cannot be listed',
    given: { machines: 'unlisted' },
    row: 'C11',
    state: 'WaitingControlPlane',
    says: 'False/NotInitialized/Control plane not yet initialized',
    twin: providerWaits,
  },
  {
    ids: 'CI-012 C-9 CT-7',
    title: 'standalone, Machines cannot be listed',
    given: { ...noRef, machines: 'unlisted' },
    row: 'C12',
    state: 'Unreadable',
    says: `Unknown/InternalError/${cause}`,
  },
  {
    ids: 'CI-013 CI-014 C-10 CT-9 V-8',
    title: 'standalone, a control plane Machine has a node',
    given: { ...noRef, machines: 'node' },
    row: 'C13',
    state: 'Initialized',
    says: 'True/Initialized/',
    twin: 'True',
  },
  {
    ids: 'CI-013 C-10 V-9',
    title: 'standalone, only a Machine that is being deleted has a node',
    given: { ...noRef, machines: 'leavingNode' },
    row: 'C13',
    state: 'Initialized',
    says: 'True/Initialized/',
    twin: nodeWaits,
  },
  {
    ids: 'C-16 V-6',
    title: 'standalone, Cluster deleting, a node',
    given: { ...noRef, machines: 'node', isDeleting: true },
    row: 'C13',
    state: 'Initialized',
    says: 'True/Initialized/',
  },
  {
    ids: 'CI-014 CI-015 C-11 CT-8 V-9',
    title: 'standalone, no control plane Machine has a node',
    given: noRef,
    row: 'C14',
    state: 'WaitingFirstNode',
    says: `False/NotInitialized/${firstNode}`,
    twin: nodeWaits,
  },
  {
    ids: 'C-16 V-6',
    title: 'standalone, Cluster deleting, no node',
    given: { ...noRef, isDeleting: true },
    row: 'C14',
    state: 'WaitingFirstNode',
    says: `False/NotInitialized/${firstNode}`,
  },
  {
    ids: 'CI-005 C-12',
    title: 'the kind cannot be watched',
    on: 'EFFECT_FAILED',
    given: {
      controlPlane: 'unwatched',
      failure: { request: 'watchControlPlane', kind: 'ControlPlaneUnavailable', message: 'no' },
    },
    row: 'C30',
    state: 'Unreadable',
    says: `Unknown/InternalError/${cause}`,
  },
  {
    ids: 'CI-005',
    title: 'right after the watch came up: object cannot be read',
    on: 'CONTROL_PLANE_WATCHED',
    given: { controlPlane: 'unavailable' },
    row: 'C20',
    state: 'Unreadable',
    says: `Unknown/InternalError/${cause}`,
  },
  {
    ids: 'CI-006',
    title: 'right after the watch came up: object does not exist',
    on: 'CONTROL_PLANE_WATCHED',
    given: { controlPlane: 'missing' },
    row: 'C21',
    state: 'WaitingControlPlane',
    says: 'Unknown/DoesNotExist|ObjectDoesNotExist/KubeadmControlPlane does not exist',
  },
  {
    ids: 'CI-010',
    title: 'right after the watch came up: field of the wrong type',
    on: 'CONTROL_PLANE_WATCHED',
    given: { controlPlane: 'unreadable' },
    row: 'C22',
    state: 'Unreadable',
    says: `Unknown/InternalError/${cause}`,
  },
  {
    ids: 'CI-008',
    title: 'right after the watch came up: field is true',
    on: 'CONTROL_PLANE_WATCHED',
    given: { controlPlane: 'initialized' },
    row: 'C23',
    state: 'Initialized',
    says: 'True/Initialized/',
    twin: 'True',
  },
  {
    ids: 'CI-009',
    title: 'right after the watch came up: field is false',
    on: 'CONTROL_PLANE_WATCHED',
    given: {},
    row: 'C24',
    state: 'WaitingControlPlane',
    says: 'False/NotInitialized/Control plane not yet initialized',
    twin: providerWaits,
  },
  {
    ids: 'T2',
    title: 'right after the watch came up, for a Cluster that names nothing',
    on: 'CONTROL_PLANE_WATCHED',
    given: { ...noRef, controlPlane: 'initialized' },
    row: 'C24',
    state: 'WaitingControlPlane',
    says: 'False/NotInitialized/Control plane not yet initialized',
    twin: providerWaits,
  },
];

const profiles = ['table', 'upstream'] as const;

/** Runs an example on a table, from every state and in both profiles of reasons. */
export function checkExample(given: typeof table, example: Example): void {
  const machine = createChart(given as never);
  for (const reasons of profiles) {
    const facts: Facts = Object.freeze({ ...base, ...example.given, reasons });
    for (const from of Object.keys(given.states)) {
      const start = restore(machine, { value: from, context: { row: null, sinceMs: 0, wakeAtMs: null } }) as Snapshot;
      const { after, requests } = step(machine, start, { type: example.on ?? 'OBSERVED', nowMs: 1000, facts } as never);
      const { row, wakeAtMs } = restOf(after).context;
      const intents = given.rows.find(({ id }) => id === row)?.conditions(facts) ?? [];
      expect({
        row,
        state: leafState(after.value),
        request: requests.map(({ type }) => type).join(),
        wakeAtMs,
        says: intents.map(said).join(),
        twin: intents.map(twinOf).join(),
      }).toEqual({
        row: example.row,
        state: example.state ?? from,
        request: example.request ?? '',
        wakeAtMs: null,
        says: example.says === null ? '' : `ControlPlaneInitialized/${ofProfile(example.says, reasons)}`,
        twin: example.twin ?? '',
      });
    }
  }
}

const ofProfile = (text: string, profile: (typeof profiles)[number]): string =>
  text.replace(/(\w+)\|(\w+)/, profile === 'table' ? '$1' : '$2');

const said = ({ type, status, reason, message, onlyIfAbsent, only }: ConditionIntent): string =>
  `${type}/${status}/${reason}/${message}${onlyIfAbsent === true ? ' if absent' : ''}${only ?? ''}`;

const twinOf = ({ v1beta1 }: ConditionIntent): string =>
  v1beta1 === undefined
    ? ''
    : [v1beta1.status, v1beta1.reason, v1beta1.severity, v1beta1.message]
        .filter((part) => part !== undefined)
        .join('/');
