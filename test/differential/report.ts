// What people are told of a run. Pure.
import { tellDifference, type Difference } from './differences.js';
import { tell } from './history.js';
import type { Played } from './play.js';
import { RULES } from './rules.js';

/** One failing history: how to play it again, its acts, and what differs. */
export function reportOf({ history, turns, differences, message }: Played): string {
  return [
    `seed ${history.seed} (${history.manner}) differs after turn ${turns} of ${history.turns.length}`,
    `again: npm run test:differential -- --seed ${history.seed}`,
    tell({ ...history, turns: history.turns.slice(0, turns) }),
    ...(message === '' ? [] : [message]),
    ...differences.filter(isShown).map((difference) => `  ${tellDifference(difference)}`),
    '',
  ].join('\n');
}

/** What the lines about KubeadmConfigs say is not said again. */
function isShown({ of, path }: Difference): boolean {
  return !(
    of.startsWith('KubeadmConfig/') && /^status\.(?:conditions|deprecated|initialization|dataSecretName)/.test(path)
  );
}

/** The whole run in some lines. */
export function summaryOf(played: readonly Played[], seconds: number): string {
  const count = (end: Played['end']): number => played.filter((each) => each.end === end).length;
  const used = new Map<string, number>();
  for (const { rows } of played) for (const [row, times] of rows) used.set(row, (used.get(row) ?? 0) + times);
  const never = [...new Set(RULES.map(({ row }) => row))].filter((row) => !used.has(row));
  const woken = played.reduce((sum, each) => sum + each.woken.length, 0);
  const ends = (['same', 'parted', 'raced', 'differs', 'failed'] as const)
    .map((end) => `${count(end)} ${end}`)
    .join(', ');
  return [
    `${played.length} histories, ${played.reduce((sum, { turns }) => sum + turns, 0)} pictures in ${seconds} s: ${ends}`,
    'rows of docs/parity.md that were needed:',
    ...[...used].toSorted(([, a], [, b]) => b - a).map(([row, times]) => `  ${String(times).padStart(6)} ${row}`),
    ...(never.length === 0 ? [] : [`rules that nothing needed: ${never.join(', ')}`]),
    `turns after which the worlds came together only when ours had been woken as well: ${woken}`,
  ].join('\n');
}
