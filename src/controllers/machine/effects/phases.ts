// The always phases: each brings one thing in line and tells by an error what it could not. Running one twice changes nothing.
//
//   P1. An object of somebody else is never taken over.
//   P2. Every patch that replaces a list carries the version it was made from.
//   P3. A Machine on its way out is confirmed live before it takes anything: objects of its names may be a successor's.

import type { ContractReference } from '../../../api/core.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import { isApiError } from '../../../kube/failures.js';
import { withLedger } from '../../../kube/ledger-client.js';
import { isEmptyReference } from '../external/contract-version.js';
import { ownershipOf } from '../external/ownership.js';
import { bootstrapReading, infrastructureReading, type ExternalLook } from '../external/readings.js';
import { nodeSyncOf } from '../facts-of-view.js';
import { machineChanges } from '../machine-changes.js';
import { nodeProblem } from '../node/node-sync.js';
import { machineLog } from '../machine-log.js';
import { machineTarget, nodeTarget, targetOf, type ExternalObjectJson, type StoredMachine } from '../objects.js';
import { phase, turnOf, type EffectDeps, type MachineEffect, type Turn } from '../turn.js';
import type { EffectContext } from '../../../host/contract.js';
import type { MachineView } from '../view.js';
import { mustStillBeDeleting } from './confirm.js';
import { liveClient } from '../workload/live-client.js';
import { workloadSilent } from '../workload/silence.js';

/** Opens the watches that the Machine needs. Kinds are waited for, up to a bound; workload clusters never are. */
export function openWatches(deps: EffectDeps): MachineEffect {
  return phase(deps, 'openWatches', async (view, facts, { signal }) => {
    const { definition, externals, workloads } = deps.ports;
    const { machine, cluster } = view;
    const references = [
      machine.spec.bootstrap?.configRef,
      machine.spec.infrastructureRef,
      ...(view.controlPlane === null ? [] : [cluster?.spec?.controlPlaneRef]),
    ].filter((reference): reference is ContractReference => !isEmptyReference(reference));
    if (facts.unwatched.includes('Node')) {
      workloads.open({ namespace: machine.metadata.namespace ?? '', name: machine.spec.clusterName });
    }
    const [problems] = await Promise.all([
      Promise.all(references.map((reference) => externals.open(reference, signal))),
      definition.read(signal),
    ]);
    const [problem] = problems.filter((each) => each !== null);
    if (problem !== undefined) throw new EffectFailure('Unreadable', problem);
  });
}

/** Writes owner, label, data secret name, provider ID and failure domain in one patch. */
export function patchMachine(deps: EffectDeps): MachineEffect {
  const { ports } = deps;
  return async (view, facts, context) => {
    const turn = turnOf(view);
    const work = phase(deps, 'patchMachine', async (now, _facts, { signal, ledger }) => {
      const { machine, cluster } = now;
      const readings = readingsOf(now);
      const { names, metadata, spec } = machineChanges({
        ...readings,
        machine,
        cluster,
        infrastructureLook: now.infrastructure,
      });
      if (names.length === 0) return;
      const { uid, resourceVersion } = machine.metadata;
      const guard = 'ownerReferences' in metadata ? { resourceVersion } : {};
      const body = { metadata: { uid, ...guard, ...metadata }, ...(Object.keys(spec).length === 0 ? {} : { spec }) };
      turn.machine = await withLedger(ports.client, ledger).mergePatch<StoredMachine>(machineTarget(machine), body, {
        signal,
      });
      logFirsts(deps, now, names);
    });
    return work(view, facts, context);
  };
}

function readingsOf({ machine, cluster, bootstrap, infrastructure }: MachineView) {
  const { configRef } = machine.spec.bootstrap ?? {};
  const context = { machine, cluster };
  return {
    bootstrap: bootstrap === null || configRef === undefined ? null : bootstrapReading(configRef, bootstrap, context),
    infrastructure: infrastructureReading(machine.spec.infrastructureRef, infrastructure, context),
  };
}

function logFirsts({ ports }: EffectDeps, view: MachineView, names: readonly string[]): void {
  const { machine } = view;
  const log = machineLog(ports, view);
  if (names.includes('spec.bootstrap.dataSecretName')) log.info('Bootstrap provider generated data secret');
  if (names.includes('spec.providerID') && machine.spec.providerID === undefined) {
    log.info('Infrastructure provider has completed provisioning');
  }
}

/** Makes the Machine the controller of its bootstrap object. */
export function adoptBootstrap(deps: EffectDeps): MachineEffect {
  return adopt(deps, 'adoptBootstrap', 'bootstrap');
}

/** Makes the Machine the controller of its infrastructure object. */
export function adoptInfrastructure(deps: EffectDeps): MachineEffect {
  return adopt(deps, 'adoptInfrastructure', 'infrastructure');
}

function adopt(
  deps: EffectDeps,
  name: 'adoptBootstrap' | 'adoptInfrastructure',
  which: 'bootstrap' | 'infrastructure',
): MachineEffect {
  return async (view, facts, context) => {
    const turn = turnOf(view);
    const work = phase(deps, name, async (now, _facts, effect) => {
      const look = now[which];
      if (look?.kind === 'found') await adoptObject(deps, now, { look, which, turn, effect });
      const reading = readingsOf({ ...now, [which]: turn[which] ?? look })[which];
      if (reading === null) return;
      if (reading.kind === 'unreadable') throw new EffectFailure('Unreadable', reading.message, nameOf(reading, now));
      if (reading.kind === 'found' && reading.problem !== null) {
        throw new EffectFailure('WrongField', reading.problem, nameOf(reading, now));
      }
    });
    return work(view, facts, context);
  };
}

function nameOf(
  {
    apiVersion,
    objectKind,
    objectName,
  }: { readonly apiVersion: string; readonly objectKind: string; readonly objectName: string },
  { machine }: MachineView,
): EffectFailure['object'] {
  return { apiVersion, kind: objectKind, namespace: machine.metadata.namespace ?? '', name: objectName };
}

async function adoptObject(
  { ports }: EffectDeps,
  view: MachineView,
  {
    look,
    which,
    turn,
    effect: { ledger, signal },
  }: {
    readonly look: Extract<ExternalLook, { readonly kind: 'found' }>;
    readonly which: 'bootstrap' | 'infrastructure';
    readonly turn: Turn;
    readonly effect: EffectContext;
  },
): Promise<void> {
  const { machine, cluster } = view;
  if (cluster === null) return;
  const ownership = ownershipOf(look.object, { machine, cluster });
  if (ownership.kind !== 'wrong') return;
  const reference = which === 'bootstrap' ? machine.spec.bootstrap.configRef : machine.spec.infrastructureRef;
  const kind = reference === undefined ? null : ports.externals.kindOf(reference);
  if (kind === null) return;
  if (machine.metadata.deletionTimestamp !== undefined) await mustStillBeDeleting(ports, view, signal);
  const { uid, resourceVersion, name, namespace = '' } = look.object.metadata;
  const { ownerReferences, labels } = ownership;
  const object = await withLedger(ports.client, ledger).mergePatch<ExternalObjectJson>(
    targetOf(kind.resource, namespace, name),
    { metadata: { uid, resourceVersion, ownerReferences, labels } },
    { signal },
  );
  turn[which] = { ...look, object };
}

/** Brings labels, annotations and taints to the Node; tells what cannot be looked up. */
export function syncNode(deps: EffectDeps): MachineEffect {
  const { ports } = deps;
  return async (view, facts, context) => {
    const turn = turnOf(view);
    const work = phase(deps, 'syncNode', async (now, present, { signal }) => {
      const { node, certificatesExpiry } = present;
      // What a watch does not reach may answer a call; once it does, its Nodes follow and wake the Machine.
      if (node.kind === 'unreachable') {
        await liveClient(ports, now, { what: 'error getting client: ', signal });
        mustBeReadable(ports, now);
      }
      if (node.kind === 'ambiguous') {
        turn.events.push({ type: 'Warning', reason: 'Failed to retrieve Node by ProviderID', message: node.message });
        throw new EffectFailure('NodeAmbiguous', node.message);
      }
      const [found] = now.nodes;
      if (found !== undefined && now.workload.kind === 'open') {
        const sync = nodeSyncOf(found, now, ports.settings);
        if (sync.kind === 'problem') throw new EffectFailure('NodeProblem', nodeProblem(found, sync.message));
        if (sync.kind === 'differs') {
          const { resourceVersion, uid } = found.metadata;
          const { name } = found.metadata;
          const metadata = {
            uid,
            resourceVersion,
            labels: replaced(found.metadata.labels, sync.labels),
            annotations: replaced(found.metadata.annotations, sync.annotations),
          };
          const patch = { metadata, spec: { taints: sync.taints } };
          const client = await liveClient(ports, now, { what: 'error getting client: ', signal });
          await client.mergePatch(nodeTarget(name), patch, { signal }).catch((error: unknown) => {
            if (!isApiError(error)) throw error;
            throw new EffectFailure(`Api${error.failure.kind}`, nodeProblem(found, error.failure.message));
          });
          if (sync.becomesInterruptible) {
            turn.events.push({ type: 'Normal', reason: 'SuccessfulSetInterruptibleNodeLabel', message: name });
          }
        }
      }
      if (certificatesExpiry.kind === 'invalid') throw new EffectFailure('WrongExpiry', certificatesExpiry.message);
    });
    return work(view, facts, context);
  };
}

/** A cluster that answers and does not let its Nodes be read is one whose Nodes are unknown. */
function mustBeReadable({ workloads }: Pick<EffectDeps['ports'], 'workloads'>, view: MachineView): void {
  const { metadata, spec } = view.machine;
  const look = workloads.look({ namespace: metadata.namespace ?? '', name: spec.clusterName });
  if (look.kind === 'unreachable') throw workloadSilent(view, `error getting Nodes: ${look.message}`);
}

/** A map as a merge patch: keys that are gone become null. */
function replaced(
  before: Readonly<Record<string, string>> | undefined,
  after: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  const gone = Object.keys(before ?? {}).filter((key) => !(key in after));
  return { ...after, ...Object.fromEntries(gone.map((key) => [key, null])) };
}
