// The transition table of a KubeadmControlPlane's MachinesUpToDate: what its Machines say, put together.

import { createRowMachine } from '../kit/row-machine.js';
import type { Table } from '../kit/row.js';
import type { Facts, Request, State } from './facts.js';
import { rows } from './rows.js';

/** The table. */
export const table: Table<State, Facts, Request> = {
  id: 'machines-up-to-date',
  initial: 'NoReplicas',
  states: {
    NoReplicas: { description: 'There is no Machine that counts.' },
    UpToDate: { description: 'Every Machine is up to date.' },
    NotUpToDate: { description: 'At least one Machine is not up to date.' },
    UpToDateUnknown: { description: 'Of at least one Machine it is not known whether it is up to date.' },
    Unmanaged: {
      description: 'The control plane Machines are not all owned by this object: it does not speak for them.',
    },
  },
  rows,
  requests: {},
};

/** The machine. */
export const machine = createRowMachine(table);
