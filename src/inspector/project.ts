// Which facts may be shown, by machine: an allow-list. A fact that is not named here never leaves the process.

import { scrubDeep } from './scrub.js';

/** Names of facts that the page, the protocols and `explain` show. Every name exists in the machine's facts: a test reads both. */
export const SHOWN_FACTS: Readonly<Record<string, readonly string[]>> = {};

/** The allowed facts of a machine, scrubbed. A machine that is not listed shows nothing. */
export function projectFacts(
  machine: string,
  facts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = SHOWN_FACTS[machine] ?? [];
  return Object.fromEntries(
    names.filter((name) => facts[name] !== undefined).map((name) => [name, scrubDeep(facts[name])]),
  );
}
