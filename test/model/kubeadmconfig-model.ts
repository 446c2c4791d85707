// The model of the KubeadmConfig table: what facts there are, and what effects can answer.
import type { FailureKind, Facts, Request } from '../../machines/kubeadmconfig/facts.js';
import { createChart } from '../../machines/kubeadmconfig/chart.js';
import { table } from '../../machines/kubeadmconfig/table.js';
import { joined } from '../unit/kubeadmconfig/facts.js';
import { anyModel } from './kit/model.js';

const both = [false, true] as const;

const failureKinds: readonly (FailureKind | 'ApiForbidden' | 'ApiConflict' | 'ApiAborted')[] = [
  'SpecRefused',
  'InitCertificates',
  'JoinCertificates',
  'FilesUnreadable',
  'FilesUnprepared',
  'UsersUnreadable',
  'DiscoveryFile',
  'DataRefused',
  'WorkloadUnreachable',
  'TokenFailed',
  'TokenLost',
  'StoreFailed',
  'DataSecretForeign',
  'DataSecretEnding',
  'ClusterUnreadable',
  'LockFailed',
  'ApiForbidden',
  'ApiConflict',
  'ApiAborted',
];

const stored = { dataStored: 'yes', dataSecret: 'ours', dataToken: 'same' } as const;
const used = (f: Facts): boolean => f.owner === 'Machine' && f.ownerHasData;
// Data that the status knows is never adopted but made again; a taken id is an answer only where data may not be written.
const answersWithData = (f: Facts) => [
  { type: 'DATA_STORED' as const, learned: stored },
  ...(f.dataStored === 'no' ? [{ type: 'DATA_ADOPTED' as const, learned: stored }] : []),
  { type: 'ENDPOINT_MISSING' as const, learned: {} },
  ...(used(f) ? [{ type: 'TOKEN_TAKEN' as const, learned: {} }] : []),
];
// The data is read where nothing tells which token it holds.
const answersToLook = (f: Facts) => [
  { type: 'TOKEN_KEPT', learned: { tokenDue: false } },
  { type: 'TOKEN_MISSING', learned: {} },
  { type: 'TOKEN_TAKEN', learned: {} },
  ...(f.dataToken === 'unknown' ? [{ type: 'DATA_TOKEN_DIFFERS', learned: { dataToken: 'different' as const } }] : []),
];

/** The KubeadmConfig machine and its surroundings. */
export const kubeadmConfigModel = anyModel<string, Facts, Request, string>({
  table: table as never,
  createChart,
  base: joined(),
  axes: {
    isHandled: both,
    isDeleting: both,
    owner: ['none', 'absent', 'Machine', 'MachinePool'],
    hasCluster: both,
    isFailedForGood: both,
    isPaused: both,
    dataSecret: ['none', 'ours', 'unowned', 'otherLife', 'foreign', 'ending'],
    infrastructureProvisioned: both,
    ownerHasData: both,
    dataStored: ['no', 'unnamed', 'yes'],
    controlPlaneInitialized: both,
    isControlPlaneMachine: both,
    lock: ['free', 'mine', 'other', 'stale', 'unreadable'],
    hasCertificatesToAdopt: both,
    isTokenDiscovery: both,
    hasToken: both,
    isTokenOurs: both,
    dataToken: ['same', 'different', 'unknown'],
    nodeJoined: both,
    tokenDue: both,
    tokenTrouble: ['none', 'lost', 'taken'],
    recreateLostTokens: both,
  },
  isPossible: (f) => !(f.owner === 'MachinePool' && f.isControlPlaneMachine),
  answers: {
    repairDataSecretOwner: () => [{ type: 'DATA_SECRET_OWNER_REPAIRED', learned: { dataSecret: 'ours' } }],
    adoptCertificates: () => [{ type: 'CERTIFICATES_ADOPTED', learned: { hasCertificatesToAdopt: false } }],
    acquireInitLock: () => [
      { type: 'LOCK_ACQUIRED', learned: { lock: 'mine' } },
      { type: 'LOCK_HELD', learned: { lock: 'other' } },
      { type: 'LOCK_HELD', learned: { lock: 'unreadable' } },
    ],
    storeInitData: () => [
      { type: 'DATA_STORED', learned: stored },
      { type: 'DATA_ADOPTED', learned: stored },
      { type: 'CONTROL_PLANE_INITIALIZED', learned: { controlPlaneInitialized: true, lock: 'free' } },
    ],
    giveUpInitLock: (f) => [
      { type: 'LOCK_GIVEN_UP', learned: { lock: 'free', failure: f.failure } },
      { type: 'LOCK_KEPT', learned: { failure: f.failure } },
    ],
    releaseInitLock: () => [{ type: 'LOCK_RELEASED', learned: { lock: 'free' } }],
    storeJoinData: answersWithData,
    refreshToken: (f) => [...answersToLook(f), { type: 'TOKEN_EXTENDED', learned: { tokenDue: false } }],
    checkTokenAge: (f) => [...answersToLook(f), { type: 'TOKEN_OLD', learned: { tokenDue: false } }],
    restoreToken: () => [
      { type: 'TOKEN_RESTORED', learned: {} },
      { type: 'TOKEN_TAKEN', learned: {} },
    ],
    // A rotation makes new tokens until one is free: it never answers that the id is taken.
    rotateToken: () => [
      { type: 'DATA_STORED', learned: stored },
      { type: 'ENDPOINT_MISSING', learned: {} },
    ],
  },
  failures: [
    ...failureKinds.map((kind) => ({ request: 'storeJoinData' as const, kind, message: 'the cause' })),
    ...['InitCertificates', 'FilesUnreadable', 'ApiConflict', 'ApiAborted'].map((kind) => ({
      request: 'storeInitData' as const,
      kind,
      message: 'the cause',
    })),
    { request: 'refreshToken', kind: 'TokenFailed', message: 'the cause' },
    { request: 'giveUpInitLock', kind: 'ApiForbidden', message: 'the cause' },
  ],
});

/** The same machine past its prerequisites, with the facts that tell its life: what mutants of its stories are sampled from. */
export const kubeadmConfigLife = {
  ...kubeadmConfigModel,
  axes: {
    owner: ['Machine', 'MachinePool'],
    dataSecret: ['none', 'otherLife', 'ending'],
    infrastructureProvisioned: both,
    ownerHasData: both,
    dataStored: ['no', 'yes'],
    controlPlaneInitialized: both,
    isControlPlaneMachine: both,
    lock: ['free', 'mine', 'other', 'unreadable'],
    hasToken: both,
    isTokenOurs: both,
    dataToken: ['same', 'different', 'unknown'],
    nodeJoined: both,
    tokenDue: both,
  },
} as typeof kubeadmConfigModel;
