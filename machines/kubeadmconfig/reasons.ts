// Every condition of a KubeadmConfig, in one table: types, statuses, reasons and messages, for both API versions.
//
// The texts are the requirement's; where it is silent, upstream's. A cause never holds a secret: effects see to it.
import { failureText } from '../kit/failure-text.js';
import type { ConditionIntent } from '../kit/row.js';
import type { Facts, FailureKind } from './facts.js';

/** Condition types, also the only ones that this machine may write. */
export const types = {
  ready: 'Ready',
  dataSecretAvailable: 'DataSecretAvailable',
  certificatesAvailable: 'CertificatesAvailable',
  paused: 'Paused',
  actorState: 'ActorState',
} as const;

/** Messages that are the same every time. */
export const messages = {
  infrastructure: 'Waiting for Cluster status.infrastructureReady to be true',
  controlPlane: 'Waiting for Cluster control plane to be initialized',
  endpoint: 'Waiting for Cluster Controller to set Cluster.Spec.ControlPlaneEndpoint',
  seeLogs: 'Please check controller logs for errors',
  files: 'Failed to read content from secrets for spec.files',
  users: 'Failed to read password from secrets for spec.users',
  discoveryFile: 'Failed to create kubeconfig for spec.joinConfiguration.discovery.file',
  filesUnprepared: 'Failed to prepare spec.files: ',
} as const;

const dataTrue: ConditionIntent = {
  type: types.dataSecretAvailable,
  status: 'True',
  reason: 'Available',
  message: '',
  v1beta1: { status: 'True' },
};

const certificatesTrue: ConditionIntent = {
  type: types.certificatesAvailable,
  status: 'True',
  reason: 'Available',
  message: '',
  v1beta1: { status: 'True' },
};

/** The data is stored: both inputs of the summary are True. */
export const available: readonly ConditionIntent[] = [dataTrue, certificatesTrue];

/** Nothing of this turn is worth a condition. */
export const unchanged = (): readonly ConditionIntent[] => [];

/** The object is paused; nothing else is said about it. */
export const paused = (f: Facts): readonly ConditionIntent[] => [
  { type: types.paused, status: 'True', reason: 'Paused', message: f.pauseMessage },
];

/** The object is not paused: said by every row that works on it. */
export const notPaused: ConditionIntent = { type: types.paused, status: 'False', reason: 'NotPaused', message: '' };

type Waiting = 'WaitingForClusterInfrastructure' | 'WaitingForControlPlaneAvailable' | 'DataSecretGenerationFailed';

function dataFalse(message: string, reason: Waiting, cause?: string): ConditionIntent {
  const isWait = reason !== 'DataSecretGenerationFailed';
  return {
    type: types.dataSecretAvailable,
    status: 'False',
    reason: 'NotAvailable',
    message,
    v1beta1: {
      status: 'False',
      reason,
      severity: isWait ? 'Info' : 'Warning',
      ...(cause === undefined ? {} : { message: cause }),
    },
  };
}

/** Waiting for the Cluster's infrastructure. */
export const waitingForInfrastructure: readonly ConditionIntent[] = [
  dataFalse(messages.infrastructure, 'WaitingForClusterInfrastructure'),
];

/** Waiting for the Cluster's control plane. */
export const waitingForControlPlane: readonly ConditionIntent[] = [
  dataFalse(messages.controlPlane, 'WaitingForControlPlaneAvailable'),
];

/** Waiting for the Cluster's endpoint, with certificates found. */
export const waitingForEndpoint: readonly ConditionIntent[] = [
  dataFalse(messages.endpoint, 'WaitingForControlPlaneAvailable'),
  certificatesTrue,
];

/** There is no data, for this cause. */
export const noData = (cause: string): ConditionIntent => dataFalse(cause, 'DataSecretGenerationFailed', cause);

/** The lock ConfigMap is there and cannot be read. */
export const lockUnreadable = (f: Facts): readonly ConditionIntent[] => [
  noData(
    `ConfigMap ${f.names.namespace}/${f.names.cluster}-lock is not a readable init lock (${f.lockProblem}): delete it if no control plane Machine is initializing`,
  ),
];

/** The data's Secret belongs to somebody else. Stored data stays available: the Event and the explanation tell the cause. */
export const dataSecretForeign = (f: Facts): readonly ConditionIntent[] =>
  f.dataStored === 'no' ? [noData(foreignText(f))] : available;

/** Upstream's text (v1.14) for a Secret that another kind controls, and ours for one that is none of bootstrap data. */
export function foreignText({ names, dataSecretProblem }: Pick<Facts, 'names' | 'dataSecretProblem'>): string {
  return `could not add KubeadmConfig ${names.config} as ownerReference to bootstrap Secret ${names.config}, ${dataSecretProblem}`;
}

/** The data's Secret is being deleted, and its name is needed. */
export const dataSecretEnding = (f: Facts): readonly ConditionIntent[] => [
  noData(`Waiting for bootstrap Secret ${f.names.namespace}/${f.names.config} to be deleted`),
];

/** The data names a token that is not the spec's, and a Machine may have read it. */
export const tokenMismatch = (f: Facts): readonly ConditionIntent[] => [
  noData(
    `bootstrap Secret ${f.names.namespace}/${f.names.config} holds another token than spec.joinConfiguration.discovery.bootstrapToken.token, and Machine ${f.names.namespace}/${f.names.owner} may have used it already`,
  ),
  certificatesTrue,
];

/** The token is gone from the workload cluster and is not this operator's to make again. */
export const tokenLost = (f: Facts): readonly ConditionIntent[] => [
  noData(
    `the bootstrap token of spec.joinConfiguration.discovery.bootstrapToken is not in workload cluster ${f.names.namespace}/${f.names.cluster} and was not made by this operator: create it there, or delete Machine ${f.names.namespace}/${f.names.owner}`,
  ),
  certificatesTrue,
];

/** Another token with the same id is in the workload cluster, and a Machine may have read the data. */
export const tokenTaken = (f: Facts): readonly ConditionIntent[] => [
  noData(
    `workload cluster ${f.names.namespace}/${f.names.cluster} holds another bootstrap token with the id of spec.joinConfiguration.discovery.bootstrapToken.token, and Machine ${f.names.namespace}/${f.names.owner} may have used the data already`,
  ),
  certificatesTrue,
];

/** What a failure says. `certificates`: what is known of them when it happens. */
interface FailureText {
  readonly condition: 'data' | 'certificates';
  readonly message: (cause: string) => string;
  readonly v1beta1: { readonly reason: string; readonly severity: 'Warning' | 'Error' };
  /** The failure comes after the certificates were found. */
  readonly isAfterCertificates: boolean;
  /** The error handling table says it of making data again, too; other failures leave what is said of stored data alone. */
  readonly isSaidOfStoredData: boolean;
}

const generation = { reason: 'DataSecretGenerationFailed', severity: 'Warning' } as const;
const asIs = (cause: string): string => cause;
const ofData = (isAfterCertificates: boolean): FailureText => ({
  condition: 'data',
  message: asIs,
  v1beta1: generation,
  isAfterCertificates,
  isSaidOfStoredData: false,
});
const ofSources = (message: (cause: string) => string): FailureText => ({
  condition: 'data',
  message,
  v1beta1: generation,
  isAfterCertificates: true,
  isSaidOfStoredData: true,
});
const ofCertificates = (v1beta1: FailureText['v1beta1']): FailureText => ({
  condition: 'certificates',
  message: () => messages.seeLogs,
  v1beta1,
  isAfterCertificates: false,
  isSaidOfStoredData: true,
});

/** The error handling table. API failures that are not in it say their cause in DataSecretAvailable. */
const failureTexts: Readonly<Record<FailureKind, FailureText>> = {
  SpecRefused: ofData(false),
  InitCertificates: ofCertificates({ reason: 'CertificatesGenerationFailed', severity: 'Warning' }),
  JoinCertificates: ofCertificates({ reason: 'CertificatesCorrupted', severity: 'Error' }),
  FilesUnreadable: ofSources(() => messages.files),
  FilesUnprepared: ofSources((cause) => `${messages.filesUnprepared}${cause}`),
  UsersUnreadable: ofSources(() => messages.users),
  DiscoveryFile: ofSources(() => messages.discoveryFile),
  DataRefused: ofData(true),
  WorkloadUnreachable: ofData(true),
  TokenFailed: ofData(true),
  TokenLost: ofData(true),
  StoreFailed: ofData(true),
  DataSecretForeign: ofData(true),
  DataSecretEnding: ofData(true),
  ClusterUnreadable: ofData(false),
  LockFailed: ofData(false),
};

/** Failures that say nothing about the object: it is tried again, and nothing is shown. */
const silent: readonly string[] = ['Aborted', 'ApiAborted', 'ApiConflict'];

/**
 * The conditions of the turn's failure. Stored data stays available when looking after it fails, as upstream has it: the
 * Event, the log and the explanation tell the cause.
 */
export function failed(f: Facts): readonly ConditionIntent[] {
  if (f.failure === null || silent.includes(f.failure.kind)) return [];
  const { kind, message } = f.failure;
  const text = (failureTexts as Readonly<Record<string, FailureText | undefined>>)[kind] ?? ofData(false);
  if (f.dataStored !== 'no' && !text.isSaidOfStoredData) return [];
  const cause = causeText(f, f.failure, text);
  if (text.condition === 'data') {
    const shown = text.message === asIs ? cause : text.message(message);
    return [dataFalse(shown, generation.reason, cause), ...known(text)];
  }
  return [
    {
      type: types.certificatesAvailable,
      status: 'Unknown',
      reason: 'InternalError',
      message: text.message(message),
      v1beta1: { status: 'False', ...text.v1beta1, message: cause },
    },
  ];
}

/** The cause. Where the table has a text of its own the cause is upstream's, byte for byte; else it names object and place. */
function causeText(f: Facts, failure: NonNullable<Facts['failure']>, text: FailureText): string {
  if (text.message !== asIs) return failure.message;
  return failureText(failure, { kind: 'KubeadmConfig', name: f.names.config });
}

function known(text: FailureText): readonly ConditionIntent[] {
  return text.isAfterCertificates ? [certificatesTrue] : [];
}
