// The transition table of a Machine: its chart as rows and states, for pictures, documents, `explain` and tests.

import { tableOf } from '../kit/table-of.js';
import type { Table } from '../kit/row.js';
import { guards } from './chart-guards.js';
import { chart } from './chart.js';
import type { MachineFacts } from './facts.js';
import { rows } from './rows.js';
import { requestTexts, type MachineReply, type MachineRequest, type MachineState } from './words.js';

/** The table of the Machine controller. */
export type MachineTable = Table<MachineState, MachineFacts, MachineRequest, MachineReply>;

/** Everything that can happen to a Machine. */
export const machineTable: MachineTable = tableOf(chart, { rows, guards, requests: requestTexts });

/** Rows after which a turn leaves the status alone: the Machine was not looked at to the end. */
export const rowsWithoutStatus: ReadonlySet<string> = new Set(['M10', 'M80', 'M81', 'M82', 'M83']);

/** The row of a paused Machine: only the condition `Paused` is written. */
export const pausedRow = 'M03';

/**
 * Rows at which an actor rests in the same way as at another one: what is persisted is the row that the next look decides by,
 * so that looking again, or restarting, writes nothing.
 */
const restingRows: Readonly<Record<string, string>> = {
  M60: 'M45',
  M65: 'M43',
  M62: 'M47',
  M66: 'M47',
  M63: 'M48',
  M67: 'M48',
  M69: 'M50',
  M70: 'M53',
  M72: 'M57',
};

/** The row to remember for a row. */
export function restingRow(row: string): string {
  return restingRows[row] ?? row;
}

/** Facts that people may see: no texts of objects, nothing that could hold a secret. */
export const shownFacts = [
  'cluster',
  'missingOwner',
  'bootstrap',
  'infrastructure',
  'connection',
  'controlPlane',
  'controlPlaneMachines',
  'drain',
  'volumes',
  'machineChanges',
  'unwatched',
  'attempted',
] as const satisfies readonly (keyof MachineFacts)[];
