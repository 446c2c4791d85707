// A state's name as XState's state value: `Draining` is `{ Deleting: 'Draining' }` when it is nested.

import type { AnyTable } from '../charts/model.js';

/** The state value of a leaf state. */
export function stateValue(table: AnyTable | undefined, state: string): unknown {
  const parent = table?.states[state]?.parent;
  return parent === undefined ? state : { [parent]: state };
}
