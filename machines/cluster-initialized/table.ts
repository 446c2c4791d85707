// The transition table of a Cluster's ControlPlaneInitialized: a latch. Its states say what the latch waits for.

import { createRowMachine } from '../kit/row-machine.js';
import type { Table } from '../kit/row.js';
import type { Facts, Reply, Request, State } from './facts.js';
import { rows } from './rows.js';

/** The table. */
export const table: Table<State, Facts, Request, Reply> = {
  id: 'cluster-initialized',
  initial: 'WaitingControlPlane',
  states: {
    WaitingTopology: { description: 'The topology of the Cluster has not made the control plane object yet.' },
    WaitingControlPlane: { description: 'The control plane object is missing, or is not initialised.' },
    WaitingFirstNode: { description: 'Without a control plane object: no control plane Machine has a node yet.' },
    Unreadable: { description: 'What would tell about initialization cannot be read.' },
    Initialized: { description: 'The control plane was initialised once. This never ends.' },
  },
  rows,
  requests: {
    watchControlPlane: 'Opens the watch of the kind of the control plane object, and reads the object there.',
  },
};

/** The machine. */
export const machine = createRowMachine(table);
