// Where an actor's snapshot goes for those who want the status untouched: an annotation of the Machine, or a ConfigMap.
//
//   E1. What is stored already is not written again: a settled Machine costs no write.

import { resources } from '../../api/names.js';
import type { EffectContext, Envelope } from '../../host/contract.js';
import { envelopeText } from '../../host/envelope.js';
import { actorAnnotationPatch, envelopeToWrite } from '../../host/snapshot-stores.js';
import { withLedger } from '../../kube/ledger-client.js';
import { writeSnapshotConfigMap } from '../snapshot-config-map.js';
import { kinds, machineTarget, type StoredMachine } from './objects.js';
import type { Ports } from './ports.js';
import { snapshotActor } from './snapshot-name.js';
import { readStoredEnvelope } from './stored-envelope.js';
import type { MachineView } from './view.js';

/** What is written where. */
export interface SnapshotWrite {
  /** The Machine as the turn's last write left it. */
  readonly machine: StoredMachine;
  readonly envelope: Envelope | null;
  readonly context: EffectContext;
}

/** Writes a snapshot that the status does not hold, if it changed. */
export async function writeSnapshotElsewhere(
  ports: Ports,
  view: MachineView,
  { machine, envelope, context }: SnapshotWrite,
): Promise<void> {
  const { snapshotStore } = ports.settings;
  if (snapshotStore !== 'annotation' && snapshotStore !== 'configmap') return;
  const next = envelopeToWrite(readStoredEnvelope({ ...view, machine }, ports.settings), envelope);
  if (next === null) return;
  const client = withLedger(ports.client, context.ledger);
  const { uid = '', resourceVersion = '', namespace = '' } = machine.metadata;
  if (snapshotStore === 'annotation') {
    await client.mergePatch(machineTarget(machine), actorAnnotationPatch(next, { uid, resourceVersion }), {
      signal: context.signal,
    });
    context.noteSnapshot?.(envelopeText(next));
    return;
  }
  const { apiVersion, kind } = resources.Machine;
  const { name } = machine.metadata;
  const owner = { apiVersion, kind, namespace, name, uid };
  const given = { resource: kinds.configMap, envelope: next, owner, actor: snapshotActor(name) };
  await writeSnapshotConfigMap(client, { ...given, cluster: machine.spec.clusterName }, context);
}
