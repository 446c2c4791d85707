// The ConfigMap of an actor's snapshot, for those who want the status untouched: one write for every controller.
//
//   E1. Server-side apply: what is there and was not seen, because it lost its label, is taken over and labelled again.

import { label } from '../api/names.js';
import type { EffectContext, Envelope } from '../host/contract.js';
import { envelopeText } from '../host/envelope.js';
import { actorConfigMap, type SnapshotOwner } from '../host/snapshot-stores.js';
import type { ApiClient, Target } from '../kube/contract.js';

/** Writes the ConfigMap of an actor. Safe to repeat. */
export async function writeSnapshotConfigMap(
  client: Pick<ApiClient, 'apply'>,
  given: {
    readonly resource: Target['resource'];
    readonly envelope: Envelope;
    readonly owner: SnapshotOwner;
    /** Name of the actor: the ConfigMap's is made from it. */
    readonly actor: string;
    readonly cluster: string;
  },
  { signal, noteSnapshot }: Pick<EffectContext, 'signal' | 'noteSnapshot'>,
): Promise<void> {
  const { resource, envelope, owner, actor, cluster } = given;
  const configMap = actorConfigMap(envelope, { owner, actor, labels: { [label.clusterName]: cluster } });
  const { namespace, name } = configMap.metadata;
  const options = { signal, fieldManager: 'kubeadm-bootstrap-operator', force: true };
  await client.apply({ resource, namespace, name }, configMap, options);
  noteSnapshot?.(envelopeText(envelope));
}
