// What must be true before anything is done for a KubeadmConfig, in the order of the checks.
//
// Deletion, the watch filter, a missing owner or Cluster, terminal failure and pause are rows, not states: they come and go
// without changing what has been reached.
import { dataSecretEnding, dataSecretForeign, paused, waitingForInfrastructure, available } from './reasons.js';
import {
  atOnce,
  nextTokenLook,
  onCluster,
  onDataSecret,
  onItself,
  onNode,
  onOwner,
  row,
  lockLeftOver,
} from './row-parts.js';

const observed = 'OBSERVED';

export const prerequisiteRows = [
  row({
    id: 'K01',
    requirements: ['KC-036', 'KC-057', 'KC-058'],
    title: 'being deleted',
    description: 'The KubeadmConfig is being deleted: nothing is done and nothing is written. Its Secret goes with it.',
    on: observed,
    guard: 'isDeleting',
    target: null,
    waitsFor: (f) => onItself(f, 'it is being deleted', 'Remove the finalizers that hold it.'),
  }),
  row({
    id: 'K02',
    requirements: ['KC-187'],
    title: 'filtered out',
    description: 'The KubeadmConfig does not have the label value of --watch-filter: another operator handles it.',
    on: observed,
    guard: 'isFilteredOut',
    isInterruption: true,
    target: null,
    waitsFor: (f) =>
      onItself(f, 'it lacks the label of --watch-filter', 'Set the label cluster.x-k8s.io/watch-filter to that value.'),
  }),
  row({
    id: 'K03',
    requirements: ['KC-035', 'KC-054', 'BC-022'],
    title: 'no owner reference',
    description:
      'No Machine or MachinePool is named as owner yet. The Machine controller sets it from spec.bootstrap.configRef.',
    on: observed,
    guard: 'hasNoOwnerReference',
    isInterruption: true,
    target: 'WaitingInfra',
    waitsFor: (f) =>
      onItself(f, 'no Machine or MachinePool owns it', 'Refer to it from spec.bootstrap.configRef of a Machine.'),
  }),
  row({
    id: 'K04',
    requirements: ['KC-035', 'KC-054', 'BC-022'],
    title: 'owner missing',
    description: 'The Machine or MachinePool that is named as owner does not exist.',
    on: observed,
    guard: 'isOwnerMissing',
    isInterruption: true,
    target: 'WaitingInfra',
    waitsFor: (f) => onOwner(f, 'it does not exist', 'Create the owner, or delete the KubeadmConfig.'),
  }),
  row({
    id: 'K05',
    requirements: ['BC-024'],
    title: 'failed for good',
    description: 'failureReason or failureMessage is set in status.deprecated.v1beta1: nothing is done any more.',
    on: observed,
    guard: 'isFailedForGood',
    isInterruption: true,
    target: null,
    waitsFor: (f) => onItself(f, f.failureForGood, 'Delete the KubeadmConfig and its Machine.'),
  }),
  row({
    id: 'K06',
    requirements: ['KC-035', 'KC-055', 'KC-056', 'BC-025'],
    title: 'Cluster missing',
    description: "The Cluster that the owner's spec.clusterName names does not exist yet.",
    on: observed,
    guard: 'isClusterMissing',
    isInterruption: true,
    target: 'WaitingInfra',
    waitsFor: (f) => onCluster(f, 'it does not exist', 'Create the Cluster.'),
  }),
  row({
    id: 'K07',
    requirements: ['KC-017', 'KC-059'],
    title: 'paused',
    description: 'The Cluster or the KubeadmConfig is paused: only the Paused condition is written.',
    on: observed,
    guard: 'isPaused',
    isInterruption: true,
    target: null,
    conditions: paused,
    waitsFor: (f) =>
      f.pauseMessage.startsWith('Cluster')
        ? onCluster(f, f.pauseMessage, 'Set spec.paused of the Cluster to false.')
        : onItself(f, f.pauseMessage, 'Remove the annotation cluster.x-k8s.io/paused.'),
  }),
  row({
    id: 'K10',
    requirements: ['KC-213'],
    title: 'data Secret of somebody else',
    description:
      'A Secret of the name that the data needs is controlled by another kind, or is none of bootstrap data. It is never taken over; stored data stays available.',
    on: observed,
    guard: 'isDataSecretForeign',
    isInterruption: true,
    target: null,
    conditions: dataSecretForeign,
    waitsFor: (f) =>
      onDataSecret(f, f.dataSecretProblem, 'Delete or rename the Secret, or make another KubeadmConfig.'),
  }),
  row({
    id: 'K11',
    requirements: ['KC-037', 'KC-213', 'BC-017'],
    title: 'data Secret without its owner',
    description:
      'The bootstrap Secret does not name this KubeadmConfig as its controller: its owner references are repaired first.',
    on: observed,
    guard: 'isDataSecretOwnerWrong',
    target: null,
    request: 'repairDataSecretOwner',
  }),
  row({
    id: 'K12',
    requirements: ['KC-037', 'KC-213'],
    title: 'owner repaired',
    description: 'The bootstrap Secret names its KubeadmConfig again; the other checks follow.',
    on: 'DATA_SECRET_OWNER_REPAIRED',
    guard: 'always',
    target: null,
    requeue: atOnce,
  }),
  row({
    id: 'K13',
    requirements: ['KC-025', 'KC-039', 'KC-060', 'KC-061', 'KC-062'],
    title: 'infrastructure not provisioned',
    description:
      "The Cluster's infrastructure is not provisioned. No data can be made before, and stored data is not reported.",
    on: observed,
    guard: 'isInfrastructureMissing',
    isInterruption: true,
    target: 'WaitingInfra',
    from: ['WaitingInfra'],
    conditions: () => waitingForInfrastructure,
    waitsFor: (f) =>
      onCluster(
        f,
        'status.initialization.infrastructureProvisioned is not true',
        'The infrastructure provider provisions it.',
      ),
  }),
  row({
    id: 'K22',
    requirements: ['KC-065'],
    title: 'certificates owned by a KubeadmConfig',
    description:
      "Certificate Secrets that a KubeadmConfig owns get the Cluster as owner before anything else is done, so that deleting a Machine cannot delete the cluster's CAs.",
    on: observed,
    guard: 'hasCertificatesToAdopt',
    target: null,
    request: 'adoptCertificates',
  }),
  row({
    id: 'K14',
    requirements: ['KC-119', 'KC-120', 'KC-121', 'BC-013', 'BC-014', 'BC-028'],
    title: 'status restored, token to keep',
    description:
      "The owner knows the data's Secret and the status does not (after a move or a restore): the status is written again, then the token is looked after.",
    on: observed,
    guard: 'isStatusLostWithToken',
    target: 'TokenMonitoring',
    requeue: nextTokenLook,
    conditions: () => available,
    waitsFor: onNode,
  }),
  row({
    id: 'K15',
    requirements: ['KC-119', 'KC-120', 'KC-121', 'BC-013', 'BC-014', 'BC-028'],
    title: 'status restored',
    description:
      "The owner knows the data's Secret and the status does not (after a move or a restore): the status is written again.",
    on: observed,
    guard: 'isStatusLost',
    target: 'Done',
    requeue: lockLeftOver,
    conditions: () => available,
  }),
];

/** Comes after the rows of stored data, before every row that would store some. */
export const endingSecretRow = row({
  id: 'K16',
  requirements: ['KC-212'],
  title: 'data Secret being deleted',
  description: 'A Secret of the name that the data needs is being deleted: its end is awaited, never adopted.',
  on: observed,
  guard: 'isDataSecretEnding',
  target: null,
  conditions: dataSecretEnding,
  waitsFor: (f) => onDataSecret(f, 'it is being deleted', 'Remove the finalizers that hold the Secret.'),
});
