// One look of the reconciler at a KubeadmConfig without a cluster: data, a wait or a refusal, and what it would store.
//
//   O1. The order of checks is the reconciler's, so the same stream gives the same answer.
//   O2. A token is asked for only where the reconciler would make one, keys only where it would generate certificates.
//   O3. No input makes it throw: what does not have the API's shape is a refusal that names the field.
import type { Cluster, KubernetesObject } from '../api/core.js';
import type { KubeadmConfig } from '../api/kubeadmconfig/v1beta2.js';
import { annotation } from '../api/names.js';
import {
  completeDiscovery,
  dataToken,
  loadCertificates,
  prepareControlPlaneJoin,
  prepareInit,
  prepareWorkerJoin,
  renderMode,
  withToken,
} from './bootstrap-data.js';
import type { Certificates, CertificateWant, ClusterFacts, KeyPair, Refused, RenderResult } from './bootstrap-types.js';
import {
  clusterFacts,
  isControlPlaneInitialized,
  isControlPlaneMachine,
  ownerKubernetesVersion,
} from './cluster-facts.js';
import { listOf, memberOf, textOf } from './loose-json.js';
import type { BootstrapFormat, BootstrapMode, Contributor } from './node-data.js';
import { controlPlaneVersion, find, initLockHolder, secretReads, surroundings, type World } from './offline-world.js';
import { refuseCertificates, refuseData } from './refusals.js';
import { readSpec, unknownFields } from './spec-shape.js';
import type { ClusterConfiguration, KubeadmConfigSpec } from './spec-types.js';

const waitingForInfrastructure = 'Waiting for Cluster status.infrastructureReady to be true';
const waitingForControlPlane = 'Waiting for Cluster control plane to be initialized';

/** What one condition says after the look. */
export interface ConditionAfter {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The conditions that were set, by type. One that is not here was not touched. */
export interface ConditionsAfter {
  readonly DataSecretAvailable?: ConditionAfter;
  readonly CertificatesAvailable?: ConditionAfter;
}

/** What the reconciler would do. `waiting` without a condition: it would do nothing at all. */
export type OfflineResult = { readonly specAfter: KubeadmConfigSpec; readonly conditions: ConditionsAfter } & (
  | {
      readonly kind: 'data';
      readonly format: BootstrapFormat;
      readonly bytes: Uint8Array;
      readonly contributors: readonly Contributor[];
      readonly warnings: readonly string[];
      readonly generated: readonly KeyPair[];
      readonly cluster: ClusterFacts;
      /** The bootstrap token in the data; empty for none. */
      readonly token: string;
    }
  | { readonly kind: 'waiting'; readonly message: string; readonly cause: string }
  | Refused
);

/** Where keys and certificates come from. */
export type CertificateSource = (
  wants: readonly CertificateWant[],
  settings: ClusterConfiguration | undefined,
) => Promise<
  | { readonly kind: 'generated'; readonly made: readonly KeyPair[] }
  | { readonly kind: 'failed'; readonly message: string }
>;

/** What the evaluation takes. */
export interface OfflineInput {
  readonly objects: readonly KubernetesObject[];
  /** One of the objects, in version v1beta2. */
  readonly config: KubeadmConfig;
  readonly as?: 'init' | 'join';
  readonly token: () => string;
  readonly generate: CertificateSource;
  readonly hasMachinePools: boolean;
  readonly sizeLimitBytes: number;
  /** Whether data that the status reports as stored ends the look, as it does for the reconciler. */
  readonly respectsStoredData: boolean;
}

/** The state of one evaluation. */
interface Look {
  readonly input: OfflineInput;
  readonly world: World;
  readonly owner: KubernetesObject;
  readonly cluster: Cluster;
  readonly facts: ClusterFacts;
  readonly version: string;
}

/** Looks once. */
export async function evaluateOffline(input: OfflineInput): Promise<OfflineResult> {
  const { config } = input;
  const given = (config.spec ?? {}) as KubeadmConfigSpec;
  const idle = (message: string): OfflineResult => ({
    kind: 'waiting',
    message,
    cause: '',
    specAfter: given,
    conditions: {},
  });
  const world: World = { objects: input.objects };
  if (config.metadata.deletionTimestamp !== undefined) return idle('it is being deleted');
  const around = surroundings(world, config, input.hasMachinePools);
  if (around.kind === 'waiting') return idle(around.message);
  const { owner, cluster } = around;
  if (memberOf(cluster, 'spec', 'paused') === true) return idle('Cluster spec.paused is set to true');
  if (memberOf(config, 'metadata', 'annotations', annotation.paused) !== undefined) {
    return idle(`KubeadmConfig has the ${annotation.paused} annotation`);
  }
  const failure = ['failureReason', 'failureMessage'].map((name) =>
    textOf(memberOf(config, 'status', 'deprecated', 'v1beta1', name)),
  );
  if (failure.some((part) => part !== '')) return idle(`it has failed for good: ${failure.join(' ').trim()}`);
  const read = readSpec(given);
  if (read.kind === 'misfit') return refused(refuseData({ field: read.field, cause: read.problem }), given, {});
  const { spec } = read;
  const facts = clusterFacts(cluster);
  const look: Look = { input, world, owner, cluster, facts, version: ownerKubernetesVersion(owner) };
  const foreign = foreignSecretController(look);
  if (foreign !== null) return refused(foreign, spec, {});
  if (memberOf(cluster, 'status', 'initialization', 'infrastructureProvisioned') !== true) {
    return waiting(waitingForInfrastructure, spec, {});
  }
  if (input.respectsStoredData && isStored(look)) {
    return {
      ...idle('its data is stored already'),
      conditions: { DataSecretAvailable: available, CertificatesAvailable: available },
    };
  }
  const isJoin = input.as === undefined ? isControlPlaneInitialized(cluster) : input.as === 'join';
  if (isJoin) return join(look, isControlPlaneMachine(owner) ? 'controlPlaneJoin' : 'workerJoin', spec);
  if (!isControlPlaneMachine(owner)) return waiting(waitingForControlPlane, spec, {});
  const holder = initLockHolder(world, cluster, textOf(owner.metadata.name));
  if (holder !== null) return waiting(waitingForControlPlane, spec, {}, `the init lock is held by ${holder}`);
  return init(look, spec);
}

const available: ConditionAfter = { status: 'True', reason: 'Available', message: '' };

async function init(look: Look, spec: KubeadmConfigSpec): Promise<OfflineResult> {
  const { facts, input, version } = look;
  const before: ConditionsAfter = {
    DataSecretAvailable: { status: 'False', reason: 'NotAvailable', message: waitingForControlPlane },
  };
  const prepared = prepareInit({ spec, cluster: facts, kubernetesVersion: version });
  if (prepared.kind === 'refused') return refused(prepared, prepared.spec, before);
  const secrets = secretReads(look.world, facts.namespace);
  const loaded = loadCertificates('init', { cluster: facts, spec: prepared.spec, secrets });
  if (loaded.kind === 'refused') return refused(loaded, prepared.spec, before);
  let generated: readonly KeyPair[] = [];
  if (loaded.kind === 'missing') {
    const answer = await input.generate(loaded.toGenerate, spec.clusterConfiguration);
    if (answer.kind === 'failed') {
      const field = 'spec.clusterConfiguration';
      return refused(refuseCertificates({ field, cause: answer.message, isInit: true }), prepared.spec, before);
    }
    generated = answer.made;
  }
  return finish('init', look, { spec: prepared.spec, certificates: [...loaded.certificates, ...generated], generated });
}

function join(look: Look, mode: 'controlPlaneJoin' | 'workerJoin', spec: KubeadmConfigSpec): OfflineResult {
  const { facts, input } = look;
  const prepared = mode === 'workerJoin' ? prepareWorkerJoin({ spec }) : prepareControlPlaneJoin({ spec });
  if (prepared.kind === 'refused') return refused(prepared, prepared.spec, {});
  const secrets = secretReads(look.world, facts.namespace);
  const loaded = loadCertificates(mode, { cluster: facts, spec: prepared.spec, secrets });
  if (loaded.kind === 'refused') return refused(loaded, prepared.spec, {});
  const conditions: ConditionsAfter = { CertificatesAvailable: available };
  const { certificates } = loaded;
  const discovered = completeDiscovery({ spec: prepared.spec, cluster: facts, certificates });
  if (discovered.kind === 'refused') return refused(discovered, discovered.spec, conditions);
  if (discovered.kind === 'waitEndpoint') {
    return waiting(
      'Waiting for Cluster Controller to set Cluster.Spec.ControlPlaneEndpoint',
      discovered.spec,
      conditions,
    );
  }
  const completed = discovered.kind === 'needToken' ? withToken(discovered.spec, input.token()) : discovered.spec;
  return finish(mode, look, { spec: completed, certificates, generated: [] });
}

function finish(
  mode: BootstrapMode,
  look: Look,
  made: {
    readonly spec: KubeadmConfigSpec;
    readonly certificates: Certificates;
    readonly generated: readonly KeyPair[];
  },
): OfflineResult {
  const { facts, input, world } = look;
  const result: RenderResult = renderMode(mode, {
    spec: made.spec,
    namespace: textOf(input.config.metadata.namespace),
    cluster: facts,
    kubernetesVersion: look.version,
    certificates: made.certificates,
    secrets: secretReads(world, textOf(input.config.metadata.namespace)),
    controlPlaneVersion: controlPlaneVersion(world, look.cluster),
    sizeLimitBytes: input.sizeLimitBytes,
  });
  const conditions: ConditionsAfter = { CertificatesAvailable: available };
  if (result.kind === 'refused') return refused(result, made.spec, conditions);
  const unknown = unknownFields(input.config.spec).map((field) => `${field}: unknown field, ignored`);
  return {
    ...result,
    warnings: [...unknown, ...result.warnings],
    generated: made.generated,
    cluster: facts,
    token: mode === 'init' ? '' : dataToken(made.spec),
    specAfter: made.spec,
    conditions: { ...conditions, DataSecretAvailable: available },
  };
}

function refused(refusal: Refused, specAfter: KubeadmConfigSpec, conditions: ConditionsAfter): OfflineResult {
  const { conditionType, status, reason, message } = refusal;
  return { ...refusal, specAfter, conditions: { ...conditions, [conditionType]: { status, reason, message } } };
}

function waiting(message: string, specAfter: KubeadmConfigSpec, before: ConditionsAfter, cause = ''): OfflineResult {
  const conditions = { ...before, DataSecretAvailable: { status: 'False', reason: 'NotAvailable', message } } as const;
  return { kind: 'waiting', message, cause, specAfter, conditions };
}

/** A Secret of the data's name that another kind controls is never taken over. */
function foreignSecretController({ input, world }: Look): Refused | null {
  const name = textOf(input.config.metadata.name);
  const namespace = textOf(input.config.metadata.namespace);
  const secret = find(world, { group: '', kind: 'Secret', namespace, name });
  const references = listOf(memberOf(secret, 'metadata', 'ownerReferences'));
  const controller = references.find((reference) => memberOf(reference, 'controller') === true);
  const kind = textOf(memberOf(controller, 'kind'));
  if (controller === undefined || kind === 'KubeadmConfig') return null;
  const holder = `${kind} ${textOf(memberOf(controller, 'name'))}`;
  return refuseData({
    field: `Secret ${namespace}/${name}`,
    cause: `could not add KubeadmConfig ${name} as ownerReference to bootstrap Secret ${name}, it is already controlled by ${holder}`,
  });
}

function isStored({ input, owner }: Look): boolean {
  if (memberOf(input.config, 'status', 'initialization', 'dataSecretCreated') === true) return true;
  return textOf(memberOf(owner, 'spec', 'bootstrap', 'dataSecretName')) !== '';
}
