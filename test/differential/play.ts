// Plays one history on both worlds and compares them after each turn.
//
//   DP1. Worlds are compared when both are quiet. Where they differ they get time: the Go provider is woken again and again, because it
//        watches no Secrets; ours must arrive by itself and is woken only at last, which is told.
//   DP2. A difference that no row of the parity page allows ends the history.
import { pause } from '../worlds/operator-process.js';
import { clear, perform, touch, type Answer } from './acting.js';
import { differencesOf, type Difference } from './differences.js';
import type { Act, History } from './history.js';
import type { Material } from './material.js';
import { paint, paintLegacy, type Picture, type Scene } from './picture.js';
import { judge, type Judgement } from './rules.js';
import type { Side } from './side.js';
import { at, lineOf, toldOf } from './told.js';

/** Both worlds. */
export interface Sides {
  readonly ours: Side;
  readonly theirs: Side;
  /** How long the worlds may differ before that counts: the Go provider tries a workload cluster again after 30 s. */
  readonly patienceMs: number;
}

/** How a history ended. */
export interface Played {
  readonly history: History;
  /** `same`: compared to its end. `parted`: a row lets the two go different ways from there. `raced`: nothing says who is first. */
  readonly end: 'same' | 'parted' | 'raced' | 'differs' | 'failed';
  readonly turns: number;
  /** What no row allows. */
  readonly differences: readonly Difference[];
  /** How often each row was needed. */
  readonly rows: ReadonlyMap<string, number>;
  /** Turns after which ours had to be woken, by their acts. */
  readonly woken: readonly string[];
  readonly message: string;
}

const TOUCHED = 'differential.example.com/look';
/** Both worlds have been quiet for so long before they are compared. */
const QUIET_MS = 700;
/** And for so long while somebody holds the init lock and has no data yet: making keys takes a while. */
const QUIET_UNDER_LOCK_MS = 5_000;
const LEGACY_LOOKS_MAX = 10;
const LOOK_EVERY_MS = 150;
const ANSWERS_WORTH = 10;
const PATIENCE_MAX_MS = 300_000;
const TOUCH_THEIRS_EVERY_MS = 6_000;
/** Ours is woken when it has not arrived by then. */
const TOUCH_OURS_AFTER_MS = 15_000;
/** Plays it in a namespace of its own, which it clears. */
export async function play(sides: Sides, history: History, namespace: string, material: Material): Promise<Played> {
  const scene: Scene = { namespace, material, touched: TOUCHED };
  const rows = new Map<string, number>();
  const woken: string[] = [];
  const ended = (end: Played['end'], turns: number, differences: readonly Difference[] = [], message = ''): Played => ({
    history,
    end,
    turns,
    differences,
    rows,
    woken,
    message,
  });
  const both = [sides.ours, sides.theirs] as const;
  try {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await Promise.all(both.map((side) => side.server.call('POST', '/api/v1/namespaces', object)));
    for (const [index, turn] of history.turns.entries()) {
      const answers = await Promise.all(both.map((side) => answersOf(side, namespace, turn, material)));
      const settled = await settle(sides, scene, history, { index, ours: answers[0] ?? [], theirs: answers[1] ?? [] });
      for (const row of settled.judgement.rows) rows.set(row, (rows.get(row) ?? 0) + 1);
      if (settled.isWoken && settled.judgement.unexplained.length === 0)
        woken.push(turn.map((act) => JSON.stringify(act).slice(0, 150)).join(' + '));
      const { unexplained, end } = settled.judgement;
      if (unexplained.length > 0)
        return ended('differs', index + 1, unexplained, linesOf(unexplained, look(sides, scene)));
      if (end !== null) return ended(end, index + 1);
    }
    const judgement = await judgeLegacy(sides, scene, history);
    for (const row of judgement.rows) rows.set(row, (rows.get(row) ?? 0) + 1);
    return ended(judgement.unexplained.length > 0 ? 'differs' : 'same', history.turns.length, judgement.unexplained);
  } catch (error) {
    return ended('failed', 0, [], error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await Promise.all(both.map((side) => clear(side, namespace)));
  }
}

/** The same objects as v1beta1. Something may change between the two looks: then it is looked again. */
async function judgeLegacy(sides: Sides, scene: Scene, { manner }: History): Promise<Judgement> {
  for (let attempt = 0; ; attempt += 1) {
    const [ours = {}, theirs = {}] = await Promise.all(
      [sides.ours, sides.theirs].map((side) => paintLegacy(side, scene)),
    );
    const judgement = judge(differencesOf(ours, theirs).map(inStorageWords), { ...look(sides, scene), manner });
    if (judgement.unexplained.length === 0 || attempt > LEGACY_LOOKS_MAX) return judgement;
    await pause(QUIET_MS);
  }
}

/** A difference of the v1beta1 view by the fields of v1beta2 that it comes from. */
function inStorageWords(difference: Difference): Difference {
  const path = difference.path
    .replace(/^status\.conditions(?=\.|$)/, 'status.deprecated.v1beta1.conditions')
    .replace(/^status\.v1beta2\.conditions(?=\.|$)/, 'status.conditions')
    .replace(/^status\.ready$/, 'status.initialization');
  return { ...difference, of: difference.of.replace(/^v1beta1\//, 'KubeadmConfig/'), path };
}

/** What the KubeadmConfigs that differ say, both sides. */
function linesOf(
  differences: readonly Difference[],
  { ours, theirs }: { readonly ours: Picture; readonly theirs: Picture },
): string {
  const configs = [...new Set(differences.map(({ of }) => of).filter((of) => of.startsWith('KubeadmConfig/')))];
  return configs
    .map((of) => `  ${of}\n    ours:   ${lineOf(toldOf(ours, of))}\n    theirs: ${lineOf(toldOf(theirs, of))}`)
    .join('\n');
}

async function answersOf(
  side: Side,
  namespace: string,
  turn: readonly Act[],
  material: Material,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const act of turn) {
    answers.push(await perform(side, namespace, act, material));
    // What an act is about must be seen before the next act reads it.
    if (act.do === 'create') await pause(0);
  }
  return answers;
}

interface Answers {
  readonly index: number;
  readonly ours: readonly Answer[];
  readonly theirs: readonly Answer[];
}

function look({ ours, theirs }: Sides, scene: Scene): { readonly ours: Picture; readonly theirs: Picture } {
  return { ours: paint(ours, scene), theirs: paint(theirs, scene) };
}

async function settle(
  sides: Sides,
  scene: Scene,
  { manner }: History,
  answers: Answers,
): Promise<{ readonly judgement: Judgement; readonly isWoken: boolean }> {
  const { ours, theirs } = sides;
  const { namespace } = scene;
  const startMs = performance.now();
  let touchedMs = performance.now();
  let isWoken = false;
  let count = 0;
  // A machine with much to do is given more time: as much as a number of its answers take.
  let patienceMs = sides.patienceMs;
  const touchBoth = async (isOursToo: boolean): Promise<void> => {
    const beforeMs = performance.now();
    const value = `${answers.index}.${count}`;
    await touch(theirs, namespace, TOUCHED, value);
    if (isOursToo) await touch(ours, namespace, TOUCHED, value);
    patienceMs = Math.min(PATIENCE_MAX_MS, patienceMs + ANSWERS_WORTH * (performance.now() - beforeMs));
    touchedMs = performance.now();
    count += 1;
  };
  await touchBoth(false);
  for (;;) {
    await pause(LOOK_EVERY_MS);
    await Promise.all([ours.ready(), theirs.ready()]);
    const nowMs = performance.now();
    const quietMs =
      nowMs - Math.max(startMs, touchedMs, ours.mirror.changedMs(namespace), theirs.mirror.changedMs(namespace));
    const isOver = nowMs - startMs > patienceMs;
    const isMaking = isMakingInit(ours, namespace) || isMakingInit(theirs, namespace);
    if (quietMs >= (isMaking ? QUIET_UNDER_LOCK_MS : QUIET_MS) || isOver) {
      const seen = look(sides, scene);
      const found = [...differencesOf(seen.ours, seen.theirs), ...answerDifferences(answers)];
      const judgement = judge(found, { ...seen, manner });
      if (judgement.unexplained.length === 0 || isOver) return { judgement, isWoken };
    }
    if (nowMs - touchedMs < TOUCH_THEIRS_EVERY_MS) continue;
    isWoken ||= nowMs - startMs >= TOUCH_OURS_AFTER_MS;
    await touchBoth(isWoken);
  }
}

/** Whether the holder of a lock has no data yet. */
function isMakingInit({ mirror }: Side, namespace: string): boolean {
  return mirror.list('ConfigMap', namespace).some(({ metadata, ...lock }) => {
    const information = String(at(lock, 'data', 'lock-information') ?? '');
    const holder = /"machineName":"([^"]+)"/.exec(information)?.[1];
    const config = holder === undefined ? undefined : mirror.get('KubeadmConfig', namespace, holder);
    return (
      metadata.name.endsWith('-lock') && config !== undefined && at(config, 'status', 'initialization') === undefined
    );
  });
}

function answerDifferences({ index, ours, theirs }: Answers): readonly Difference[] {
  return ours.flatMap((answer, at) =>
    answer === theirs[at] ? [] : [{ of: `Answer/${index + 1}.${at + 1}`, path: '', ours: answer, theirs: theirs[at] }],
  );
}
