// Facts for tests of the table: a worker whose cluster is initialised and whose data is not stored, unless told otherwise.
import type { ActorContext, Failure } from '../../../machines/kit/row.js';
import { born, leafState, restOf, restore, rowOnFacts, step } from '../../../machines/kit/step.js';
import { chart } from '../../../machines/kubeadmconfig/chart.js';
import type { Facts, FailureKind, Reply, Request, State } from '../../../machines/kubeadmconfig/facts.js';
import { projectStatus, type Status } from '../../../machines/kubeadmconfig/status.js';

export const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
export const TTL_MS = 900_000;

/** A worker that may join. */
export function worker(more: Partial<Facts> = {}): Facts {
  return {
    failure: null,
    isHandled: true,
    isDeleting: false,
    owner: 'Machine',
    hasCluster: true,
    isFailedForGood: false,
    isPaused: false,
    dataSecret: 'none',
    infrastructureProvisioned: true,
    ownerHasData: false,
    dataStored: 'no',
    controlPlaneInitialized: true,
    isControlPlaneMachine: false,
    lock: 'free',
    hasCertificatesToAdopt: false,
    isTokenDiscovery: false,
    hasToken: false,
    isTokenOurs: false,
    dataToken: 'same',
    nodeJoined: false,
    tokenDue: false,
    tokenTrouble: 'none',
    recreateLostTokens: true,
    generation: 3,
    tokenTtlMs: TTL_MS,
    tokenCheckInMs: TTL_MS / 3,
    names: { namespace: 'default', config: 'w-0', owner: 'w-0', cluster: 'c1', lockHolder: '' },
    pauseMessage: '',
    failureForGood: '',
    dataSecretProblem: '',
    dataSecretName: 'w-0',
    lockProblem: '',
    ...more,
  };
}

/** A control plane Machine whose cluster is not initialised. */
export function controlPlane(more: Partial<Facts> = {}): Facts {
  return worker({ isControlPlaneMachine: true, controlPlaneInitialized: false, ...more });
}

/** A worker whose data with a token is stored. */
export function joined(more: Partial<Facts> = {}): Facts {
  return worker({
    dataStored: 'yes',
    dataSecret: 'ours',
    isTokenDiscovery: true,
    hasToken: true,
    isTokenOurs: true,
    ...more,
  });
}

/** A pool whose data with a token is stored. */
export function pool(more: Partial<Facts> = {}): Facts {
  return joined({ owner: 'MachinePool', ...more });
}

/** Facts after a failed effect. */
export function failedFacts(facts: Facts, request: Request, kind: FailureKind | string, message = 'the cause'): Facts {
  const failure: Failure<Request> = { request, kind, message };
  return { ...facts, failure };
}

type Event = 'OBSERVED' | 'EFFECT_FAILED' | Reply;

/** What one event did. */
export interface Done {
  readonly row: string;
  readonly state: State;
  readonly request: Request | null;
  readonly wakeInMs: number | null;
  readonly context: ActorContext;
}

/** One event from a state. */
export function answer(event: Event, facts: Facts, from: State | null = null, nowMs = NOW_MS): Done {
  const snapshot =
    from === null
      ? born(chart)
      : restore(chart, { value: from, context: { row: null, sinceMs: nowMs - 1000, wakeAtMs: null } });
  if (snapshot === null) throw new Error(`there is no state ${from}`);
  const { after, requests } = step<Facts, Request, Reply>(chart, snapshot, { type: event, nowMs, facts });
  const { context } = restOf(after);
  return {
    row: rowOnFacts(chart, facts, event),
    state: leafState(after.value) as State,
    request: requests[0]?.type ?? null,
    wakeInMs: context.wakeAtMs === null ? null : context.wakeAtMs - nowMs,
    context,
  };
}

/** A look. */
export function look(facts: Facts, from: State | null = null): Done {
  return answer('OBSERVED', facts, from);
}

/** The status that events in order leave behind. */
export function statusAfter(steps: readonly (readonly [Event, Facts])[], stored: Status = {}, nowMs = NOW_MS): Status {
  const trail = steps.map(([event, facts]) => ({ row: rowOnFacts(chart, facts, event), facts }));
  const last = steps.at(-1)?.[1] ?? worker();
  const failed = steps.some(([, facts]) => facts.failure !== null);
  return projectStatus(stored, { trail, facts: last, failed, nowMs });
}

/** `status reason message` of a condition; null when there is none. */
export function said(status: Status, type: string): string | null {
  const condition = status.conditions?.find((each) => each.type === type);
  if (condition === undefined) return null;
  return [condition.status, condition.reason, condition.message].filter((part) => part !== '').join(' ');
}

/** `status reason severity message` of a deprecated condition; null when there is none. */
export function saidBefore(status: Status, type: string): string | null {
  const condition = status.deprecated?.v1beta1?.conditions?.find((each) => each.type === type);
  if (condition === undefined) return null;
  const { reason = '', severity = '', message = '' } = condition;
  return [condition.status, reason, severity, message].filter((part) => part !== '').join(' ');
}
