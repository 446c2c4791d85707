// One pass of a drain: cordon, look at the Pods, evict what is next, tell what is left.
//
//   G1. The start of the drain is recorded before the first eviction, so that its time limit survives a restart.
//   G2. A pass may be repeated at any time: what is gone is gone, and what is refused is asked for again.
//   G3. A Node is never uncordoned.

import { byMessage, isDrained } from '../../../../machines/machine/messages.js';
import type { DrainReport, MachineFacts, MachineStatus } from '../../../../machines/machine/facts.js';
import { nodeName } from '../../../../machines/machine/guards.js';
import { drainStarts } from '../../../../machines/machine/intents.js';
import { projectOldStatus } from '../../../../machines/machine/status/project.js';
import { conditionTime } from '../../../conditions/condition.js';
import type { ApiClient } from '../../../kube/contract.js';
import { isApiError } from '../../../kube/failures.js';
import { withLedger } from '../../../kube/ledger-client.js';
import { mergeDiff } from '../../kubeadmconfig/merge-diff.js';
import { evictPods } from '../drain/evict.js';
import { groupPods } from '../drain/group-pods.js';
import { aboutNode, classifiedPods, isUnreachable, prefixed } from '../drain/node-pods.js';
import { machineLog } from '../machine-log.js';
import { keyOf, machineTarget, nodeTarget, type StoredMachine, type StoredNode, type StoredPod } from '../objects.js';
import { currentView, reply, turnOf, type EffectDeps, type MachineEffect } from '../turn.js';
import type { MachineView } from '../view.js';
import { liveClient } from '../workload/live-client.js';

/** Grace for Pods of a Node that does not answer, and how long such Pods may be terminating before they are passed over. */
const UNREACHABLE_GRACE_SECONDS = 1;

/** Drains the Node as far as it goes now. */
export function drainNode(deps: EffectDeps): MachineEffect {
  const { ports, waits } = deps;
  return async (view, facts, context) => {
    const turn = turnOf(view);
    const status = await recordStart(deps, view, facts, context);
    const now = currentView(ports, view);
    const name = nodeName(facts) ?? '';
    const log = machineLog(ports, view, { Node: name });
    const learned = { status };
    try {
      const client = await liveClient(ports, now, { what: `failed to drain Node ${name}: `, signal: context.signal });
      const node = await getNode(client, name, context.signal);
      if (node === null) {
        log.info('Could not find Node from Machine.status.nodeRef, skipping Node drain.');
        return done(turn, name, learned);
      }
      waits.watchPods(now, name);
      const report = await drainPass(deps, { view: now, node, client, context });
      if (isDrained(report)) return done(turn, name, learned);
      waits.waitFor(now, 'Pod', podsOf(report));
      log.info('Drain not completed yet, requeuing in 20s', fieldsOf(report));
      return reply('PODS_LEFT', { ...learned, drain: { kind: 'left', report } });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!context.signal.aborted) {
        turn.events.push({
          type: 'Warning',
          reason: 'FailedDrainNode',
          message: `error draining Machine's node "${name}": ${message}`,
        });
      }
      throw aboutNode(error, name);
    }
  };
}

function done(turn: ReturnType<typeof turnOf>, name: string, learned: Partial<MachineFacts>): ReturnType<typeof reply> {
  turn.events.push({
    type: 'Normal',
    reason: 'SuccessfulDrainNode',
    message: `success draining Machine's node "${name}"`,
  });
  return reply('NODE_DRAINED', { ...learned, drain: { kind: 'drained' } });
}

/** Writes the start of the drain, and what the deprecated conditions say of it: a pass may take a while. */
async function recordStart(
  { ports }: EffectDeps,
  view: MachineView,
  facts: MachineFacts,
  { ledger, nowMs, signal }: Parameters<MachineEffect>[2],
): Promise<MachineStatus> {
  const { status } = facts;
  if (status.deletion?.nodeDrainStartTime !== undefined) return status;
  const turn = turnOf(view);
  const { uid, resourceVersion } = turn.machine.metadata;
  const nodeDrainStartTime = conditionTime(nowMs());
  const deletion = { ...turn.machine.status?.deletion, nodeDrainStartTime };
  const begun: MachineFacts = { ...facts, status: { ...turn.machine.status, deletion } };
  const told = mergeDiff(turn.machine.status ?? {}, projectOldStatus(begun, drainStarts(begun)));
  const write = (metadata: object, part: unknown): Promise<StoredMachine> =>
    withLedger(ports.client, ledger).mergePatch<StoredMachine>(
      machineTarget(turn.machine),
      { metadata, status: part } as object,
      { subresource: 'status', signal },
    );
  try {
    turn.machine = await write({ uid, resourceVersion }, told);
  } catch (error) {
    if (!isApiError(error, 'Conflict')) throw error;
    // Somebody wrote meanwhile: the lists of conditions are left to the end of the turn, the start cannot wait.
    turn.machine = await write({ uid }, { deletion: { nodeDrainStartTime } });
  }
  return { ...status, deletion: { ...status.deletion, nodeDrainStartTime } };
}

/** The Node, or null when it is gone. */
export async function getNode(client: ApiClient, name: string, signal: AbortSignal): Promise<StoredNode | null> {
  try {
    return await client.get<StoredNode>(nodeTarget(name), { signal });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return null;
    return prefixed(`unable to get Node ${name}`, Promise.reject(error as Error));
  }
}

async function drainPass(
  { ports, daemonSets }: EffectDeps,
  {
    view,
    node,
    client,
    context: { nowMs, signal },
  }: {
    readonly view: MachineView;
    readonly node: StoredNode;
    readonly client: ApiClient;
    readonly context: Parameters<MachineEffect>[2];
  },
): Promise<DrainReport> {
  const { name } = node.metadata;
  const log = machineLog(ports, view, { Node: name });
  const { cluster, machine } = view;
  if (cluster === null) throw new Error(`${view.key}: a drain was asked for without a Cluster`);
  const isGone = isUnreachable(node);
  if (isGone)
    log.verbose(
      3,
      'Node is unreachable, draining will use 1s GracePeriodSeconds and will ignore all Pods that have a deletionTimestamp > 1s old',
    );
  await cordon(client, node, signal);
  const classified = await classifiedPods({
    client,
    daemonSets,
    node: name,
    machine,
    cluster,
    rules: ports.caches.drainRules.list(machine.metadata.namespace ?? ''),
    nowMs: nowMs(),
    terminatingMaxMs: isGone ? UNREACHABLE_GRACE_SECONDS * 1000 : null,
    signal,
  });
  const groups = groupPods(classified);
  if (Object.values(groups as unknown as Record<string, readonly StoredPod[]>).every((group) => group.length === 0))
    log.info('Drain completed');
  else log.info('Draining Node');
  const { evicted, failed } = await evictPods(groups.evictNow, {
    client,
    nowMs,
    signal,
    gracePeriodSeconds: isGone ? UNREACHABLE_GRACE_SECONDS : null,
  });
  const names = (pods: readonly StoredPod[]): readonly string[] => pods.map(keyOf).toSorted();
  return {
    // Those that were terminating before come first, as upstream lists them: only three are shown.
    terminating: [...names(groups.terminating), ...names(evicted)],
    failed: byMessage(failed),
    waitNow: names(groups.waitNow),
    evictLater: names(groups.evictLater),
    waitLater: names(groups.waitLater),
  };
}

async function cordon(client: ApiClient, node: StoredNode, signal: AbortSignal): Promise<void> {
  if (node.spec?.unschedulable === true) return;
  const { name, uid } = node.metadata;
  await prefixed(
    `failed to cordon Node ${name}: failed to cordon Node`,
    client.mergePatch(nodeTarget(name), { metadata: { uid }, spec: { unschedulable: true } }, { signal }),
  );
}

/** The Pods that are still on the Node. */
function podsOf({ terminating, failed, waitNow, evictLater, waitLater }: DrainReport): readonly string[] {
  return [...terminating, ...failed.flatMap(({ pods }) => pods), ...waitNow, ...evictLater, ...waitLater];
}

function fieldsOf(report: DrainReport): Readonly<Record<string, unknown>> {
  const some = (pods: readonly string[]): string => pods.slice(0, 5).join(', ');
  return {
    podsFailedEviction: some(report.failed.flatMap(({ pods }) => pods)),
    podsWithDeletionTimestamp: some(report.terminating),
    podsToTriggerEvictionLater: some(report.evictLater),
    podsToWaitCompletedNow: some(report.waitNow),
    podsToWaitCompletedLater: some(report.waitLater),
  };
}
