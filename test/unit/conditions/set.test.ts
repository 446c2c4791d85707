import { describe, expect, test } from '@jest/globals';
import {
  conditionTime,
  getCondition,
  getConditionMessage,
  getConditionReason,
  getLastTransitionTime,
  hasCondition,
  isConditionFalse,
  isConditionTrue,
  isConditionUnknown,
} from '../../../src/conditions/condition.js';
import { sortConditions } from '../../../src/conditions/order.js';
import { removeCondition, setCondition, setV1Beta1Condition } from '../../../src/conditions/set.js';
import { entry, old } from './examples.js';

const t0 = '2026-01-02T03:04:05Z';
const later = { nowMs: Date.parse('2026-01-02T04:00:00.987Z'), generation: 3 };
const laterTime = '2026-01-02T04:00:00Z';

describe('set a v1beta2 condition', () => {
  test('absent: no time given -> appended with now in whole seconds and the object’s generation', () => {
    expect(setCondition([], entry('A', 'F', 'm'), later)).toEqual([
      {
        type: 'A',
        status: 'False',
        observedGeneration: 3,
        lastTransitionTime: laterTime,
        reason: 'Reason-A',
        message: 'm',
      },
    ]);
  });

  test('absent: a time with a fraction given -> kept, cut to seconds; generation 0 -> no observedGeneration', () => {
    const next = entry('A', 'T', '', { lastTransitionTime: '2020-01-01T00:00:00.999Z', observedGeneration: 9 });
    expect(setCondition([], next, { ...later, generation: 0 })).toEqual([
      { type: 'A', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z', reason: 'Reason-A', message: '' },
    ]);
  });

  test('same status: other message and generation -> replaced, time kept although the new entry has another', () => {
    const before = [entry('A', 'F', 'old', { lastTransitionTime: t0, observedGeneration: 2 })];
    const next = entry('A', 'F', 'new', { lastTransitionTime: '2030-01-01T00:00:00Z', reason: 'Other' });
    expect(setCondition(before, next, later)).toEqual([
      { type: 'A', status: 'False', observedGeneration: 3, lastTransitionTime: t0, reason: 'Other', message: 'new' },
    ]);
  });

  test('another status: -> time is now', () => {
    const before = [entry('A', 'F', '', { lastTransitionTime: t0 })];
    expect(getLastTransitionTime(setCondition(before, entry('A', 'T'), later), 'A')).toBe(laterTime);
  });

  test('nothing changed: an unsorted list -> the very same list', () => {
    const before = [
      entry('Paused', 'F', '', { lastTransitionTime: t0, observedGeneration: 3 }),
      entry('A', 'F', '', { lastTransitionTime: t0, observedGeneration: 3 }),
    ];
    expect(setCondition(before, entry('A', 'F'), later)).toBe(before);
  });

  test('something changed: an unsorted list -> sorted, other entries untouched', () => {
    const foreign = entry('Deleting', 'F', 'x', { lastTransitionTime: t0 });
    const after = setCondition([foreign, entry('Z', 'T', '', { lastTransitionTime: t0 })], entry('Ready', 'T'), later);
    expect(after.map((each) => each.type)).toEqual(['Ready', 'Z', 'Deleting']);
    expect(after[2]).toBe(foreign);
  });

  test('frozen input: -> left alone', () => {
    const before = Object.freeze([Object.freeze(entry('B', 'T', '', { lastTransitionTime: t0 }))]);
    expect(setCondition(before, entry('A', 'F'), later)).toHaveLength(2);
    expect(before).toHaveLength(1);
  });

  test('O-1 order: known, unknown and last types -> the documented order', () => {
    const types = ['Deleting', 'B', 'Available', 'A', 'Paused', 'Ready', 'C!'];
    expect(sortConditions(types.map((type) => entry(type, 'T'))).map((each) => each.type)).toEqual([
      'Available',
      'Ready',
      'A',
      'B',
      'C!',
      'Paused',
      'Deleting',
    ]);
  });

  test('order of a KubeadmConfig: its types and the actor’s -> Ready, CertificatesAvailable, others, Paused', () => {
    const types = ['Paused', 'DataSecretAvailable', 'ActorState', 'CertificatesAvailable', 'Ready'];
    expect(sortConditions(types.map((type) => entry(type, 'T'))).map((each) => each.type)).toEqual([
      'Ready',
      'CertificatesAvailable',
      'ActorState',
      'DataSecretAvailable',
      'Paused',
    ]);
  });

  test('remove: present and absent -> gone, or the very same list', () => {
    const before = [entry('A', 'T'), entry('B', 'T')];
    expect(removeCondition(before, 'A')).toEqual([before[1]]);
    expect(removeCondition(before, 'C')).toBe(before);
  });

  test('time: half a second -> cut off, not rounded', () => {
    expect(conditionTime(Date.parse('2026-01-02T03:04:05.999Z'))).toBe(t0);
  });
});

describe('set a v1beta1 condition', () => {
  const before = [old('DataSecretAvailable', 'F', { severity: 'Info', reason: 'Waiting', lastTransitionTime: t0 })];

  test('any change: only the message -> time is now', () => {
    const next = old('DataSecretAvailable', 'F', { severity: 'Info', reason: 'Waiting', message: 'for you' });
    expect(setV1Beta1Condition(before, next, later)).toEqual([{ ...next, lastTransitionTime: laterTime }]);
  });

  test('nothing changed: empty fields instead of absent ones -> the very same list', () => {
    const next = old('DataSecretAvailable', 'F', { severity: 'Info', reason: 'Waiting', message: '' });
    expect(setV1Beta1Condition(before, next, later)).toBe(before);
  });

  test('True: empty severity, reason and message -> left out; sorted with Ready first', () => {
    let list = setV1Beta1Condition(before, old('Ready', 'T', { severity: '', reason: '', message: '' }), later);
    list = setV1Beta1Condition(list, old('CertificatesAvailable', 'T'), later);
    expect(list.map((each) => each.type)).toEqual(['Ready', 'CertificatesAvailable', 'DataSecretAvailable']);
    expect(list[0]).toEqual({ type: 'Ready', status: 'True', lastTransitionTime: laterTime });
  });
});

describe('read a condition', () => {
  const list = [entry('A', 'T', 'm', { lastTransitionTime: t0 }), entry('A', 'F'), entry('B', 'U')];

  test('present: -> the first of its type and what it says', () => {
    expect(getCondition(list, 'A')).toBe(list[0]);
    expect([hasCondition(list, 'A'), isConditionTrue(list, 'A'), isConditionFalse(list, 'A')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([getConditionReason(list, 'A'), getConditionMessage(list, 'A')]).toEqual(['Reason-A', 'm']);
    expect(getLastTransitionTime(list, 'A')).toBe(t0);
    expect([isConditionUnknown(list, 'A'), isConditionUnknown(list, 'B')]).toEqual([false, true]);
  });

  test('absent: -> neither true nor false, but unknown', () => {
    expect([isConditionTrue(list, 'X'), isConditionFalse(list, 'X'), isConditionUnknown(list, 'X')]).toEqual([
      false,
      false,
      true,
    ]);
    expect([hasCondition(list, 'X'), getCondition(list, 'X'), getLastTransitionTime(list, 'X')]).toEqual([
      false,
      null,
      null,
    ]);
    expect([getConditionReason(list, 'X'), getConditionMessage(list, 'X')]).toEqual(['', '']);
  });
});
