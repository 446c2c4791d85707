// The deletions at the end of a Machine's life: infrastructure, bootstrap object, Node, and the finalizer last.
//
//   L1. Each reads live what the step before must have reached; anything else is a stale view, and nothing is deleted.
//   L2. An object is deleted by its uid: the one that was seen, never a successor of the same name.

import type { ContractReference } from '../../../api/core.js';
import { annotation, finalizer } from '../../../api/names.js';
import {
  isInfrastructureReleased,
  isNodeDeletionTimeoutExceeded,
  leftAloneText,
  nodeName,
  nodeNotDeleted,
} from '../../../../machines/machine/guards.js';
import { staleView } from '../../../../machines/machine/words.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import type { Clock } from '../../../host/contract.js';
import type { ApiClient } from '../../../kube/contract.js';
import { isApiError } from '../../../kube/failures.js';
import { CROWDED } from '../../../kube/kept-bytes.js';
import { withLedger } from '../../../kube/ledger-client.js';
import type { ExternalLook } from '../external/readings.js';
import { machineLog } from '../machine-log.js';
import { machineTarget, nodeTarget, targetOf, type StoredMachine, type StoredNode } from '../objects.js';
import { currentView, reply, turnOf, type EffectDeps, type MachineEffect } from '../turn.js';
import type { MachineView } from '../view.js';
import { mustBeGone, mustStillBeDeleting, objectsMustBeGone } from './confirm.js';
import { liveClient } from '../workload/live-client.js';
import { noClient } from '../workload/silence.js';

type EffectArguments = Parameters<MachineEffect>;

/** Deletes the infrastructure object, once no hook of the Machine as it is now holds it. */
export function deleteInfrastructure(deps: EffectDeps): MachineEffect {
  return async (view, facts, context) => {
    if (!isInfrastructureReleased(facts)) throw new Error(`${view.key}: the infrastructure is still held: a bug`);
    const now = currentView(deps.ports, view);
    const cause = leftAloneText(facts);
    if (cause !== null) {
      const log = machineLog(deps.ports, view);
      log.info('Skipping deletion of Kubernetes Node associated with Machine as it is not allowed', {
        Node: nodeName(facts) ?? '',
        cause,
      });
    }
    await hooksMustBeGone(deps, now, context);
    await deleteExternal(deps, now, {
      reference: now.machine.spec.infrastructureRef,
      look: now.infrastructure,
      context,
    });
    return reply('INFRASTRUCTURE_DELETION_ASKED');
  };
}

/** Deletes the bootstrap object, once the infrastructure object is gone. */
export function deleteBootstrap(deps: EffectDeps): MachineEffect {
  return async (view, _facts, context) => {
    const now = currentView(deps.ports, view);
    const reference = now.machine.spec.bootstrap.configRef;
    if (reference === undefined) return reply('BOOTSTRAP_DELETION_ASKED');
    const namespace = now.machine.metadata.namespace ?? '';
    await mustBeGone(deps.ports, { reference: now.machine.spec.infrastructureRef, namespace, signal: context.signal });
    // What it does not control may be a successor's.
    if (!isControlled(now.bootstrap, now.machine)) await mustStillBeDeleting(deps.ports, now, context.signal);
    await deleteExternal(deps, now, { reference, look: now.bootstrap, context });
    return reply('BOOTSTRAP_DELETION_ASKED');
  };
}

function isControlled(look: ExternalLook | null, { metadata: { uid } }: StoredMachine): boolean {
  if (look?.kind !== 'found') return false;
  return look.object.metadata.ownerReferences?.some((each) => each.controller === true && each.uid === uid) === true;
}

/** The Machine as the server has it: no hook has come since the cache was read, and it is still being deleted. */
async function hooksMustBeGone(
  { ports }: EffectDeps,
  view: MachineView,
  { signal }: EffectArguments[2],
): Promise<void> {
  const live = await mustStillBeDeleting(ports, view, signal);
  const hasHook = Object.keys(live.metadata.annotations ?? {}).some((key) =>
    key.startsWith(annotation.preTerminateHookPrefix),
  );
  if (hasHook) throw new EffectFailure(staleView, 'the cache does not show the Machine as it is now');
}

async function deleteExternal(
  { ports }: EffectDeps,
  { machine }: MachineView,
  {
    reference,
    look,
    context: { ledger, signal },
  }: {
    readonly reference: ContractReference;
    readonly look: ExternalLook | null;
    readonly context: EffectArguments[2];
  },
): Promise<void> {
  const kind = ports.externals.kindOf(reference);
  if (kind === null || look?.kind !== 'found')
    throw new EffectFailure(staleView, `${reference.kind} ${reference.name} is not there any more`);
  const { name, namespace = '', uid } = look.object.metadata;
  try {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await withLedger(ports.client, ledger).delete(targetOf(kind.resource, namespace, name), {
      signal,
      ...preconditions,
    });
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.failure.kind === 'NotFound') return;
    const what = `failed to delete ${reference.kind} "${name}" for Machine "${machine.metadata.name}" in namespace "${namespace}": ${error.message}`;
    throw new EffectFailure(`Api${error.failure.kind}`, what, {
      apiVersion: look.object.apiVersion,
      kind: reference.kind,
      namespace,
      name,
    });
  }
}

/** Between two tries of one deletion of a Node. */
const NODE_DELETION_POLL_MS = 2_000;
/** For how long one turn tries. */
const NODE_DELETION_TRY_MS = 10_000;

/** Deletes the Node, trying for a while. */
export function deleteNode(deps: EffectDeps): MachineEffect {
  const { ports } = deps;
  return async (view, facts, { signal, nowMs }) => {
    const now = currentView(ports, view);
    const name = nodeName(facts) ?? '';
    const log = machineLog(ports, view, { Node: name });
    log.info('Deleting Node');
    const endMs = nowMs() + NODE_DELETION_TRY_MS;
    // After the last try the Node is left behind, so it takes its time. Others come again, and hold up no turn of another cluster.
    const isLastTry = isNodeDeletionTimeoutExceeded({ ...facts, nowMs: endMs });
    const confirm = async (): Promise<void> => {
      await mustStillBeDeleting(ports, now, signal);
      await objectsMustBeGone(ports, now, { withBootstrap: true, signal });
    };
    const seen: SeenNode = { uid: null };
    for (;;) {
      try {
        const ask = isLastTry ? { sinceMs: ports.clock.monotonicMs() } : {};
        const client = await liveClient(ports, now, { what: 'failed deleting Node because ', signal, ...ask });
        await deleteNodeOnce(client, { name, seen, signal, confirm });
        return reply('NODE_DELETED');
      } catch (error) {
        if (error instanceof EffectFailure && error.kind === staleView) throw error;
        const isSilent = error instanceof EffectFailure && noClient.includes(error.kind);
        const isOver = nowMs() + NODE_DELETION_POLL_MS > endMs || signal.aborted || (isSilent && !isLastTry);
        if (isOver) {
          if (signal.aborted) throw error;
          log.error('Timed out deleting Node', { err: error });
          const message = error instanceof Error ? error.message : String(error);
          turnOf(view).events.push({
            type: 'Warning',
            reason: 'FailedDeleteNode',
            message: `error deleting Machine's Node: ${message}`,
          });
          throw error;
        }
      }
      await sleep(ports.clock, NODE_DELETION_POLL_MS, signal);
    }
  };
}

/** The Node as this turn saw it first. */
interface SeenNode {
  uid: string | null;
}

/**
 * Deletes the Node as it was while its Machine was still there: whatever has its name when a late request arrives, or at a
 * later try, is a successor's.
 */
async function deleteNodeOnce(
  client: ApiClient,
  {
    name,
    seen,
    signal,
    confirm,
  }: {
    readonly name: string;
    readonly seen: SeenNode;
    readonly signal: AbortSignal;
    readonly confirm: () => Promise<void>;
  },
): Promise<void> {
  const node = await orGone(name, client.get<StoredNode>(nodeTarget(name), { signal }));
  if (node === null) return;
  const { uid } = node.metadata;
  seen.uid ??= uid ?? null;
  if (seen.uid !== null && seen.uid !== uid) return;
  await confirm();
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  await orGone(name, client.delete(nodeTarget(name), { signal, ...preconditions }));
}

/** What a call about a Node answers; null when the Node is gone. */
async function orGone<T>(name: string, call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.failure.kind === 'NotFound') return null;
    // What this process had no room to read says nothing about the Node.
    if (error.failure.reason === CROWDED) throw error;
    throw new EffectFailure(nodeNotDeleted, `error deleting node ${name}: ${error.message}`, {
      apiVersion: 'v1',
      kind: 'Node',
      namespace: '',
      name,
    });
  }
}

function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.schedule(delayMs, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** Removes our finalizer and no other, once everything that was the Machine's is gone. */
export function removeFinalizer(deps: EffectDeps): MachineEffect {
  const { ports } = deps;
  return async (view, _facts, { signal, ledger }) => {
    const turn = turnOf(view);
    await objectsMustBeGone(ports, currentView(ports, view), { withBootstrap: true, signal });
    const { finalizers = [], uid, resourceVersion } = turn.machine.metadata;
    const left = finalizers.filter((name) => name !== finalizer.machine);
    try {
      turn.machine = await withLedger(ports.client, ledger).mergePatch<StoredMachine>(
        machineTarget(turn.machine),
        { metadata: { uid, resourceVersion, finalizers: left } },
        { signal },
      );
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    return reply('FINALIZER_REMOVED');
  };
}
