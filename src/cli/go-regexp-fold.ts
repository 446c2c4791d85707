// Letters that are one letter where case does not count, as Go's unicode.SimpleFold has them.

/** Beyond it no letter has another case. */
const CASED_END = 0x1f000;

let orbits: ReadonlyMap<number, readonly number[]> | null = null;

/** All code points that are the same without case, the given one among them. */
export function orbitOf(code: number): readonly number[] {
  orbits ??= readOrbits();
  return orbits.get(code) ?? [code];
}

function readOrbits(): ReadonlyMap<number, readonly number[]> {
  const byFold = new Map<number, number[]>();
  for (let code = 0; code < CASED_END; code += 1) {
    const fold = only(only(code, 'toUpperCase'), 'toLowerCase');
    if (fold === code || !isSame(fold, code)) continue;
    byFold.set(fold, [...(byFold.get(fold) ?? [fold]), code]);
  }
  return new Map([...byFold.values()].flatMap((orbit) => orbit.map((code) => [code, orbit] as const)));
}

/** The other case, where it is one code point; else the same. */
function only(code: number, to: 'toUpperCase' | 'toLowerCase'): number {
  const [first = '', ...more] = String.fromCodePoint(code)[to]();
  return more.length > 0 ? code : (first.codePointAt(0) ?? code);
}

/** By Unicode's simple folding, which is what `iu` compares with: a dotless i is no i. */
function isSame(one: number, other: number): boolean {
  return new RegExp(`^\\u{${one.toString(16)}}$`, 'iu').test(String.fromCodePoint(other));
}
