import { describe, expect, test } from '@jest/globals';
import { leafState, restore, restOf, step, type Snapshot } from '../../machines/kit/step.js';
import { rowFor, type AnyModel } from '../model/kit/model.js';
import { toyModel } from '../model/toy-model.js';
import { createToyChart, toyFacts, type ToyFacts } from '../unit/kit/toy.js';
import { mutantsOf } from './kit/mutants.js';
import { describeMutants, survivorsOf } from './kit/survivors.js';

/** Event, facts, and what must come of it: state, request, wake-up and what the conditions say. */
const story: readonly (readonly [string, Partial<ToyFacts>, string, string, number | null, string])[] = [
  ['OBSERVED', {}, 'Waiting', '', null, 'Made False Waiting waits'],
  ['OBSERVED', { ready: true }, 'Making', 'make', null, ''],
  ['OBSERVED', { ready: true, joined: true }, 'Making', 'make', null, ''],
  ['OBSERVED', { ready: true, checkDue: true }, 'Making', 'make', null, ''],
  ['OBSERVED', { ready: true, made: true }, 'Watching', '', 300_000, 'Made True Made '],
  ['OBSERVED', { ready: true, made: true, checkDue: true }, 'Watching', 'check', null, 'Made True Made '],
  ['OBSERVED', { ready: true, made: true, checkDue: true, joined: true }, 'Resting', '', null, 'Made True Made '],
  ['OBSERVED', { made: true, joined: true }, 'Waiting', '', null, 'Made False Waiting waits'],
  ['OBSERVED', { made: true, checkDue: true }, 'Waiting', '', null, 'Made False Waiting waits'],
  ['MADE', { made: true }, 'Watching', '', 300_000, 'Made True Made '],
  ['CHECKED', { made: true }, 'Watching', '', 300_000, 'Made True Made '],
  [
    'EFFECT_FAILED',
    { failure: { request: 'make', kind: 'Api', message: 'no' } },
    'Elsewhere',
    '',
    null,
    'Made False Failed no',
  ],
];

function checkStory(table: AnyModel['table']): void {
  const machine = createToyChart(table as never);
  for (const [type, given, state, request, wakeAfterMs, conditions] of story) {
    const facts = toyFacts(given);
    for (const from of Object.keys(table.states)) {
      const start = restore(machine, { value: from, context: { row: null, sinceMs: 0, wakeAtMs: null } }) as Snapshot;
      const { after, requests } = step(machine, start, { type, facts, nowMs: 1000 } as never);
      const { wakeAtMs } = restOf(after).context;
      const row = rowFor({ table }, { type, facts });
      const said = (row?.conditions(facts) ?? []).map(
        (each) =>
          `${each.type} ${each.status} ${each.reason} ${each.message}${each.onlyIfAbsent === true ? '?' : ''}${each.only ?? ''}`,
      );
      expect([leafState(after.value), requests.map((each) => each.type).join(), wakeAtMs, said.join()]).toEqual([
        state === 'Elsewhere' ? from : state,
        request,
        wakeAfterMs === null ? null : 1000 + wakeAfterMs,
        conditions,
      ]);
    }
  }
}

describeMutants(toyModel, checkStory);

describe('mutants', () => {
  const size = { max: 1000, seed: 1 };
  const { mutants, equivalent } = mutantsOf(toyModel, size);

  test('a check that looks at nothing -> all survive', () => {
    expect(survivorsOf(mutants, () => undefined)).toHaveLength(mutants.length);
  });
  test('mutants that cannot be told from the table -> left out: a last row that always fits, rows whose order does not matter', () => {
    expect(equivalent).toContain('T05: guard always');
    expect(equivalent).toContain('T06: guard always');
    expect(mutants.map(({ name }) => name)).toContain('T03: after T04');
    expect(mutants.map(({ name }) => name)).toContain('T04: requeue later');
  });
  test('a condition text that nobody checks -> its mutant survives', () => {
    const blind = (table: AnyModel['table']): void => {
      const facts = toyFacts();
      expect(rowFor({ table }, { type: 'OBSERVED', facts })?.target).toBe('Waiting');
    };
    expect(survivorsOf(mutants, blind)).toContain('T01: another message');
    expect(survivorsOf(mutants, blind)).not.toContain('T01: guard never');
  });
});
