// Runs a machine's own check on every mutant of its table: a mutant that the check likes survives, and a test is missing.

import { expect, test } from '@jest/globals';
import { printedSeed, sized } from '../../test-size.js';
import type { AnyModel } from '../../model/kit/model.js';
import { allMutants, equivalentOf, type Mutant } from './mutants.js';

/** Throws when something is wrong with a table. It is run on hundreds of tables: milliseconds each. */
export type TableCheck = (table: AnyModel['table']) => void;

/** Names of the mutants that the check does not notice. */
export function survivorsOf(mutants: readonly Mutant[], check: TableCheck): readonly string[] {
  return mutants.filter(({ table }) => isLiked(table, check)).map(({ name }) => name);
}

function isLiked(table: AnyModel['table'], check: TableCheck): boolean {
  try {
    check(table);
    return true;
  } catch {
    return false;
  }
}

/** Registers the mutation test of a machine. `known` are mutants that are let live, each with a reason. */
export function describeMutants(
  model: AnyModel,
  check: TableCheck,
  {
    known = {},
    max = [2_000, 20_000],
  }: { readonly known?: Readonly<Record<string, string>>; readonly max?: readonly [number, number] } = {},
): void {
  test(`${model.table.id}: every mutant of its rows -> is noticed`, () => {
    check(model.table);
    const seed = printedSeed(`${model.table.id} mutants`);
    const all = allMutants(model);
    const alive = survivorsOf(all, check);
    const equivalent = equivalentOf(
      model,
      all.filter(({ name }) => alive.includes(name)),
      { max: sized(...max), seed },
    );
    const survivors = alive.filter((name) => !equivalent.includes(name));
    const count = all.length - equivalent.length;
    process.stdout.write(
      `${model.table.id}: ${count} mutants, ${count - survivors.length} killed, ${equivalent.length} equivalent\n`,
    );
    expect(survivors.filter((name) => !(name in known))).toEqual([]);
    expect(Object.keys(known).filter((name) => !survivors.includes(name))).toEqual([]);
    expect(count).toBeGreaterThan(model.table.rows.length);
  });
}
