// Combinations of facts: all of them where that is possible, else every pair of values and a seeded sample.
//
// An axis is one fact with the values it can have. Facts that no axis names keep the base's value.

/** The values that facts can have. */
export type Axes<Facts> = { readonly [K in keyof Facts]?: readonly Facts[K][] };

/** How many combinations axes have. */
export function combinationCount<Facts>(axes: Axes<Facts>): number {
  return valuesOf(axes).reduce((count, [, values]) => count * values.length, 1);
}

/** Combinations of facts, frozen. `max` bounds how many; the same seed gives the same sample. */
export function* combinations<Facts extends object>(
  base: Facts,
  axes: Axes<Facts>,
  { max, seed }: { readonly max: number; readonly seed: number },
): Generator<Facts> {
  const list = valuesOf(axes);
  if (combinationCount(axes) <= max) {
    yield* product(base, list);
    return;
  }
  yield* pairs(base, list);
  const next = randomFrom(seed);
  for (let index = 0; index < max; index += 1) {
    yield made(
      base,
      list.map(([name, values]) => [name, values[next(values.length)]] as const),
    );
  }
}

type Axis = readonly [name: string, values: readonly unknown[]];

function valuesOf<Facts>(axes: Axes<Facts>): readonly Axis[] {
  return Object.entries(axes).map(([name, values]) => [name, values as readonly unknown[]] as const);
}

function* product<Facts extends object>(base: Facts, axes: readonly Axis[]): Generator<Facts> {
  const sizes = axes.map(([, values]) => values.length);
  const indexes = axes.map(() => 0);
  for (;;) {
    yield made(
      base,
      axes.map(([name, values], axis) => [name, values[indexes[axis] ?? 0]] as const),
    );
    let axis = 0;
    for (; axis < axes.length; axis += 1) {
      indexes[axis] = (indexes[axis] ?? 0) + 1;
      if ((indexes[axis] ?? 0) < (sizes[axis] ?? 0)) break;
      indexes[axis] = 0;
    }
    if (axis === axes.length) return;
  }
}

/** Every pair of values of two axes, on the base. */
function* pairs<Facts extends object>(base: Facts, axes: readonly Axis[]): Generator<Facts> {
  for (const [index, [name, values]] of axes.entries()) {
    for (const [other, others] of axes.slice(index + 1)) {
      for (const value of values)
        for (const second of others)
          yield made(base, [
            [name, value],
            [other, second],
          ]);
    }
  }
}

function made<Facts extends object>(base: Facts, values: readonly (readonly [string, unknown])[]): Facts {
  return Object.freeze({ ...base, ...Object.fromEntries(values) });
}

/** Whole numbers below a bound, the same for the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
