// The transition table of a KubeadmConfig: its chart as rows and states, for pictures, documents, `explain` and tests.
import { tableOf } from '../kit/table-of.js';
import type { Table } from '../kit/row.js';
import { chart } from './chart.js';
import type { Facts, Reply, Request, State } from './facts.js';
import { guards } from './guards.js';
import { failureRows } from './rows-failure.js';
import { requests, rows } from './rows.js';

/** The table. */
export const table: Table<State, Facts, Request, Reply> = tableOf(chart, { rows, guards, requests });

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
