// Where an actor's snapshot goes for those who want the status untouched: an annotation of the Machine, or a ConfigMap.
//
//   E1. What is stored already is not written again: a settled Machine costs no write.
//   E2. A ConfigMap that lost its label is not seen, and gets it back with the next write.

import { label, resources } from '../../api/names.js';
import type { EffectContext, Envelope } from '../../host/contract.js';
import { envelopeText } from '../../host/envelope.js';
import { ACTOR_CONFIGMAP_KEY, actorAnnotationPatch, envelopeToWrite } from '../../host/snapshot-stores.js';
import { withLedger } from '../../kube/ledger-client.js';
import { kinds, machineTarget, targetOf, type StoredMachine } from './objects.js';
import type { Ports } from './ports.js';
import { snapshotConfigMapName } from './snapshot-name.js';
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
  { machine, envelope, context: { signal, ledger, noteSnapshot } }: SnapshotWrite,
): Promise<void> {
  const { snapshotStore } = ports.settings;
  if (snapshotStore !== 'annotation' && snapshotStore !== 'configmap') return;
  const next = envelopeToWrite(readStoredEnvelope({ ...view, machine }, ports.settings), envelope);
  if (next === null) return;
  const client = withLedger(ports.client, ledger);
  const { uid = '', resourceVersion = '', namespace = '' } = machine.metadata;
  if (snapshotStore === 'annotation') {
    await client.mergePatch(machineTarget(machine), actorAnnotationPatch(next, { uid, resourceVersion }), { signal });
    noteSnapshot?.(envelopeText(next));
    return;
  }
  const name = snapshotConfigMapName(machine.metadata.name);
  const options = { signal, fieldManager: 'kubeadm-bootstrap-operator', force: true };
  await client.apply(targetOf(kinds.configMap, namespace, name), configMap(machine, name, next), options);
  noteSnapshot?.(envelopeText(next));
}

function configMap({ metadata, spec }: StoredMachine, name: string, envelope: Envelope): object {
  const { namespace = '', uid } = metadata;
  return {
    apiVersion: resources.ConfigMap.apiVersion,
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace,
      labels: { [label.clusterName]: spec.clusterName },
      ownerReferences: [{ apiVersion: resources.Machine.apiVersion, kind: 'Machine', name: metadata.name, uid }],
    },
    data: { [ACTOR_CONFIGMAP_KEY]: envelopeText(envelope) },
  };
}
