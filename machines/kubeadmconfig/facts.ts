// What the table of a KubeadmConfig asks about: plain values, total, without a secret.
//
// Facts come from one view of the cluster and from what the effects of this turn learned. They hold no object, no token
// (only whose it is and whether it fits) and no certificate, so that they may be shown anywhere.
import type { BaseFacts } from '../kit/row.js';

/** Every state. */
export type State =
  | 'WaitingInfra'
  | 'WaitingCPInit'
  | 'AcquiringLock'
  | 'Initializing'
  | 'Joining'
  | 'TokenMonitoring'
  | 'Rotating'
  | 'Done';

/** Every effect that can be asked for. */
export type Request =
  | 'repairDataSecretOwner'
  | 'adoptCertificates'
  | 'acquireInitLock'
  | 'storeInitData'
  | 'giveUpInitLock'
  | 'releaseInitLock'
  | 'storeJoinData'
  | 'refreshToken'
  | 'checkTokenAge'
  | 'restoreToken'
  | 'rotateToken';

/** Every answer of an effect that got its work done, or learned why there is nothing to do. */
export type Reply =
  | 'DATA_SECRET_OWNER_REPAIRED'
  | 'CERTIFICATES_ADOPTED'
  | 'LOCK_ACQUIRED'
  | 'LOCK_HELD'
  | 'LOCK_RELEASED'
  | 'LOCK_GIVEN_UP'
  | 'LOCK_KEPT'
  | 'CONTROL_PLANE_INITIALIZED'
  | 'ENDPOINT_MISSING'
  | 'DATA_STORED'
  | 'DATA_ADOPTED'
  | 'TOKEN_KEPT'
  | 'TOKEN_EXTENDED'
  | 'TOKEN_OLD'
  | 'TOKEN_MISSING'
  | 'TOKEN_TAKEN'
  | 'TOKEN_RESTORED'
  | 'DATA_TOKEN_DIFFERS';

/** Why an effect did not get its work done. API failures keep the client's words: `ApiForbidden`, `ApiConflict`, ... */
export type FailureKind =
  | 'SpecRefused'
  | 'InitCertificates'
  | 'JoinCertificates'
  | 'FilesUnreadable'
  | 'FilesUnprepared'
  | 'UsersUnreadable'
  | 'DiscoveryFile'
  | 'DataRefused'
  | 'WorkloadUnreachable'
  | 'TokenFailed'
  | 'TokenLost'
  | 'StoreFailed'
  | 'DataSecretForeign'
  | 'DataSecretEnding'
  | 'ClusterUnreadable'
  | 'LockFailed';

/** Who owns the KubeadmConfig: nobody named, somebody who is not there, or whom. */
export type OwnerFact = 'none' | 'absent' | 'Machine' | 'MachinePool';

/** The bootstrap Secret as metadata shows it. `otherLife`: controlled by a KubeadmConfig of another uid. */
export type DataSecretFact = 'none' | 'ours' | 'unowned' | 'otherLife' | 'foreign' | 'ending';

/** The init lock. `stale`: its holder seems to be gone; only live reads can tell. */
export type LockFact = 'free' | 'mine' | 'other' | 'stale' | 'unreadable';

/** What the status says about stored data. `unnamed`: created, but without the Secret's name. */
export type StoredFact = 'no' | 'unnamed' | 'yes';

/** What the last look at a token that may not be replaced found wrong: it is gone, or another one has its id. */
export type TokenTroubleFact = 'none' | 'lost' | 'taken';

/** Whether the data Secret holds the token of the spec. */
export type DataTokenFact = 'same' | 'different' | 'unknown';

/** All facts. Guards ask the first part; the second part is for texts and times. */
export interface Facts extends BaseFacts<Request> {
  readonly isHandled: boolean;
  readonly isDeleting: boolean;
  readonly owner: OwnerFact;
  readonly hasCluster: boolean;
  readonly isFailedForGood: boolean;
  readonly isPaused: boolean;
  readonly dataSecret: DataSecretFact;
  readonly infrastructureProvisioned: boolean;
  /** The owner's `dataSecretName` is set: somebody may have read the data. */
  readonly ownerHasData: boolean;
  readonly dataStored: StoredFact;
  readonly controlPlaneInitialized: boolean;
  readonly isControlPlaneMachine: boolean;
  readonly lock: LockFact;
  /** Certificate Secrets that a KubeadmConfig owns and the Cluster should. */
  readonly hasCertificatesToAdopt: boolean;
  /** `joinConfiguration.discovery.bootstrapToken` is defined. */
  readonly isTokenDiscovery: boolean;
  readonly hasToken: boolean;
  /** The token carries the mark of this operator: it may be created again. */
  readonly isTokenOurs: boolean;
  readonly dataToken: DataTokenFact;
  /** Machine: it has a nodeRef. MachinePool: at least as many nodeRefs as replicas. */
  readonly nodeJoined: boolean;
  /** The token must be looked at now. */
  readonly tokenDue: boolean;
  /** As the last look found it; the next one is by `tokenDue`. */
  readonly tokenTrouble: TokenTroubleFact;
  /** `--recreate-lost-tokens`. */
  readonly recreateLostTokens: boolean;

  /** metadata.generation of the spec that was acted upon. */
  readonly generation: number;
  readonly tokenTtlMs: number;
  /** Time until the token is to be looked at; TTL/3 when nothing is known. */
  readonly tokenCheckInMs: number;
  readonly names: Names;
  /** Parts of the pause, in upstream's order. */
  readonly pauseMessage: string;
  /** `status.deprecated.v1beta1.failureReason` and message, for explanations. */
  readonly failureForGood: string;
  /** Why the data Secret is foreign, as the end of a sentence: `it is already controlled by Kind name`. */
  readonly dataSecretProblem: string;
  /** What `status.dataSecretName` should say once data is stored. */
  readonly dataSecretName: string;
  /** Why the lock cannot be read. */
  readonly lockProblem: string;
}

/** Names of the objects around a KubeadmConfig; empty where there is none. */
export interface Names {
  readonly namespace: string;
  readonly config: string;
  readonly owner: string;
  readonly cluster: string;
  readonly lockHolder: string;
}

/** The facts that may be shown, in reading order. */
export const shownFacts = [
  'isHandled',
  'isDeleting',
  'owner',
  'hasCluster',
  'isFailedForGood',
  'isPaused',
  'dataSecret',
  'infrastructureProvisioned',
  'ownerHasData',
  'dataStored',
  'controlPlaneInitialized',
  'isControlPlaneMachine',
  'lock',
  'hasCertificatesToAdopt',
  'isTokenDiscovery',
  'hasToken',
  'isTokenOurs',
  'dataToken',
  'nodeJoined',
  'tokenDue',
  'tokenTrouble',
  'recreateLostTokens',
  'generation',
  'names',
] as const satisfies readonly (keyof Facts)[];
