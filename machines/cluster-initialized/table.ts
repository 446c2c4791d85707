// The chart as a table: rows and states for pictures, documents, `explain` and tests.

import { tableOf } from '../kit/table-of.js';
import type { Table } from '../kit/row.js';
import { chart } from './chart.js';
import type { Facts, Reply, Request, State } from './facts.js';
import { guards } from './guards.js';
import { rows } from './rows.js';

/** The table. */
export const table: Table<State, Facts, Request, Reply> = tableOf(chart, {
  rows,
  guards,
  requests: {
    watchControlPlane: 'Opens the watch of the kind of the control plane object, and reads the object there.',
  },
});
