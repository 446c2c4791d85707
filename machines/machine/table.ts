// The Machine's table as a whole, in the order in which it is read.

import type { Table } from '../kit/row.js';
import type { MachineFacts } from './facts.js';
import { deletionRows } from './rows-deletion.js';
import { entryRows } from './rows-entry.js';
import { failureRows } from './rows-failures.js';
import { lifeRows } from './rows-life.js';
import { requestTexts, type MachineReply, type MachineRequest, type MachineState } from './words.js';

/** The table of the Machine controller. */
export type MachineTable = Table<MachineState, MachineFacts, MachineRequest, MachineReply>;

/** Everything that can happen to a Machine. */
export const machineTable: MachineTable = {
  id: 'machine',
  initial: 'Pending',
  states: {
    Pending: { description: 'Neither bootstrap data nor infrastructure is ready.' },
    Provisioning: { description: 'Bootstrap data exists; the infrastructure is being made.' },
    Provisioned: { description: 'The infrastructure is there; its Node has not joined.' },
    Running: { description: 'Infrastructure and Node are there.' },
    Updating: { description: 'Somebody updates the Machine in place.' },
    Failed: { description: 'A failure field is set; work goes on all the same.' },
    Deleting: { description: 'The Machine is being deleted, step by step.' },
    PreDrainHooks: { parent: 'Deleting', description: 'Annotations of others hold the drain.' },
    Draining: { parent: 'Deleting', description: 'Pods leave the Node.' },
    DetachingVolumes: { parent: 'Deleting', description: 'Volumes are detached from the Node.' },
    PreTerminateHooks: { parent: 'Deleting', description: 'Annotations of others hold the end of the infrastructure.' },
    DeletingInfrastructure: { parent: 'Deleting', description: 'The infrastructure object goes.' },
    DeletingBootstrap: { parent: 'Deleting', description: 'The bootstrap object goes.' },
    DeletingNode: { parent: 'Deleting', description: 'The Node goes.' },
    RemovingFinalizer: { parent: 'Deleting', description: 'Everything is gone; the Machine itself may go.' },
  },
  rows: [...entryRows, ...deletionRows, ...lifeRows, ...failureRows],
  requests: requestTexts,
};

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
