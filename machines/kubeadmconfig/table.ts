// The transition table of a KubeadmConfig: its states in story order, and every row in the order of the checks.
//
// Two stories: WaitingInfra -> AcquiringLock -> Initializing -> Done for the first control plane, and WaitingInfra ->
// WaitingCPInit -> Joining -> TokenMonitoring -> Done for everybody else. Rotating is where tokens are replaced or healed.
import { createRowMachine } from '../kit/row-machine.js';
import type { Table } from '../kit/row.js';
import type { Facts, Reply, Request, State } from './facts.js';
import { failureRows } from './rows-failure.js';
import { initReplyRows, initRows, initStoredRows } from './rows-init.js';
import { joinReplyRows, joinRows } from './rows-join.js';
import { endingSecretRow, prerequisiteRows } from './rows-prerequisites.js';
import { tokenReplyRows, tokenRows } from './rows-token.js';

/** The table. */
export const table: Table<State, Facts, Request, Reply> = {
  id: 'kubeadmconfig',
  initial: 'WaitingInfra',
  states: {
    WaitingInfra: { description: 'No owner, no Cluster, or the infrastructure of the Cluster is not provisioned.' },
    WaitingCPInit: {
      description:
        'The control plane is not initialised: a worker waits for it, or another Machine holds the init lock.',
    },
    AcquiringLock: { description: 'This control plane Machine takes the init lock of its Cluster.' },
    Initializing: {
      description: 'The init lock is held: init data is made, and kept until the control plane is initialised.',
    },
    Joining: { description: 'The cluster is initialised: join data is made, until it is stored.' },
    TokenMonitoring: {
      description: 'Join data is stored: its token is kept alive until the node is there, a pool’s for ever.',
    },
    Rotating: { description: 'A token is replaced with its data (machine pools), or a lost one is made again.' },
    Done: { description: 'The data is stored and nothing has to be kept alive.' },
  },
  rows: [
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
  ],
  requests: {
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
  },
};

/**
 * Rows at which an actor rests in the same way as at another one: what is persisted is the row that the next look decides
 * by, so that looking again, or restarting, writes nothing.
 */
const restingRows: Readonly<Record<string, string>> = {
  K14: 'K28',
  K44: 'K28',
  K52: 'K28',
  K60: 'K28',
  K61: 'K28',
  K66: 'K28',
  K15: 'K23',
  K45: 'K23',
  K53: 'K23',
  K56: 'K23',
  K51: 'K20',
  K54: 'K20',
  K41: 'K34',
  K42: 'K35',
  K65: 'K29',
  K68: 'K19',
};

/** The row to remember for a row. */
export function restingRow(row: string): string {
  return restingRows[row] ?? row;
}

/** Rows after which `wakeAtMs` says when the token is to be looked at. */
export const tokenLookRows: readonly string[] = [
  'K14',
  'K25',
  'K28',
  'K29',
  'K19',
  'K44',
  'K52',
  'K60',
  'K61',
  'K65',
  'K66',
  'K68',
  'K70',
];

/** Rows after which the token is to be looked at again as soon as the backoff is over. */
export const failedRows: readonly string[] = failureRows.map((row) => row.id);

/** The machine. */
export const machine = createRowMachine(table);
