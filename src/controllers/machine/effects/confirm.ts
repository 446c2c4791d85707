// Live reads that confirm what a cache showed, before something is decided that cannot be taken back.
//
// A cache may be behind: what it does not show may be there all the same. A read that shows something else than the cache is
// told as a stale view, and the next look decides.

import type { ContractReference } from '../../../api/core.js';
import { infrastructureGone, nodeGone, staleView } from '../../../../machines/machine/words.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import { isApiError } from '../../../kube/failures.js';
import { isEmptyReference } from '../external/contract-version.js';
import { flagField, valueOr } from '../external/field.js';
import { inNamespace } from '../machine-indexes.js';
import { machineLog } from '../machine-log.js';
import { machineTarget, targetOf, type ExternalObjectJson, type StoredMachine } from '../objects.js';
import type { Ports } from '../ports.js';
import { currentView, reply, type EffectDeps, type MachineEffect } from '../turn.js';
import type { MachineView } from '../view.js';
import { liveClient } from '../workload/live-client.js';
import { getNode } from './drain-node.js';

/** Confirms that the infrastructure object is gone. Never succeeds. */
export function confirmInfrastructure({ ports }: EffectDeps): MachineEffect {
  return async (view, _facts, { signal }) => {
    const { machine } = view;
    const reference = machine.spec.infrastructureRef;
    await mustBeGone(ports, { reference, namespace: machine.metadata.namespace ?? '', signal });
    const key = inNamespace(machine.metadata.namespace ?? '', reference.name);
    machineLog(ports, view).error(
      'Machine infrastructure reference has been deleted after provisioning was completed, setting failure state',
    );
    throw new EffectFailure(infrastructureGone, `could not find ${reference.kind} ${key} for Machine ${view.key}`, {
      apiVersion: reference.apiGroup,
      kind: reference.kind,
      namespace: machine.metadata.namespace ?? '',
      name: reference.name,
    });
  };
}

/** Throws unless a live read answers that there is no such object. */
export async function mustBeGone(
  ports: Pick<Ports, 'client' | 'externals'>,
  {
    reference,
    namespace,
    signal,
  }: { readonly reference: ContractReference; readonly namespace: string; readonly signal: AbortSignal },
): Promise<void> {
  const object = await readExternal(ports, { reference, namespace, signal });
  if (object !== null)
    throw new EffectFailure(staleView, `${reference.kind} ${namespace}/${reference.name} is still there`);
}

/** An external object, live; null when there is none. */
export async function readExternal(
  { client, externals }: Pick<Ports, 'client' | 'externals'>,
  {
    reference,
    namespace,
    signal,
  }: { readonly reference: ContractReference; readonly namespace: string; readonly signal: AbortSignal },
): Promise<ExternalObjectJson | null> {
  const kind = externals.kindOf(reference);
  if (kind === null)
    throw new EffectFailure('Unreadable', `the kind ${reference.kind} of group ${reference.apiGroup} cannot be read`);
  try {
    return await client.get<ExternalObjectJson>(targetOf(kind.resource, namespace, reference.name), { signal });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return null;
    throw error;
  }
}

/** The Machine, live: the one that was seen, and being deleted. Throws a stale view otherwise. */
export async function mustStillBeDeleting(
  { client }: Pick<Ports, 'client'>,
  { machine }: MachineView,
  signal: AbortSignal,
): Promise<StoredMachine> {
  const live = await client.get<StoredMachine>(machineTarget(machine), { signal });
  if (live.metadata.uid !== machine.metadata.uid || live.metadata.deletionTimestamp === undefined)
    throw new EffectFailure(staleView, 'the cache does not show the Machine as it is now');
  return live;
}

/** Confirms that the Node is gone. Never succeeds. */
export function confirmNode({ ports }: EffectDeps): MachineEffect {
  return async (view, { status }, { signal }) => {
    const name = status.nodeRef?.name ?? '';
    const client = await liveClient(ports, currentView(ports, view), { what: `failed to get Node ${name}: `, signal });
    const node = await getNode(client, name, signal);
    if (node !== null && node.spec?.providerID === view.providerId) {
      throw new EffectFailure(staleView, `the cache does not show Node ${name} yet`);
    }
    const [namespace, machine] = [view.machine.metadata.namespace ?? '', view.machine.metadata.name];
    const what = `no matching Node for Machine "${machine}" in namespace "${namespace}": cannot find node with matching ProviderID`;
    throw new EffectFailure(nodeGone, what, { apiVersion: 'v1', kind: 'Node', namespace: '', name });
  };
}

/** Reads the control plane object live, where its watch cannot. */
export function readControlPlane({ ports }: EffectDeps): MachineEffect {
  return async ({ cluster, machine }, _facts, { signal }) => {
    const reference = cluster?.spec?.controlPlaneRef;
    if (reference === undefined || isEmptyReference(reference))
      return reply('OBSERVED', { controlPlane: { kind: 'none' } });
    const namespace = machine.metadata.namespace ?? '';
    const object = { apiVersion: reference.apiGroup, kind: reference.kind, namespace, name: reference.name };
    try {
      const found = await readExternal(ports, { reference, namespace, signal });
      if (found === null) return reply('OBSERVED', { controlPlane: { kind: 'missing' } });
      const isDeleting = found.metadata.deletionTimestamp !== undefined;
      const isExternallyManaged = valueOr(flagField(found, ['status', 'externalManagedControlPlane']), false);
      return reply('OBSERVED', { controlPlane: { kind: 'found', isDeleting, isExternallyManaged } });
    } catch (error) {
      if (!isApiError(error) && !(error instanceof EffectFailure)) throw error;
      const what = `failed to check if Kubernetes Node deletion is allowed: ${error.message}`;
      throw new EffectFailure('ControlPlaneUnreadable', what, object);
    }
  };
}

/** Throws unless everything that must go before the Node is gone, read live. */
export async function objectsMustBeGone(
  ports: Pick<Ports, 'client' | 'externals'>,
  { machine }: MachineView,
  { withBootstrap, signal }: { readonly withBootstrap: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const namespace = machine.metadata.namespace ?? '';
  await mustBeGone(ports, { reference: machine.spec.infrastructureRef, namespace, signal });
  const configRef = machine.spec.bootstrap?.configRef;
  if (withBootstrap && configRef !== undefined && !isEmptyReference(configRef)) {
    await mustBeGone(ports, { reference: configRef, namespace, signal });
  }
}
