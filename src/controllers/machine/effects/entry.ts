// The effects before a Machine is worked on: its finalizer, and live reads of what no cache shows.
//
// The reads end in a failure either way: the object is not there, or the cache is behind and the next look will see it.

import { finalizer } from '../../../api/names.js';
import { staleView } from '../../../../machines/machine/words.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import { isApiError } from '../../../kube/failures.js';
import { withLedger } from '../../../kube/ledger-client.js';
import { kinds, machineTarget, targetOf, type StoredMachine } from '../objects.js';
import { reply, turnOf, type EffectDeps, type MachineEffect } from '../turn.js';

const clusterApi = `${kinds.cluster.group}/${kinds.cluster.version}`;

/** Reads the Cluster live. Never succeeds. */
export function readCluster({ ports }: EffectDeps): MachineEffect {
  return async ({ machine }, _facts, { signal }) => {
    const namespace = machine.metadata.namespace ?? '';
    const name = machine.spec.clusterName;
    const object = { apiVersion: clusterApi, kind: 'Cluster', namespace, name };
    try {
      await ports.client.get(targetOf(kinds.cluster, namespace, name), { signal });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      throw new EffectFailure(
        'ClusterNotFound',
        `failed to get Cluster ${namespace}/${name}: ${error.message}`,
        object,
      );
    }
    throw new EffectFailure(staleView, `the cache does not show Cluster ${namespace}/${name} yet`, object);
  };
}

/** Reads the missing owner live. Never succeeds. */
export function readOwners({ ports }: EffectDeps): MachineEffect {
  return async ({ machine, owners }, _facts, { signal }) => {
    const namespace = machine.metadata.namespace ?? '';
    const { kind, name, of } = owners.missing ?? { kind: 'MachineSet', name: '', of: '' };
    const object = { apiVersion: clusterApi, kind, namespace, name };
    const resource = kind === 'MachineSet' ? kinds.machineSet : kinds.machineDeployment;
    try {
      await ports.client.get(targetOf(resource, namespace, name), { signal });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      throw new EffectFailure('OwnerNotFound', `failed to retrieve owner ${kind} for ${of}: ${error.message}`, object);
    }
    throw new EffectFailure(staleView, `the cache does not show ${kind} ${namespace}/${name} yet`, object);
  };
}

/** Adds the finalizer. Guarded: finalizers of others are never lost. */
export function addFinalizer({ ports }: EffectDeps): MachineEffect {
  return async (view, _facts, { signal, ledger }) => {
    const turn = turnOf(view);
    const { finalizers = [], resourceVersion, uid } = turn.machine.metadata;
    turn.machine = await withLedger(ports.client, ledger).mergePatch<StoredMachine>(
      machineTarget(turn.machine),
      { metadata: { uid, resourceVersion, finalizers: [...finalizers, finalizer.machine] } },
      { signal },
    );
    return reply('FINALIZER_ADDED');
  };
}
