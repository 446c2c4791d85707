// Every fault: the object's own conditions and `explain` name the failing object, the field or key, and the cause; nobody is
// sent to a log, and no secret comes out anywhere.
import { describe, expect, test } from '@jest/globals';
import { account, CANARY, conditionTexts } from './fault-kit.js';
import { clusterFaults } from './fault-table-cluster.js';
import { specFaults } from './fault-table-spec.js';

/** The requirement's text (KC-029, KC-092): it stays, and the condition's older twin beside it names the cause. */
const TABLE_TEXT = 'Please check controller logs for errors';
const faults = [...specFaults, ...clusterFaults];

describe('faults: condition, Event and explanation name the object, the field or key, and the cause', () => {
  test.each(faults.map((fault) => [fault.fault, fault] as const))('%s', async (_, fault) => {
    const { config, explain, explanation, events, logs } = await account(fault);
    const { object = 'KubeadmConfig default/x', place, shownPlace = place, cause } = fault;
    const [type, reason] = fault.condition;
    const said = conditionTexts(config, type).join('\n');

    expect(config.status?.conditions).toContainEqual(expect.objectContaining({ type, reason }));
    if (fault.object !== undefined) expect(said).toMatch(named(object));
    for (const name of [shownPlace ?? '', cause]) expect(said).toContain(name);
    for (const name of [object, place ?? '', cause]) expect(explain).toContain(name);
    if (type !== 'Paused') expect(events.join('\n')).toContain(cause);
    expect(explanation.waitsFor).not.toBeNull();
    expect(explanation.unblocks).not.toBe('');

    const spoken = [explain, ...events, said.replaceAll(TABLE_TEXT, '')].join('\n');
    expect(spoken).not.toMatch(/\blogs?\b/i);
    for (const text of [explain, JSON.stringify(explanation), ...events, JSON.stringify(config.status), logs])
      expect(text).not.toContain(CANARY);
  });

  test('the table -> has at least 25 faults, each once', () => {
    expect(new Set(faults.map(({ fault }) => fault)).size).toBe(faults.length);
    expect(faults.length).toBeGreaterThanOrEqual(25);
  });
});

/** `Secret default/x`, or as API servers and upstream name an object of the same namespace: `secrets "x"`, `default/x`. */
function named(object: string): RegExp {
  const [kind = '', path = ''] = object.split(' ');
  const name = path.split('/')[1] ?? '';
  if (path === '') return new RegExp(kind);
  return new RegExp(`${kind} ${path}\\b|\\b${path}\\b|${kind}s? "?(?:default/)?${name}\\b`, 'i');
}
