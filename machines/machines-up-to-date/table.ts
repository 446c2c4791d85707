// The chart as a table: rows and states for pictures, documents, `explain` and tests.

import { tableOf } from '../kit/table-of.js';
import type { Table } from '../kit/row.js';
import { chart } from './chart.js';
import type { Facts, Request, State } from './facts.js';
import { guards } from './guards.js';
import { rows } from './rows.js';

/** The table. */
export const table: Table<State, Facts, Request> = tableOf(chart, {
  rows,
  guards,
  requests: {},
});
