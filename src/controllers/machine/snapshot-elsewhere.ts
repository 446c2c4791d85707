// Where an actor's snapshot goes for those who want the status untouched: an annotation of the Machine, or a ConfigMap.

import { resources } from '../../api/names.js';
import type { EffectContext, Envelope } from '../../host/contract.js';
import {
  ACTOR_ANNOTATION,
  ACTOR_CONFIGMAP_KEY,
  actorConfigMapName,
  envelopeToWrite,
} from '../../host/snapshot-stores.js';
import { envelopeText } from '../../host/envelope.js';
import { withLedger } from '../../kube/ledger-client.js';
import { resourceOf } from '../../kube/resource-paths.js';
import { machineTarget, targetOf, type StoredMachine } from './objects.js';
import type { Ports } from './ports.js';

const configMaps = resourceOf(resources.ConfigMap);

/** What is written where. */
export interface SnapshotWrite {
  readonly machine: StoredMachine;
  readonly envelope: Envelope | null;
  readonly context: EffectContext;
}

/** The name of a Machine's ConfigMap: not that of the KubeadmConfig which is called the same. */
export function snapshotConfigMap(machine: StoredMachine): string {
  return actorConfigMapName(`${machine.metadata.name}-machine`);
}

/** Writes a snapshot that the status does not hold, if it changed. */
export async function writeSnapshotElsewhere(
  ports: Ports,
  { machine, envelope, context }: SnapshotWrite,
): Promise<void> {
  const { signal, ledger, noteSnapshot } = context;
  const { uid, resourceVersion, namespace = '', annotations } = machine.metadata;
  switch (ports.settings.snapshotStore) {
    case 'annotation': {
      const next = envelopeToWrite(annotations?.[ACTOR_ANNOTATION] ?? null, envelope);
      if (next === null) return;
      const text = envelopeText(next);
      const metadata = { uid, resourceVersion, annotations: { [ACTOR_ANNOTATION]: text } };
      await withLedger(ports.client, ledger).mergePatch(machineTarget(machine), { metadata }, { signal });
      noteSnapshot?.(text);
      return;
    }
    case 'configmap': {
      if (envelope === null) return;
      const text = envelopeText(envelope);
      const name = snapshotConfigMap(machine);
      const object = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name,
          namespace,
          ownerReferences: [
            { apiVersion: resources.Machine.apiVersion, kind: 'Machine', name: machine.metadata.name, uid },
          ],
        },
        data: { [ACTOR_CONFIGMAP_KEY]: text },
      };
      const options = { signal, fieldManager: 'kubeadm-bootstrap-operator', force: true };
      await ports.client.apply(targetOf(configMaps, namespace, name), object, options);
      noteSnapshot?.(text);
      return;
    }
    default:
  }
}
