// What a turn of a Machine came to. Types only.
import type { MachineFacts } from '../../../machines/machine/facts.js';
import type { MachineState } from '../../../machines/machine/words.js';
import type { Outcome } from '../../host/contract.js';

/** What a turn of a Machine leaves behind. */
export type MachineOutcome = Outcome<MachineState, MachineFacts>;
