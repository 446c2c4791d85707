// Makes a failing history short: turns and acts are left out as long as the same thing differs.
import type { History } from './history.js';
import type { Material } from './material.js';
import { play, type Played, type Sides } from './play.js';

const PLAYS_MAX = 60;
const AT_ONCE = 8;

/** The shortest that is found. */
export async function shrink(
  sides: Sides,
  failing: Played,
  material: Material,
  note: (text: string) => void,
): Promise<Played> {
  await Promise.all([sides.ours.start(failing.history.manner), sides.theirs.start(failing.history.manner)]);
  const { seed } = failing.history;
  let plays = 0;
  const attempt = async (turns: History['turns']): Promise<Played | null> => {
    plays += 1;
    const again = await play(sides, { ...failing.history, turns }, `h${seed}-${plays}`, material);
    return again.end === 'differs' && isAlike(again, failing) ? again : null;
  };
  let best = await attempt(failing.history.turns.slice(0, failing.turns));
  if (best === null) {
    note(`seed ${seed}: alone it does not differ`);
    return { ...failing, message: 'ALONE IT DOES NOT DIFFER' };
  }
  for (let isSmaller = true; isSmaller && plays < PLAYS_MAX;) {
    isSmaller = false;
    const smaller = smallerOf(best.history.turns.slice(0, best.turns));
    for (let at = 0; at < smaller.length && plays < PLAYS_MAX; at += AT_ONCE) {
      const found = await Promise.all(smaller.slice(at, at + AT_ONCE).map(attempt));
      const [first] = found.filter((each) => each !== null);
      if (first === undefined) continue;
      best = first;
      isSmaller = true;
      break;
    }
  }
  note(`seed ${seed}: ${best.turns} turns after ${plays} plays`);
  return best;
}

/** The same kinds of objects differ in one of the same fields. */
function isAlike(one: Played, other: Played): boolean {
  const marks = (played: Played): readonly string[] =>
    played.differences.map(({ of, path }) => `${of.split('/')[0]} ${path}`);
  const known = new Set(marks(other));
  return marks(one).some((mark) => known.has(mark));
}

function smallerOf(turns: History['turns']): readonly History['turns'][] {
  const without = turns.map((_, index) => turns.filter((__, other) => other !== index));
  const thinner = turns.flatMap((turn, index) =>
    turn.length === 1
      ? []
      : turn.map((_, act) =>
          turns.map((each, other) => (other === index ? each.filter((__, place) => place !== act) : each)),
        ),
  );
  const halves = turns.length > 3 ? [turns.slice(0, Math.ceil(turns.length / 2))] : [];
  return [...halves, ...without.toReversed(), ...thinner].filter((each) => each.length > 0);
}
