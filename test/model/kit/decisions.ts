// All combinations of facts, without trying those that nobody can tell apart.
//
// Facts are handed out unmade: one is chosen only when somebody asks for it, and the next round chooses otherwise, deepest first.
// What a round never asked for cannot have mattered, so each round stands for all values of it, and the rounds together for every
// combination: a proof, no sample.
//
//   D1. Who is asked decides by facts alone. Asking in another order than before, after the same answers, throws.
//   D2. Facts cannot be changed.
//   D3. Facts that outlive their round keep their values; what was never asked for has its first one.
import type { Axes } from './axes.js';

interface Choice {
  readonly name: PropertyKey;
  readonly values: readonly unknown[];
  index: number;
}

interface Round {
  /** Choices of the path that this round has made. */
  depth: number;
  isOver: boolean;
}

/** Facts that stand for all combinations, one after the other. Ask them before the next ones are taken. */
export function* decisions<Facts extends object>(base: Facts, axes: Axes<Facts>): Generator<Facts> {
  const path: Choice[] = [];
  do {
    const round: Round = { depth: 0, isOver: false };
    yield unmade(base, axes as Readonly<Record<PropertyKey, readonly unknown[]>>, path, round);
    round.isOver = true;
    path.length = round.depth;
  } while (advance(path));
}

/** Facts with others in the place of some: the rest stays unmade. */
export function changed<Facts extends object>(facts: Facts, learned: Partial<Facts>): Facts {
  return Object.freeze(Object.create(facts, Object.getOwnPropertyDescriptors(learned))) as Facts;
}

function unmade<Facts extends object>(
  base: Facts,
  axes: Readonly<Record<PropertyKey, readonly unknown[]>>,
  path: Choice[],
  round: Round,
): Facts {
  const made = new Map<PropertyKey, unknown>();
  const make = (name: PropertyKey, values: readonly unknown[]): unknown => {
    if (round.isOver) return values[0];
    const choice = (path[round.depth] ??= { name, values, index: 0 });
    if (choice.name !== name) throw new Error(`${String(name)} is asked for where ${String(choice.name)} was before`);
    round.depth += 1;
    return values[choice.index];
  };
  return new Proxy(
    { ...base },
    {
      get(target, name) {
        const values = Object.hasOwn(axes, name) ? axes[name] : undefined;
        if (values === undefined) return Reflect.get(target, name) as unknown;
        if (!made.has(name)) made.set(name, make(name, values));
        return made.get(name);
      },
      defineProperty: () => false,
      deleteProperty: () => false,
    },
  );
}

/** Chooses otherwise at the last place where that is possible. False when there is none. */
function advance(path: Choice[]): boolean {
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    last.index += 1;
    if (last.index < last.values.length) return true;
    path.pop();
  }
  return false;
}
