// Joining an initialised cluster: from certificates to stored data, for control planes, workers and machine pools.
//
// One effect does the whole of it, because each of its writes can be resumed from what the cluster shows. Every wait and
// every failure of it is the state Joining.
import { available, waitingForEndpoint } from './reasons.js';
import { endpointRequeue, onCluster, onNode, row, tokenRequeue } from './row-parts.js';

const observed = 'OBSERVED';
const everyLook = ['WaitingInfra', 'WaitingCPInit', 'Joining'] as const;

/** For objects without stored data, once the control plane is initialised. */
export const joinRows = [
  row({
    id: 'K30',
    requirements: ['KC-046', 'KC-048', 'KC-051', 'KC-082', 'KC-083', 'KC-084', 'KC-085', 'KC-086'],
    title: 'control plane joins',
    description:
      'The cluster is initialised: certificates are looked up, discovery and token completed, join data rendered and stored.',
    on: observed,
    from: everyLook,
    guard: 'isControlPlaneJoin',
    target: 'Joining',
    request: 'storeJoinData',
  }),
  row({
    id: 'K31',
    requirements: ['KC-046', 'KC-048', 'KC-052', 'KC-095', 'KC-096', 'KC-097', 'KC-098', 'KC-099', 'KC-100', 'KC-101'],
    title: 'worker joins',
    description:
      "The cluster is initialised: the CA is looked up, discovery and token completed, the worker's or pool's join data rendered and stored.",
    on: observed,
    from: everyLook,
    guard: 'isWorkerJoin',
    target: 'Joining',
    request: 'storeJoinData',
  }),
];

export const joinReplyRows = [
  row({
    id: 'K50',
    requirements: ['KC-089', 'KC-090', 'KC-091'],
    title: 'endpoint missing',
    description:
      'The Cluster has no control plane endpoint yet. What is known already is in the spec; the rest follows when the endpoint is set.',
    on: 'ENDPOINT_MISSING',
    from: ['Joining'],
    guard: 'always',
    target: 'Joining',
    requeue: endpointRequeue,
    conditions: () => waitingForEndpoint,
    waitsFor: (f) =>
      onCluster(
        f,
        'spec.controlPlaneEndpoint has no host or no port',
        'The infrastructure provider sets it, or the user does.',
      ),
  }),
  row({
    id: 'K51',
    requirements: ['KC-015', 'KC-071', 'KC-072', 'KC-073', 'KC-074', 'KC-146'],
    title: 'init data stored',
    description: 'The init data is stored; the lock stays until the control plane is initialised.',
    on: 'DATA_STORED',
    from: ['Initializing'],
    guard: 'isInitializing',
    target: 'Initializing',
    conditions: () => available,
    waitsFor: (f) =>
      onCluster(
        f,
        'condition ControlPlaneInitialized is not True',
        'The first control plane Machine boots with the stored data.',
      ),
  }),
  row({
    id: 'K52',
    requirements: ['KC-015', 'KC-087', 'KC-088', 'KC-102', 'KC-103', 'KC-114', 'KC-117', 'KC-211'],
    title: 'join data stored',
    description: 'The join data is stored, and its token is kept alive until the node is there.',
    on: 'DATA_STORED',
    from: ['Joining', 'Rotating'],
    guard: 'hasTokenToKeep',
    target: 'TokenMonitoring',
    requeue: tokenRequeue,
    conditions: () => available,
    waitsFor: onNode,
  }),
  row({
    id: 'K53',
    requirements: ['KC-015', 'KC-087', 'KC-088', 'KC-102', 'KC-103', 'KC-108', 'KC-205'],
    title: 'join data without a token stored',
    description: 'The join data is stored and needs no token: nothing is left to do.',
    on: 'DATA_STORED',
    from: ['Joining'],
    guard: 'always',
    target: 'Done',
    requeue: tokenRequeue,
    conditions: () => available,
  }),
  row({
    id: 'K54',
    requirements: ['BC-027', 'BC-028', 'KC-146'],
    title: 'init data adopted',
    description:
      'The Secret of this KubeadmConfig already holds init data (the status was not written): it is adopted as it is.',
    on: 'DATA_ADOPTED',
    guard: 'isInitializing',
    target: 'Initializing',
    conditions: () => available,
    waitsFor: (f) =>
      onCluster(
        f,
        'condition ControlPlaneInitialized is not True',
        'The first control plane Machine boots with the stored data.',
      ),
  }),
  row({
    id: 'K55',
    requirements: ['BC-027', 'BC-028', 'KC-110'],
    title: 'join data adopted',
    description:
      'The Secret of this KubeadmConfig already holds join data with the token of the spec: it is adopted, and the token looked at.',
    on: 'DATA_ADOPTED',
    guard: 'hasTokenToKeep',
    target: 'TokenMonitoring',
    request: 'refreshToken',
    conditions: () => available,
  }),
  row({
    id: 'K56',
    requirements: ['BC-027', 'BC-028'],
    title: 'data without a token adopted',
    description: 'The Secret of this KubeadmConfig already holds data that needs no token: it is adopted as it is.',
    on: 'DATA_ADOPTED',
    guard: 'always',
    target: 'Done',
    conditions: () => available,
  }),
];
