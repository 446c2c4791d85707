// Every row of a KubeadmConfig, in the order of the checks, and what its requests do.
import type { Request } from './facts.js';
import type { KubeadmConfigRow } from './row-parts.js';
import { failureRows } from './rows-failure.js';
import { initReplyRows, initRows, initStoredRows } from './rows-init.js';
import { joinReplyRows, joinRows } from './rows-join.js';
import { endingSecretRow, prerequisiteRows } from './rows-prerequisites.js';
import { tokenReplyRows, tokenRows } from './rows-token.js';

/** The rows: of those that answer an event, the first one whose guard holds is taken. */
export const rows: readonly KubeadmConfigRow[] = [
  ...prerequisiteRows,
  ...initStoredRows,
  ...tokenRows,
  endingSecretRow,
  ...joinRows,
  ...initRows,
  ...initReplyRows,
  ...joinReplyRows,
  ...tokenReplyRows,
  ...failureRows,
];

/** What each request does, one sentence: for charts. */
export const requests: Readonly<Record<Request, string>> = {
  repairDataSecretOwner: 'Makes this KubeadmConfig the controller of its bootstrap Secret.',
  adoptCertificates: 'Makes the Cluster the owner of certificate Secrets that a KubeadmConfig owns.',
  acquireInitLock: 'Creates the init lock of the Cluster, or finds out who holds it.',
  storeInitData: 'Finds or makes certificates, renders the init data and stores it, under the lock.',
  giveUpInitLock: 'Deletes the init lock after a failure, unless data may have been stored under it.',
  releaseInitLock: 'Deletes the init lock.',
  storeJoinData: 'Looks up certificates, completes discovery and token, renders the join data and stores it.',
  refreshToken: 'Reads the token in the workload cluster and extends it if it ends soon.',
  checkTokenAge: 'Reads the token in the workload cluster and tells whether it is old enough to be replaced.',
  restoreToken: 'Creates the same token in the workload cluster again.',
  rotateToken: 'Makes a new token, then new data with it.',
};
