// Which differences are meant: each rule names its row of docs/parity.md.
import type { Difference } from './differences.js';
import type { Manner } from './history.js';
import type { Picture } from './picture.js';
import { LASTING_RULES } from './rules-lasting.js';
import { DATA_RULES, LOCK_RULES, TOKEN_RULES } from './rules-objects.js';
import { SAID_RULES } from './rules-said.js';

/** What a rule may look at. */
export interface Seen {
  readonly ours: Picture;
  readonly theirs: Picture;
  readonly manner: Manner;
}

/** A meant difference. */
export interface Rule {
  /** Id of the row. */
  readonly row: string;
  readonly allows: (difference: Difference, seen: Seen) => boolean;
  /** The two go different ways from here: nothing can be compared any more. */
  readonly parts?: true;
}

/** What became of the differences of a picture. */
export interface Judgement {
  readonly unexplained: readonly Difference[];
  readonly rows: readonly string[];
  readonly end: 'parted' | 'raced' | null;
}

/** All rules, the first that allows a difference counts. */
export const RULES: readonly Rule[] = [...LASTING_RULES, ...LOCK_RULES, ...TOKEN_RULES, ...DATA_RULES, ...SAID_RULES];

/** Judges differences. */
export function judge(differences: readonly Difference[], seen: Seen): Judgement {
  const unexplained: Difference[] = [];
  const rows: string[] = [];
  let isParted = false;
  for (const difference of differences) {
    const rule = RULES.find(({ allows }) => allows(difference, seen));
    if (rule === undefined) unexplained.push(difference);
    else rows.push(rule.row);
    isParted ||= rule?.parts === true;
  }
  return { unexplained, rows, end: isParted && unexplained.length === 0 ? 'parted' : null };
}
