// Every row of a Machine, in the order of the checks.
import type { MachineRow } from './row.js';
import { deletionRows } from './rows-deletion.js';
import { entryRows } from './rows-entry.js';
import { failureRows } from './rows-failures.js';
import { lifeRows } from './rows-life.js';

/** The rows: of those that answer an event, the first one whose guard holds is taken. */
export const rows: readonly MachineRow[] = [...entryRows, ...deletionRows, ...lifeRows, ...failureRows];
