// One look at the volumes that are still attached to a Node.
//
//   V1. Everything is read live; what a cache shows decides nothing here.
//   V2. The start of the wait goes into the status that this turn writes, also when nothing can be looked at: its time limit
//       ends the wait for a cluster that does not answer.

import { isDetached } from '../../../../machines/machine/messages.js';
import type { VolumeReport } from '../../../../machines/machine/facts.js';
import { nodeName } from '../../../../machines/machine/guards.js';
import { conditionTime } from '../../../conditions/condition.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import type { ApiClient } from '../../../kube/contract.js';
import { aboutNode, classifiedPods, isUnreachable, prefixed } from '../drain/node-pods.js';
import { machineLog } from '../machine-log.js';
import { kinds, type StoredNode, type StoredPersistentVolume, type StoredVolumeAttachment } from '../objects.js';
import { currentView, reply, turnOf, type EffectDeps, type MachineEffect } from '../turn.js';
import type { MachineView } from '../view.js';
import { attachedTo, claimsOf, volumeReport } from '../volumes/attached-volumes.js';
import { listAll } from '../workload/list-all.js';
import { liveClient } from '../workload/live-client.js';
import { getNode } from './drain-node.js';

const nothing: VolumeReport = {
  claims: [],
  volumesWithoutClaim: [],
  nodeEntriesWithoutVolume: [],
  attachmentsWithoutVolume: [],
};

interface Look {
  readonly report: VolumeReport;
  readonly attachments: readonly string[];
}

/** Looks what is attached. */
export function checkVolumes(deps: EffectDeps): MachineEffect {
  const { ports, waits } = deps;
  return async (view, facts, { nowMs, signal }) => {
    const turn = turnOf(view);
    const now = currentView(ports, view);
    const name = nodeName(facts) ?? '';
    const log = machineLog(ports, view, { Node: name });
    const { status } = facts;
    const start = status.deletion?.waitForNodeVolumeDetachStartTime ?? conditionTime(nowMs());
    turn.deletion = { waitForNodeVolumeDetachStartTime: start };
    const learned = {
      status: { ...status, deletion: { ...status.deletion, waitForNodeVolumeDetachStartTime: start } },
    };
    try {
      const client = await liveClient(ports, now, { what: '', signal });
      const node = await getNode(client, name, signal);
      const { report, attachments } = await lookAtVolumes(deps, {
        view: now,
        node,
        client,
        nowMs: nowMs(),
        signal,
        log,
      });
      if (!isDetached(report)) {
        waits.watchVolumes(now, name);
        waits.waitFor(now, 'VolumeAttachment', attachments);
        log.info('Waiting for Node volumes to be detached', { ...report });
        return reply('VOLUMES_ATTACHED', { ...learned, volumes: { kind: 'attached', report } });
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!signal.aborted) {
        const what = `error waiting for node volumes detaching, Machine's node "${name}": ${message}`;
        turn.events.push({ type: 'Warning', reason: 'FailedWaitForVolumeDetach', message: what });
      }
      throw aboutNode(error, name);
    }
    const message = `success waiting for node volumes detaching Machine's node "${name}"`;
    turn.events.push({ type: 'Normal', reason: 'NodeVolumesDetached', message });
    return reply('VOLUMES_DETACHED', { ...learned, volumes: { kind: 'detached' } });
  };
}

/** What is attached, and by which VolumeAttachments. */
async function lookAtVolumes(
  { ports, daemonSets }: EffectDeps,
  {
    view,
    node,
    client,
    nowMs,
    signal,
    log,
  }: {
    readonly view: MachineView;
    readonly node: StoredNode | null;
    readonly client: ApiClient;
    readonly nowMs: number;
    readonly signal: AbortSignal;
    readonly log: EffectDeps['ports']['log'];
  },
): Promise<Look> {
  if (node === null) {
    log.info('Could not find Node from Machine.status.nodeRef, skip waiting for volume detachment.');
    return { report: nothing, attachments: [] };
  }
  if (isUnreachable(node)) {
    log.info('Node is unreachable, skip waiting for volume detachment.');
    return { report: nothing, attachments: [] };
  }
  const { cluster, machine } = view;
  if (cluster === null) throw new Error(`${view.key}: volumes were asked for without a Cluster`);
  const attachments = ports.settings.considerVolumeAttachments
    ? await prefixed(
        'failed to list VolumeAttachments: failed to list VolumeAttachments',
        listAll<StoredVolumeAttachment>(client, kinds.volumeAttachment, { signal }),
      )
    : [];
  const attached = attachedTo(node, attachments);
  if ('problem' in attached) throw new EffectFailure('UnclearVolume', attached.problem);
  if (attached.nodeEntries.length === 0 && attached.volumes.length === 0) return { report: nothing, attachments: [] };
  const pods = await classifiedPods({
    client,
    daemonSets,
    node: node.metadata.name,
    machine,
    cluster,
    rules: ports.caches.drainRules.list(machine.metadata.namespace ?? ''),
    nowMs,
    terminatingMaxMs: null,
    signal,
  }).catch((error: unknown) => {
    if (!(error instanceof EffectFailure)) throw error;
    throw new EffectFailure(
      error.kind,
      `failed to find PersistentVolumeClaims from Pods ignored during drain: ${error.message}`,
      error.object,
    );
  });
  const ignored = claimsOf(pods.flatMap(({ pod, answer }) => (answer.kind === 'skip' ? [pod] : [])));
  const volumes = await prefixed(
    'failed to list PersistentVolumes',
    listAll<StoredPersistentVolume>(client, kinds.persistentVolume, { signal }),
  );
  const isOfNode = ({ spec, status }: StoredVolumeAttachment): boolean =>
    spec.nodeName === node.metadata.name && status?.attached === true;
  return {
    report: volumeReport(attached, volumes, ignored),
    attachments: attachments.filter(isOfNode).map(({ metadata }) => metadata.name),
  };
}
