// Facts of Machines for tests: a usual one, and the ways in which it can differ.
import type {
  BootstrapReading,
  ClusterReading,
  ConnectionReading,
  DrainReport,
  ExternalObject,
  InfrastructureReading,
  MachineFacts,
  MachineReading,
  MachineStatus,
  NodeReading,
  VolumeReport,
} from '../../../machines/machine/facts.js';

export const NOW = Date.parse('2024-10-09T17:00:00Z');
const rfc3339 = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
export const minutesAgo = (minutes: number): string => rfc3339(NOW - minutes * 60_000);

export const machine: MachineReading = {
  namespace: 'ns',
  name: 'w-0',
  uid: 'uid',
  resourceVersion: '7',
  generation: 2,
  isControlPlane: false,
  hasKubeadmControlPlane: false,
  hasFinalizer: true,
  isPausedItself: false,
  deletingSinceMs: null,
  clusterName: 'c1',
  version: 'v1.36.0',
  dataSecretName: 'w-0',
  providerId: 'test://w-0',
  minReadySeconds: 0,
  readinessGates: [],
  preDrainHooks: [],
  preTerminateHooks: [],
  isDrainExcluded: false,
  isVolumeWaitExcluded: false,
  drainTimeoutMs: 0,
  volumeTimeoutMs: 0,
  nodeDeletionTimeoutMs: 10_000,
  isUpdating: false,
  isUpdateAwaited: false,
};

export const cluster: ClusterReading = {
  isPaused: false,
  isDeleting: false,
  infrastructureProvisioned: true,
  controlPlaneInitialized: true,
  controlPlaneInitializedSinceMs: NOW - 3_600_000,
  hasControlPlaneRef: true,
};

export const external: ExternalObject = {
  kind: 'found',
  isDeleting: false,
  isAdopted: true,
  problem: null,
  isCompleted: true,
  ready: { kind: 'absent' },
  oldReady: null,
  failureReason: '',
  failureMessage: '',
};

const named = (objectKind: string) => ({ objectKind, objectName: 'w-0', apiVersion: `${objectKind}/v1beta2` });

type Absent = 'unwatched' | 'missing';

export const bootstrap = (more: Partial<ExternalObject> & { dataSecretName?: string } = {}): BootstrapReading => ({
  ...named('KubeadmConfig'),
  ...external,
  dataSecretName: 'w-0',
  ...more,
});
export const noBootstrap = (kind: Absent): BootstrapReading => ({ ...named('KubeadmConfig'), kind });
export const lostBootstrap: BootstrapReading = { ...named('KubeadmConfig'), kind: 'unreadable', message: 'no kind' };

type InfrastructureMore = Partial<ExternalObject> & {
  providerId?: string;
  addresses?: readonly { readonly type: string; readonly address: string }[];
  failureDomain?: string;
};
export const infrastructure = (more: InfrastructureMore = {}): InfrastructureReading => ({
  ...named('InfraMachine'),
  ...external,
  providerId: 'test://w-0',
  ...more,
});
export const noInfrastructure = (kind: Absent): InfrastructureReading => ({ ...named('InfraMachine'), kind });
export const lostInfrastructure: InfrastructureReading = {
  ...named('InfraMachine'),
  kind: 'unreadable',
  message: 'no kind',
};

export const nodeInfo = { kubeletVersion: 'v1.36.0' };
const time = '2024-10-09T16:00:00Z';
export const healthy = [
  ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    type,
    status: 'False',
    message: 'fine',
    lastTransitionTime: time,
  })),
  { type: 'Ready', status: 'True', message: 'ready', lastTransitionTime: time },
];
type FoundNode = Extract<NodeReading, { readonly kind: 'found' }>;
export const node = (more: Partial<FoundNode> = {}): FoundNode => ({
  kind: 'found',
  name: 'w-0',
  conditions: healthy,
  nodeInfo,
  isSynced: true,
  problem: null,
  ...more,
});

export const connection: ConnectionReading = {
  lastHeardMs: NOW - 1_000,
  isConnected: true,
  downSinceMs: null,
  isDown: false,
  graceMs: 300_000,
};

export const runningStatus: MachineStatus = {
  phase: 'Running',
  nodeRef: { name: 'w-0' },
  initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true },
};

/** A worker that runs. */
export const base: MachineFacts = {
  failure: null,
  nowMs: NOW,
  machine,
  status: runningStatus,
  cluster,
  missingOwner: null,
  bootstrap: bootstrap(),
  infrastructure: infrastructure(),
  node: node(),
  connection,
  controlPlane: { kind: 'none' },
  controlPlaneMachines: 1,
  templateDifferences: null,
  drain: { kind: 'due' },
  volumes: { kind: 'due' },
  machineChanges: [],
  attempted: [],
  phaseFailure: null,
  unwatched: [],
  certificatesExpiry: { kind: 'unsought' },
  keepsHookTimes: true,
};

/** The usual Machine with differences; those of the Machine itself and of its status are merged. */
export function factsOf({
  machine: ofMachine = {},
  status = {},
  cluster: ofCluster = {},
  ...more
}: Partial<Omit<MachineFacts, 'machine' | 'status' | 'cluster'>> & {
  readonly machine?: Partial<MachineReading>;
  readonly status?: MachineStatus;
  readonly cluster?: Partial<ClusterReading> | null;
} = {}): MachineFacts {
  return Object.freeze({
    ...base,
    ...more,
    machine: { ...machine, ...ofMachine },
    status: { ...base.status, ...status },
    cluster: ofCluster === null ? null : { ...cluster, ...ofCluster },
  });
}

/** A Machine whose deletion was asked for a minute ago. */
export const deleting = { deletingSinceMs: NOW - 60_000 };

export const drainStart = '2024-10-09T16:13:59Z';
export const report: DrainReport = {
  terminating: ['ns/a', 'ns/b'],
  failed: [],
  waitNow: [],
  evictLater: [],
  waitLater: [],
};
export const volumeReport: VolumeReport = {
  claims: ['ns/claim'],
  volumesWithoutClaim: [],
  nodeEntriesWithoutVolume: [],
  attachmentsWithoutVolume: [],
};
