import { describe, expect, test } from '@jest/globals';
import { mirror } from '../../../src/conditions/mirror.js';
import { readConditions } from '../../../src/conditions/stored.js';

const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'AllGood!',
  message: 'We are good!',
  lastTransitionTime: '2026-01-02T03:04:05Z',
  observedGeneration: 10,
};
const { observedGeneration: _, ...shown } = ready;
const absent = { status: 'Unknown', reason: 'NotYetReported', message: 'Condition Ready not yet reported' };

describe('mirror', () => {
  test('M-1: present -> status, reason, message and time, no generation', () => {
    expect(mirror([ready], { type: 'Ready' })).toEqual(shown);
  });
  test('M-2: another target -> under that type', () => {
    expect(mirror([ready], { type: 'Ready', target: 'SomethingReady' })).toEqual({ ...shown, type: 'SomethingReady' });
  });
  test('M-3: an empty message -> stays empty', () => {
    expect(mirror([{ ...ready, message: '' }], { type: 'Ready' })).toEqual({ ...shown, message: '' });
  });
  test('M-4: absent -> not yet reported', () => {
    expect(mirror([], { type: 'Ready' })).toEqual({ type: 'Ready', ...absent });
  });
  test('M-5: absent, another target -> its text names the source', () => {
    expect(mirror([], { type: 'Ready', target: 'SomethingReady' })).toEqual({ type: 'SomethingReady', ...absent });
  });
  test('M-6: absent with a fallback -> the fallback', () => {
    const fallback = { status: 'True', reason: 'SomeReason', message: 'Foo' };
    expect(mirror([], { type: 'Ready', fallback })).toEqual({ type: 'Ready', ...fallback });
  });
});

describe('conditions of a stored object', () => {
  const good = {
    type: 'A',
    status: 'True',
    reason: 'R',
    message: 'm',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    observedGeneration: 2,
  };

  test('v1beta2 list and plain list: -> the v1beta2 list', () => {
    expect(readConditions({ status: { v1beta2: { conditions: [good] }, conditions: [] } })).toEqual({
      kind: 'conditions',
      conditions: [good],
    });
    expect(readConditions({ status: { v1beta2: { conditions: [] }, conditions: [good] } })).toEqual({
      kind: 'conditions',
      conditions: [],
    });
    expect(readConditions({ status: { conditions: [good] } })).toEqual({ kind: 'conditions', conditions: [good] });
  });

  test.each([
    [undefined],
    [null],
    [7],
    [{}],
    [{ status: 'x' }],
    [{ status: { conditions: {} } }],
    [{ status: { conditions: null } }],
  ])('a container of the wrong type: %j -> no conditions', (object) => {
    expect(readConditions(object)).toEqual({ kind: 'conditions', conditions: [] });
  });

  test.each([
    [{ status: 'True' }, 'type must be set for all conditions'],
    [7, 'type must be set for all conditions'],
    [{ type: 'A' }, 'status must be set for the A condition'],
    [{ type: 'A', status: 'Foo' }, 'status for the A condition must be one of True, False, Unknown'],
    [
      { type: 'A', status: 'True', lastTransitionTime: 'noon' },
      'lastTransitionTime for the A condition must be a RFC 3339 time',
    ],
  ])('an entry that is no condition: %j -> unreadable, saying why', (entry, message) => {
    expect(readConditions({ status: { conditions: [entry] } })).toEqual({ kind: 'unreadable', message });
  });

  test('an entry without reason, message, time and generation: -> NoReasonReported, empty, absent', () => {
    expect(
      readConditions({
        status: { conditions: [{ type: 'A', status: 'False', lastTransitionTime: '', observedGeneration: 0 }] },
      }),
    ).toEqual({
      kind: 'conditions',
      conditions: [{ type: 'A', status: 'False', reason: 'NoReasonReported', message: '' }],
    });
  });
});
