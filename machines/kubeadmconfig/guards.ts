// One predicate per trigger of the table. Pure, total, and without an order of their own: the rows have the order.
import type { Guards } from '../kit/chart.js';
import type { Facts, FailureKind } from './facts.js';

export const isDeleting = (f: Facts): boolean => f.isDeleting;
export const isFilteredOut = (f: Facts): boolean => !f.isHandled;
export const hasNoOwnerReference = (f: Facts): boolean => f.owner === 'none';
export const isOwnerMissing = (f: Facts): boolean => f.owner === 'absent';
export const isFailedForGood = (f: Facts): boolean => f.isFailedForGood;
export const isClusterMissing = (f: Facts): boolean => !f.hasCluster;
export const isPaused = (f: Facts): boolean => f.isPaused;

/** A certificate of the cluster that bears the data's name gets its owner first: it must not go with a KubeadmConfig. */
export const isDataSecretForeign = (f: Facts): boolean => f.dataSecret === 'foreign' && !f.hasCertificatesToAdopt;
/** A Secret of an earlier life is only taken over when somebody relies on it; otherwise it is replaced. */
export const isDataSecretOwnerWrong = (f: Facts): boolean =>
  f.dataSecret === 'unowned' || (f.dataSecret === 'otherLife' && (f.ownerHasData || hasStoredData(f)));
export const isInfrastructureMissing = (f: Facts): boolean => !f.infrastructureProvisioned;
export const hasCertificatesToAdopt = (f: Facts): boolean => f.hasCertificatesToAdopt;

/** The owner knows the data's Secret, the status does not. */
export const isStatusLost = (f: Facts): boolean => f.ownerHasData && f.dataStored !== 'yes';
export const isStatusLostWithToken = (f: Facts): boolean => isStatusLost(f) && hasTokenToKeep(f);

export const hasStoredData = (f: Facts): boolean => f.dataStored !== 'no';
export const isInitializing = (f: Facts): boolean =>
  hasStoredData(f) && f.lock === 'mine' && !f.controlPlaneInitialized;
export const isLockLeftOver = (f: Facts): boolean => hasStoredData(f) && f.lock !== 'free' && f.controlPlaneInitialized;

export const isPool = (f: Facts): boolean => f.owner === 'MachinePool';
/** A pool's token is kept for ever, a Machine's until its node is there. */
export const hasTokenToKeep = (f: Facts): boolean => f.isTokenDiscovery && f.hasToken && (isPool(f) || !f.nodeJoined);
export const hasNothingToKeep = (f: Facts): boolean => hasStoredData(f) && !hasTokenToKeep(f);
/** Nobody has been told of the data, or it is a pool's, which reads it again for every new node. */
export const isDataRenewable = (f: Facts): boolean => isPool(f) || !f.ownerHasData;
export const isDataOutdated = (f: Facts): boolean =>
  hasStoredData(f) && f.dataToken === 'different' && isDataRenewable(f);
export const isTokenMismatched = (f: Facts): boolean => hasStoredData(f) && f.dataToken === 'different';
export const isTokenDue = (f: Facts): boolean => hasStoredData(f) && f.tokenDue;
export const isPoolTokenDue = (f: Facts): boolean => isTokenDue(f) && isPool(f) && f.nodeJoined;
/** Nobody has mended it since the last look, as far as is known. */
export const isTokenKnownLost = (f: Facts): boolean => hasStoredData(f) && f.tokenTrouble === 'lost';
export const isTokenKnownTaken = (f: Facts): boolean => hasStoredData(f) && f.tokenTrouble === 'taken';

export const isDataSecretEnding = (f: Facts): boolean => f.dataSecret === 'ending';
export const isControlPlaneJoin = (f: Facts): boolean => f.controlPlaneInitialized && f.isControlPlaneMachine;
export const isWorkerJoin = (f: Facts): boolean => f.controlPlaneInitialized;
export const isWorkerTooEarly = (f: Facts): boolean => !f.isControlPlaneMachine;
export const isLockUnreadable = (f: Facts): boolean => f.lock === 'unreadable';
export const isLockHeldByOther = (f: Facts): boolean => f.lock === 'other';
export const isLockMine = (f: Facts): boolean => f.lock === 'mine';

/** A lost token may be made again: it is of this operator and the user has not forbidden it. */
export const isTokenRestorable = (f: Facts): boolean => f.isTokenOurs && f.recreateLostTokens;

/** Fits every time: the last row of an event. */
export const always = (): boolean => true;

/** Whether the turn's failure is one of these. */
export const hasFailed =
  (...kinds: FailureKind[]): ((f: Facts) => boolean) =>
  (f) =>
    kinds.some((kind) => f.failure?.kind === kind);
export const isInitFailed = (f: Facts): boolean => f.failure?.request === 'storeInitData';
/** The work was cut short, by a deadline or because the operator stops. */
export const isAborted = (f: Facts): boolean => ['ApiAborted', 'Aborted'].includes(f.failure?.kind ?? '');
/** Somebody else changed the object first: nothing is wrong. */
export const isConflict = (f: Facts): boolean => f.failure?.kind === 'ApiConflict';

/** The guards of the chart, by the names that it shows. */
export const guards = {
  isDeleting,
  isFilteredOut,
  hasNoOwnerReference,
  isOwnerMissing,
  isFailedForGood,
  isClusterMissing,
  isPaused,
  isDataSecretForeign,
  isDataSecretOwnerWrong,
  isInfrastructureMissing,
  hasCertificatesToAdopt,
  isStatusLostWithToken,
  isStatusLost,
  isInitializing,
  isLockLeftOver,
  hasNothingToKeep,
  isDataOutdated,
  isTokenMismatched,
  isPoolTokenDue,
  isTokenDue,
  isTokenKnownLost,
  isTokenKnownTaken,
  hasStoredData,
  isDataSecretEnding,
  isControlPlaneJoin,
  isWorkerJoin,
  isWorkerTooEarly,
  isLockUnreadable,
  isLockHeldByOther,
  isLockMine,
  hasTokenToKeep,
  isPool,
  isTokenRestorable,
  isDataRenewable,
  isAborted,
  isInitFailed,
  isConflict,
  always,
  isLockToTake: always,
  isCertificateFailure: hasFailed('JoinCertificates'),
  isFileFailure: hasFailed('FilesUnreadable'),
  isUserFailure: hasFailed('UsersUnreadable'),
  isDiscoveryFileFailure: hasFailed('DiscoveryFile'),
  isSpecFailure: hasFailed('SpecRefused', 'DataRefused', 'FilesUnprepared'),
  isConnectionFailure: hasFailed('WorkloadUnreachable'),
  isTokenFailure: hasFailed('TokenFailed', 'TokenLost'),
  isStoreFailure: hasFailed('StoreFailed', 'DataSecretForeign', 'DataSecretEnding'),
} as const satisfies Guards<Facts>;

/** Name of a guard. */
export type Guard = keyof typeof guards;
