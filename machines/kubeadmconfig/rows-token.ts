// The token of stored data: looked at, extended, made again and, for pools, replaced.
//
// A Machine's token keeps its value for ever; it is looked after until the node is there. A pool's is looked after always,
// because the pool may grow at any time: refreshed while nodes are missing, rotated after.
import type { WaitsFor } from '../kit/row.js';
import type { Facts } from './facts.js';
import { available, tokenLost, tokenMismatch, tokenTaken } from './reasons.js';
import { nextTokenLook, onDataSecret, onNode, onOwner, row, tokenRequeue } from './row-parts.js';

const observed = 'OBSERVED';
const discovery = 'spec.joinConfiguration.discovery.bootstrapToken';
const newMachine = 'Delete the Machine if its node cannot join; a new one gets a new token.';
const onLostToken = (f: Facts): WaitsFor =>
  onOwner(
    f,
    `its token of ${discovery} is not in workload cluster ${f.names.namespace}/${f.names.cluster}`,
    newMachine,
  );
const onTakenToken = (f: Facts): WaitsFor =>
  onOwner(
    f,
    `workload cluster ${f.names.namespace}/${f.names.cluster} holds another bootstrap token with the id of ${discovery}.token`,
    newMachine,
  );

/** For objects whose data is stored. */
export const tokenRows = [
  row({
    id: 'K23',
    requirements: ['KC-041', 'KC-044', 'KC-107', 'KC-122', 'KC-181'],
    title: 'nothing to keep alive',
    description:
      'The data is stored and no token has to be looked after: the node has joined, or the data has no token.',
    on: observed,
    from: ['Initializing', 'TokenMonitoring', 'Done'],
    guard: 'hasNothingToKeep',
    target: 'Done',
    conditions: () => available,
  }),
  row({
    id: 'K24',
    requirements: ['KC-184', 'KC-211'],
    title: 'data with an old token',
    description:
      'The data Secret names another token than the spec, and it may still be written: the data is made again with the token of the spec.',
    on: observed,
    from: ['TokenMonitoring', 'Rotating'],
    guard: 'isDataOutdated',
    target: 'Rotating',
    request: 'storeJoinData',
    conditions: () => available,
  }),
  row({
    id: 'K25',
    requirements: ['KC-185'],
    title: 'data and spec disagree',
    description:
      'The data Secret names another token than the spec, but a Machine has been told to use it: nothing is rewritten.',
    on: observed,
    from: ['TokenMonitoring'],
    guard: 'isTokenMismatched',
    target: 'TokenMonitoring',
    requeue: tokenRequeue,
    conditions: tokenMismatch,
    waitsFor: (f) =>
      onDataSecret(
        f,
        `it holds another token than ${discovery}.token`,
        'Put the token of the data back into the spec, or delete the Machine.',
      ),
  }),
  row({
    id: 'K26',
    requirements: ['KC-043', 'KC-114', 'KC-115', 'KC-116', 'KC-190'],
    title: "pool's token due",
    description:
      "All nodes of the pool are there: the token's age decides whether it is replaced, so that new nodes can join.",
    on: observed,
    from: ['TokenMonitoring'],
    guard: 'isPoolTokenDue',
    target: 'TokenMonitoring',
    request: 'checkTokenAge',
    conditions: () => available,
  }),
  row({
    id: 'K27',
    requirements: ['KC-042', 'KC-045', 'KC-109', 'KC-111', 'KC-210'],
    title: 'token due',
    description:
      'The node is not there yet: the token is looked up in the workload cluster and extended if it ends soon.',
    on: observed,
    from: ['TokenMonitoring'],
    guard: 'isTokenDue',
    target: 'TokenMonitoring',
    request: 'refreshToken',
    conditions: () => available,
  }),
  row({
    id: 'K29',
    requirements: ['KC-182'],
    title: 'token known to be lost',
    description:
      'The last look did not find the token in the workload cluster, and it is not made again here: that is said until the next look.',
    on: observed,
    from: ['TokenMonitoring'],
    guard: 'isTokenKnownLost',
    target: 'TokenMonitoring',
    requeue: nextTokenLook,
    conditions: tokenLost,
    waitsFor: onLostToken,
  }),
  row({
    id: 'K19',
    requirements: ['KC-185'],
    title: 'token id known to be taken',
    description:
      'The last look found another token of the same id in the workload cluster: that is said until the next look.',
    on: observed,
    from: ['TokenMonitoring'],
    guard: 'isTokenKnownTaken',
    target: 'TokenMonitoring',
    requeue: nextTokenLook,
    conditions: tokenTaken,
    waitsFor: onTakenToken,
  }),
  row({
    id: 'K28',
    requirements: ['KC-110', 'KC-188'],
    title: 'token kept',
    description: 'The data is stored and its token is good until the next look.',
    on: observed,
    from: ['TokenMonitoring'],
    guard: 'hasStoredData',
    target: 'TokenMonitoring',
    requeue: nextTokenLook,
    conditions: () => available,
    waitsFor: onNode,
  }),
];

export const tokenReplyRows = [
  row({
    id: 'K60',
    requirements: ['KC-110', 'KC-115', 'KC-116', 'KC-180', 'KC-188', 'KC-189'],
    title: 'token fresh',
    description: 'The token lives long enough: it is looked at again after TTL/3.',
    on: 'TOKEN_KEPT',
    from: ['TokenMonitoring'],
    guard: 'always',
    target: 'TokenMonitoring',
    requeue: tokenRequeue,
    conditions: () => available,
    waitsFor: onNode,
  }),
  row({
    id: 'K61',
    requirements: ['KC-111', 'KC-112', 'KC-113', 'KC-183'],
    title: 'token extended',
    description: 'The same token got a new expiry in the workload cluster.',
    on: 'TOKEN_EXTENDED',
    from: ['TokenMonitoring'],
    guard: 'always',
    target: 'TokenMonitoring',
    requeue: tokenRequeue,
    conditions: () => available,
    waitsFor: onNode,
  }),
  row({
    id: 'K62',
    requirements: ['KC-114', 'KC-184', 'KC-190'],
    title: 'token to be replaced',
    description: "More than half of the life of the pool's token has passed: a new token and new data are made.",
    on: 'TOKEN_OLD',
    from: ['TokenMonitoring'],
    guard: 'always',
    target: 'Rotating',
    request: 'rotateToken',
    conditions: () => available,
  }),
  row({
    id: 'K63',
    requirements: ['KC-117', 'KC-118', 'KC-182'],
    title: "pool's token lost",
    description: 'The token of a pool is not in the workload cluster: a new token and new data are made.',
    on: 'TOKEN_MISSING',
    from: ['TokenMonitoring'],
    guard: 'isPool',
    target: 'Rotating',
    request: 'rotateToken',
    conditions: () => available,
  }),
  row({
    id: 'K64',
    requirements: ['KC-182', 'KC-185'],
    title: "Machine's token lost",
    description: "A Machine's token of this operator is not in the workload cluster: the same token is made again.",
    on: 'TOKEN_MISSING',
    from: ['TokenMonitoring'],
    guard: 'isTokenRestorable',
    target: 'Rotating',
    request: 'restoreToken',
    conditions: () => available,
  }),
  row({
    id: 'K65',
    requirements: ['KC-182'],
    title: 'foreign token lost',
    description:
      'A token that this operator did not make is not in the workload cluster: only its maker can make it again.',
    on: 'TOKEN_MISSING',
    guard: 'always',
    target: 'TokenMonitoring',
    requeue: tokenRequeue,
    conditions: tokenLost,
    waitsFor: onLostToken,
  }),
  row({
    id: 'K66',
    requirements: ['KC-182', 'KC-185'],
    title: 'token made again',
    description: 'The same token is in the workload cluster again, with a new expiry.',
    on: 'TOKEN_RESTORED',
    from: ['Rotating'],
    guard: 'always',
    target: 'TokenMonitoring',
    requeue: tokenRequeue,
    conditions: () => available,
    waitsFor: onNode,
  }),
  row({
    id: 'K67',
    requirements: ['KC-117', 'KC-211'],
    title: 'token id taken',
    description:
      'The workload cluster holds another token of the same id, and the data may still be written: a new token and new data are made.',
    on: 'TOKEN_TAKEN',
    from: ['TokenMonitoring', 'Rotating'],
    guard: 'isDataRenewable',
    target: 'Rotating',
    request: 'rotateToken',
    conditions: () => available,
  }),
  row({
    id: 'K68',
    requirements: ['KC-185'],
    title: 'token id taken, data in use',
    description:
      'The workload cluster holds another token of the same id, but a Machine has been told to use the data: nothing is rewritten.',
    on: 'TOKEN_TAKEN',
    guard: 'always',
    target: 'TokenMonitoring',
    requeue: tokenRequeue,
    conditions: tokenTaken,
    waitsFor: onTakenToken,
  }),
  row({
    id: 'K69',
    requirements: ['KC-184', 'KC-211'],
    title: 'data turned out to have an old token',
    description:
      'The data that was read holds another token than the spec, and it may still be written: it is made again.',
    on: 'DATA_TOKEN_DIFFERS',
    from: ['TokenMonitoring'],
    guard: 'isDataRenewable',
    target: 'Rotating',
    request: 'storeJoinData',
    conditions: () => available,
  }),
  row({
    id: 'K70',
    requirements: ['KC-185'],
    title: 'data and spec turned out to disagree',
    description:
      'The data that was read holds another token than the spec, but a Machine has been told to use it: nothing is rewritten.',
    on: 'DATA_TOKEN_DIFFERS',
    guard: 'always',
    target: 'TokenMonitoring',
    requeue: tokenRequeue,
    conditions: tokenMismatch,
    waitsFor: (f) =>
      onDataSecret(
        f,
        `it holds another token than ${discovery}.token`,
        'Put the token of the data back into the spec, or delete the Machine.',
      ),
  }),
];
