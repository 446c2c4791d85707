// Facts from a view: total and pure. What effects learn comes on top.

import type { WakeCause } from '../../host/contract.js';
import type { ActorContext } from '../../../machines/kit/row.js';
import type {
  CertificatesExpiry,
  ClusterReading,
  ConnectionReading,
  ControlPlaneReading,
  DrainReading,
  MachineFacts,
  MachineReading,
  NodeReading,
} from '../../../machines/machine/facts.js';
import { conditionTime } from '../../conditions/condition.js';
import { annotation, finalizer, label, resources } from '../../api/names.js';
import { flagField, isRecord, valueOr } from './external/field.js';
import { bootstrapReading, infrastructureReading, type ExternalLook } from './external/readings.js';
import { machineChanges } from './machine-changes.js';
import { nodeProblem, nodeSync } from './node/node-sync.js';
import { groupOf, type StoredMachine, type StoredNode } from './objects.js';
import type { Settings } from './ports.js';
import type { WaitedKind } from './workload/wait-watches.js';
import { templateDifferences } from './template-differences.js';
import { isControlPlaneInitialized, isPausedItself, wantsNodes, type MachineView } from './view.js';

/** What facts need beside the view. */
export interface FactsContext {
  readonly nowMs: number;
  readonly settings: Settings;
  /** The actor's own memory and why it looks; null where there is no actor. */
  readonly actor: {
    readonly context: ActorContext;
    readonly causes: readonly WakeCause[];
    /** Whether a change of what the Machine waits for would be told. */
    readonly isWatching: (kind: WaitedKind) => boolean;
  } | null;
}

/** The facts of a view. */
export function factsOfView(view: MachineView, context: FactsContext): MachineFacts {
  const { machine, cluster } = view;
  const configRef = machine.spec.bootstrap?.configRef;
  const readingContext = { machine, cluster };
  const bootstrap =
    view.bootstrap === null || configRef === undefined
      ? null
      : bootstrapReading(configRef, view.bootstrap, readingContext);
  const infrastructure = infrastructureReading(machine.spec.infrastructureRef, view.infrastructure, readingContext);
  const { missing } = view.owners;
  return {
    failure: null,
    nowMs: context.nowMs,
    machine: machineReading(machine),
    status: machine.status ?? {},
    cluster: cluster === null ? null : clusterReading(cluster),
    missingOwner: missing === null ? null : { kind: missing.kind, name: missing.name },
    bootstrap,
    infrastructure,
    node: nodeReading(view, context.settings),
    connection: connectionReading(view, context.settings),
    controlPlane: controlPlaneReading(view.controlPlane),
    controlPlaneMachines: view.controlPlaneMachines,
    templateDifferences: templateDifferences(view.owners, context.nowMs),
    drain: restingOr(context, { waitsFor: 'Pod', rows: ['M45', 'M60'] }),
    volumes: restingOr(context, { waitsFor: 'VolumeAttachment', rows: ['M43', 'M65'] }),
    machineChanges: machineChanges({
      machine,
      cluster,
      bootstrap,
      infrastructure,
      infrastructureLook: view.infrastructure,
    }).names,
    attempted: [],
    phaseFailure: null,
    unwatched: unwatched(view),
    certificatesExpiry: certificatesExpiry(view),
    keepsHookTimes: view.keepsHookTimes === true,
  };
}

function machineReading(machine: StoredMachine): MachineReading {
  const { metadata, spec } = machine;
  const annotations = metadata.annotations ?? {};
  const hooks = (prefix: string): readonly string[] =>
    Object.keys(annotations)
      .filter((key) => key.startsWith(prefix))
      .toSorted();
  const { deletionTimestamp } = metadata;
  const limits = spec.deletion ?? {};
  const isMarked = annotations[annotation.updateInProgress] !== undefined;
  const isPending = (annotations[annotation.pendingHooks] ?? '').split(',').includes('UpdateMachine');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    generation: metadata.generation ?? 0,
    isControlPlane: metadata.labels?.[label.controlPlane] !== undefined,
    hasKubeadmControlPlane: hasKubeadmControlPlane(machine),
    hasFinalizer: metadata.finalizers?.includes(finalizer.machine) === true,
    otherFinalizers: (metadata.finalizers ?? []).filter((name) => name !== finalizer.machine),
    isPausedItself: isPausedItself(machine),
    deletingSinceMs: deletionTimestamp === undefined ? null : Date.parse(deletionTimestamp),
    clusterName: spec.clusterName,
    version: spec.version ?? '',
    dataSecretName: spec.bootstrap?.dataSecretName ?? null,
    providerId: spec.providerID ?? '',
    minReadySeconds: spec.minReadySeconds ?? 0,
    readinessGates: (spec.readinessGates ?? []).map(({ conditionType, polarity }) => ({
      type: conditionType,
      isNegative: polarity === 'Negative',
    })),
    preDrainHooks: hooks(annotation.preDrainHookPrefix),
    preTerminateHooks: hooks(annotation.preTerminateHookPrefix),
    isDrainExcluded: annotations[annotation.excludeNodeDraining] !== undefined,
    isVolumeWaitExcluded: annotations[annotation.excludeWaitForNodeVolumeDetach] !== undefined,
    drainTimeoutMs: (limits.nodeDrainTimeoutSeconds ?? 0) * 1000,
    volumeTimeoutMs: (limits.nodeVolumeDetachTimeoutSeconds ?? 0) * 1000,
    nodeDeletionTimeoutMs: (limits.nodeDeletionTimeoutSeconds ?? 0) * 1000,
    isUpdating: isMarked || isPending,
    isUpdateAwaited: isMarked && isPending,
  };
}

function hasKubeadmControlPlane({ metadata }: StoredMachine): boolean {
  const { apiVersion, kind } = resources.KubeadmControlPlane;
  const isOne = (owner: { readonly apiVersion: string; readonly kind: string }): boolean =>
    owner.kind === kind && groupOf(owner.apiVersion) === groupOf(apiVersion);
  return metadata.ownerReferences?.some(isOne) === true;
}

function clusterReading(cluster: NonNullable<MachineView['cluster']>): ClusterReading {
  const isInitialized = isControlPlaneInitialized(cluster);
  const since = cluster.status?.conditions?.find(({ type }) => type === 'ControlPlaneInitialized')?.lastTransitionTime;
  const sinceMs = Date.parse(since ?? '');
  return {
    isPaused: cluster.spec?.paused === true,
    isDeleting: cluster.metadata.deletionTimestamp !== undefined,
    infrastructureProvisioned: cluster.status?.initialization?.infrastructureProvisioned === true,
    controlPlaneInitialized: isInitialized,
    controlPlaneInitializedSinceMs: isInitialized && !Number.isNaN(sinceMs) ? sinceMs : null,
    hasControlPlaneRef: cluster.spec?.controlPlaneRef !== undefined,
  };
}

function controlPlaneReading(look: ExternalLook | null): ControlPlaneReading {
  if (look === null) return { kind: 'none' };
  if (look.kind !== 'found') return look;
  return {
    kind: 'found',
    isDeleting: look.object.metadata.deletionTimestamp !== undefined,
    isExternallyManaged: valueOr(flagField(look.object, ['status', 'externalManagedControlPlane']), false),
  };
}

function connectionReading({ workload }: MachineView, { remoteConditionsGraceMs }: Settings): ConnectionReading {
  const health = workload.kind === 'closed' ? { lastHeardMs: null, downSinceMs: null, isDown: false } : workload.health;
  return { ...health, isConnected: workload.kind === 'open', graceMs: remoteConditionsGraceMs };
}

function nodeReading(view: MachineView, settings: Settings): NodeReading {
  const { workload, nodes, providerId } = view;
  if (!wantsNodes(view)) return { kind: 'unsought' };
  if (workload.kind === 'closed' || workload.kind === 'connecting') return { kind: 'connecting' };
  if (workload.kind === 'unreachable') {
    return {
      kind: 'unreachable',
      message: `error getting client: connection to the workload cluster is down: ${workload.message}`,
    };
  }
  if (providerId === '') return { kind: 'unsought' };
  const [node, second] = nodes;
  if (node === undefined) return { kind: 'missing' };
  if (second !== undefined) {
    return {
      kind: 'ambiguous',
      message: `unexpectedly found more than one Node matching the providerID ${providerId}`,
    };
  }
  return foundNode(node, view, settings);
}

function foundNode(node: StoredNode, view: MachineView, settings: Settings): NodeReading {
  // A Machine on its way out that never had a provider ID of its own learns the name of its Node, and nothing is brought there.
  const sync: ReturnType<typeof nodeSyncOf> =
    (view.machine.spec.providerID ?? '') === '' ? { kind: 'same' } : nodeSyncOf(node, view, settings);
  return {
    kind: 'found',
    name: node.metadata.name,
    conditions: (node.status?.conditions ?? []).map(({ type, status, message = '', lastTransitionTime }) => ({
      type,
      status,
      message,
      lastTransitionTime: lastTransitionTime ?? null,
    })),
    nodeInfo: knownNodeInfo(node.status?.nodeInfo ?? {}),
    isSynced: sync.kind === 'same',
    problem: sync.kind === 'problem' ? nodeProblem(node, sync.message) : null,
  };
}

/** Fields of `nodeInfo` that Machines have: the API server would drop others, and each turn would write them again. */
const nodeInfoFields: readonly string[] = [
  'architecture',
  'bootID',
  'containerRuntimeVersion',
  'kernelVersion',
  'kubeProxyVersion',
  'kubeletVersion',
  'machineID',
  'operatingSystem',
  'osImage',
  'systemUUID',
];

function knownNodeInfo(nodeInfo: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { swap } = nodeInfo;
  const capacity = isRecord(swap) ? swap['capacity'] : undefined;
  return {
    ...Object.fromEntries(Object.entries(nodeInfo).filter(([name]) => nodeInfoFields.includes(name))),
    ...(isRecord(swap) ? { swap: capacity === undefined ? {} : { capacity } } : {}),
  };
}

/** How a Node stands to what its Machine wants, with the settings of this process. */
export function nodeSyncOf(node: StoredNode, view: MachineView, settings: Settings): ReturnType<typeof nodeSync> {
  return nodeSync(node, {
    machine: view.machine,
    infrastructure: view.infrastructure.kind === 'found' ? view.infrastructure.object : null,
    owners: view.owners,
    additionalLabels: settings.additionalSyncLabels,
    additionalAnnotations: settings.additionalSyncAnnotations,
    propagateTaints: settings.propagateTaints,
  });
}

/** What is not watched yet, by name. */
function unwatched(view: MachineView): readonly string[] {
  const { bootstrap, infrastructure, controlPlane, workload, machine, keepsHookTimes } = view;
  return [
    ...(bootstrap?.kind === 'unwatched' ? [machine.spec.bootstrap.configRef?.kind ?? ''] : []),
    ...(infrastructure.kind === 'unwatched' ? [machine.spec.infrastructureRef.kind] : []),
    ...(controlPlane?.kind === 'unwatched' ? [view.cluster?.spec?.controlPlaneRef?.kind ?? ''] : []),
    ...(workload.kind === 'closed' && wantsNodes(view) ? ['Node'] : []),
    ...(keepsHookTimes === null ? [resources.CustomResourceDefinition.kind] : []),
  ];
}

/**
 * A pass is due unless the last one is young, nothing that it waits for has changed since, and a change would have been told:
 * after a restart or a lost connection nobody knows what happened meanwhile.
 */
function restingOr(
  { actor, nowMs }: FactsContext,
  { waitsFor, rows }: { readonly waitsFor: WaitedKind; readonly rows: readonly string[] },
): Extract<DrainReading, { readonly kind: 'due' | 'resting' }> {
  if (actor === null) return { kind: 'due' };
  const { row, wakeAtMs } = actor.context;
  const isYoung = row !== null && rows.includes(row) && wakeAtMs !== null && wakeAtMs > nowMs;
  const changes: readonly string[] = waitsFor === 'Pod' ? [waitsFor, 'MachineDrainRule'] : [waitsFor];
  const isChanged = actor.causes.some((cause) => cause.kind === 'object' && changes.includes(cause.objectKind));
  return { kind: isYoung && !isChanged && actor.isWatching(waitsFor) ? 'resting' : 'due' };
}

function certificatesExpiry({ machine, bootstrap }: MachineView): CertificatesExpiry {
  if (machine.metadata.labels?.[label.controlPlane] === undefined) return { kind: 'unsought' };
  const objects = [machine, ...(bootstrap?.kind === 'found' ? [bootstrap.object] : [])];
  for (const { metadata } of objects) {
    const text = metadata.annotations?.[annotation.certificatesExpiry];
    if (text === undefined) continue;
    const atMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(atMs)) return { kind: 'date', value: conditionTime(atMs) };
    const where = `${metadata.namespace ?? ''}/${metadata.name}`;
    const cause = `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse`;
    return {
      kind: 'invalid',
      message: `failed to reconcile certificates expiry: failed to parse expiry date from annotation on ${where}: ${cause}`,
    };
  }
  return { kind: 'none' };
}
