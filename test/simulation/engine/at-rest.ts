// What a world in which every node has joined does: nothing, for ten minutes.
import { SYNC_PERIOD_SPREAD } from '../../../src/limits.js';
import type { Judge } from './judge.js';
import type { Plan } from './plan.js';
import type { VirtualTime } from './virtual-time.js';

const QUIET_MS = 10 * 60_000;
/** Lists that are read anew wake everybody. */
const TURNS_AT_REST_MAX = 2;
/** Passes spread over the last part of their period. */
const SYNC_HASTE = 1 / (1 - SYNC_PERIOD_SPREAD);
/** In one time to live: the token is looked at thrice, and that of a pool made anew twice. */
const TOKEN_TURNS_MAX = 20;

/** Nothing is written, and nobody is asked anything; but the tokens of pools are kept. */
export async function judgeRest(
  { world, faults }: Plan,
  {
    time,
    judge,
    isViolated,
    exempt,
  }: {
    readonly time: VirtualTime;
    readonly judge: Judge;
    readonly isViolated: () => boolean;
    readonly exempt: ReadonlySet<string>;
  },
): Promise<void> {
  const [writesBefore, questionsBefore] = [judge.writes.length, judge.questions.length];
  const turnsBefore = judge.turns.length;
  await time.runUntil(time.nowMs + QUIET_MS, isViolated);
  const isOfPool = (text: string): boolean => /-pool\b/.test(text);
  const writes = judge.writes.slice(writesBefore);
  // A snapshot that others spoilt in a ConfigMap is mended at the next look, whenever that is.
  const isMended = (text: string): boolean =>
    world.snapshotStore === 'configmap' &&
    faults.some((fault) => fault.kind === 'act' && fault.what.endsWith('Snapshot')) &&
    text.endsWith('-actor') &&
    writes.filter((write) => write === text).length === 1;
  const late = writes.filter((write) => !isOfPool(write) && !isMended(write));
  if (late.length > 0) judge.accuse('quiet', `written at rest: ${late.slice(0, 3).join('; ')}`);
  // Twice in a time to live, and a rotation is some six writes.
  const most = 10 * Math.ceil((2 * QUIET_MS) / world.tokenTtlMs) * world.clusters;
  if (writes.length > most) judge.accuse('quiet', `${writes.length} writes for a pool at rest`);
  const asked = judge.questions
    .slice(questionsBefore)
    .filter((question) => world.poolReplicas === 0 && !late.includes(question) && !question.endsWith('-actor'))
    // Who watches Nodes asks now and then whether anybody is there.
    .filter((question) => !world.machines || !question.startsWith('http'));
  if (asked.length > 0) judge.accuse('quiet', `asked at rest: ${asked.slice(0, 3).join('; ')}`);
  // Whose node never comes keeps its token, too.
  const keepsToken = (actor: string): boolean => isOfPool(actor) || exempt.has(actor.split('/')[1] ?? '');
  const syncTurns = world.syncPeriodMs === 0 ? 0 : Math.ceil((QUIET_MS / world.syncPeriodMs) * SYNC_HASTE);
  const restless = tooMany(
    judge.turns.slice(turnsBefore),
    (actor) => syncTurns + (keepsToken(actor) ? (TOKEN_TURNS_MAX * QUIET_MS) / world.tokenTtlMs : TURNS_AT_REST_MAX),
  );
  if (restless !== undefined) judge.accuse('quiet', `${restless} turns again and again at rest`);
}

/** One that is named more often than it may be. */
function tooMany(names: readonly string[], most: (name: string) => number): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].find(([name, count]) => count > most(name))?.[0];
}
