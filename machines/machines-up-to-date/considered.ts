// Which Machines count, what they say together, and when another one will count. Pure.
//
//   U1. A Machine counts when it has the condition, or when it is older than ten seconds: strictly, and whatever the clock says.
//   U2. False wins over Unknown, Unknown over True; the message lists both kinds of trouble.

import { aggregate, type AggregateSource } from '../../src/conditions/aggregate.js';
import { hasCondition, type Condition } from '../../src/conditions/condition.js';
import { cutAtLine } from '../../src/conditions/message.js';
import { compareText } from '../../src/conditions/order.js';
import type { Facts } from './facts.js';
import { CONDITION, SOURCE_CONDITION } from './reasons.js';

/** A control plane Machine, as far as this machine sees it. */
export interface SeenMachine {
  readonly name: string;
  /** Epoch milliseconds; null when it is not known. */
  readonly createdMs: number | null;
  readonly conditions: readonly Condition[];
  /** It carries the control plane label. */
  readonly isControlPlaneMachine: boolean;
}

/** Age from which a Machine counts without the condition. */
export const AGE_MIN_MS = 10_000;
/** The least time until another look: a Machine's age is known to the second. */
export const LOOK_MIN_MS = 1_000;
/** The API refuses longer messages. */
export const MESSAGE_CHARS_MAX = 32_768;

/** Whether a Machine counts at a time. */
export function isConsidered({ conditions, createdMs }: SeenMachine, nowMs: number): boolean {
  return hasCondition(conditions, SOURCE_CONDITION) || createdMs === null || nowMs - createdMs > AGE_MIN_MS;
}

/** Time until the first of the Machines that are left out for their age counts; null when none is left out. */
export function nextOldEnoughInMs(machines: readonly SeenMachine[], nowMs: number): number | null {
  const excluded = machines.filter((machine) => !isConsidered(machine, nowMs));
  if (excluded.length === 0) return null;
  const atMs = Math.min(...excluded.map(({ createdMs }) => (createdMs ?? nowMs) + AGE_MIN_MS + 1));
  return Math.max(LOOK_MIN_MS, atMs - nowMs);
}

/** What the Machines that count say together. `merge` is there to be replaced by one that fails. */
export function machinesFact(
  machines: readonly SeenMachine[],
  nowMs: number,
  merge: typeof aggregate = aggregate,
): Pick<Facts, 'machines' | 'message'> {
  const considered = machines
    .filter((machine) => isConsidered(machine, nowMs))
    .toSorted((one, other) => compareText(one.name, other.name));
  if (considered.length === 0) return { machines: 'none', message: '' };
  const sources = considered.map(({ name, conditions, isControlPlaneMachine }): AggregateSource => ({
    kind: 'Machine',
    name,
    conditions,
    isControlPlaneMachine,
  }));
  try {
    const { status, message } = merge(sources, { type: SOURCE_CONDITION, target: CONDITION });
    return { machines: status, message: cutAtLine(message, MESSAGE_CHARS_MAX) };
  } catch {
    return { machines: 'failed', message: '' };
  }
}
