// What the rows of a turn said about conditions, in the order in which they decided. Pure.

import { rowById } from '../../../machines/kit/row-by-id.js';
import type { ConditionIntent } from '../../../machines/kit/row.js';
import type { MachineFacts } from '../../../machines/machine/facts.js';
import { machineTable } from '../../../machines/machine/table.js';

/** Every word that was said. */
export function saidByRows(
  trail: readonly { readonly row: string; readonly facts: MachineFacts }[],
): readonly ConditionIntent[] {
  return trail.flatMap(({ row, facts }) => rowById(machineTable, row)?.conditions(facts) ?? []);
}
