import { describe, expect, test } from '@jest/globals';
import { decidingRow } from '../../../machines/kit/row-by-id.js';
import { chart } from '../../../machines/machines-up-to-date/chart.js';
import {
  isConsidered,
  machinesFact,
  MESSAGE_CHARS_MAX,
  nextOldEnoughInMs,
  type SeenMachine,
} from '../../../machines/machines-up-to-date/considered.js';
import { table } from '../../../machines/machines-up-to-date/table.js';
import { statusOf } from '../conditions/examples.js';
import { base } from './examples.js';

const now = Date.parse('2026-01-02T03:04:05.000Z');
const aged = (seconds: number): number => now - seconds * 1000;

/** A control plane Machine; `short` is its UpToDate status, absent for none. Old unless told otherwise. */
const machine = (
  name: string,
  short?: string,
  message = '',
  more: Partial<SeenMachine> & { time?: number; reason?: string } = {},
): SeenMachine => ({
  name,
  createdMs: aged(3600),
  isControlPlaneMachine: true,
  conditions:
    short === undefined
      ? []
      : [
          {
            type: 'UpToDate',
            status: statusOf(short),
            reason: more.reason ?? 'Any',
            message,
            lastTransitionTime: `2026-01-01T00:00:0${more.time ?? 0}Z`,
          },
        ],
  ...more,
});
const young = { createdMs: aged(5) };
const notYet = 'Condition UpToDate not yet reported';

/** Row and condition of Machines. */
const outcome = (machines: readonly SeenMachine[]): string => {
  const facts = { ...base, reasons: 'upstream' as const, ...machinesFact(machines, now) };
  const row = decidingRow({ chart, table }, facts);
  const [intent] = row.conditions(facts);
  return `${intent?.status} ${intent?.reason} ${intent?.message}`;
};

describe('MachinesUpToDate: which Machines count', () => {
  test.each<[string, SeenMachine, boolean]>([
    ['MU-013 F-1 has the condition, age 0 s', machine('m', 'T', '', { createdMs: now }), true],
    ['MU-015 F-2 no condition, age 5 s', machine('m', undefined, '', young), false],
    ['MU-015 F-3 no condition, age exactly 10 s', machine('m', undefined, '', { createdMs: aged(10) }), false],
    ['MU-014 F-4 no condition, age 10.001 s', machine('m', undefined, '', { createdMs: now - 10_001 }), true],
    ['MU-014 F-5 no condition, no creation time', machine('m', undefined, '', { createdMs: null }), true],
    ['MU-015 F-6 no condition, created in the future', machine('m', undefined, '', { createdMs: now + 60_000 }), false],
    [
      'MU-013 F-7 has the condition with reason NotYetReported',
      machine('m', 'U', 'own text', { createdMs: now, reason: 'NotYetReported' }),
      true,
    ],
  ])('%s', (_, given, counts) => {
    expect(isConsidered(given, now)).toBe(counts);
  });

  test.each<[string, readonly SeenMachine[], number | null]>([
    ['W-1 nothing left out', [machine('m', 'T')], null],
    [
      'W-2 left out: age 2 s and 7 s',
      [machine('a', undefined, '', { createdMs: aged(2) }), machine('b', undefined, '', { createdMs: aged(7) })],
      3_001,
    ],
    ['W-3 left out: age 9.9 s', [machine('a', undefined, '', { createdMs: aged(9.9) })], 1_000],
    ['W-4 left out: created 4 s in the future', [machine('a', undefined, '', { createdMs: now + 4000 })], 14_001],
  ])('%s -> wake-up', (_, machines, delayMs) => {
    expect(nextOldEnoughInMs(machines, now)).toBe(delayMs);
  });
});

describe('MachinesUpToDate: what they say together', () => {
  const old = machine;
  test.each<[string, readonly SeenMachine[], string]>([
    ['MU-002 UT-1 none', [], 'True NoReplicas '],
    [
      'MU-001 MU-005 MU-006 UT-2 False wins, unknown ones are listed too',
      [
        old('m1', 'T'),
        old('m2', 'F', 'NotUpToDate'),
        old('m3', 'F', 'NotUpToDate'),
        old('m4', undefined, '', { createdMs: null }),
        old('m5', undefined, '', young),
      ],
      `False NotUpToDate * Machines m2, m3: NotUpToDate\n* Machine m4: ${notYet}`,
    ],
    ['MU-003 MU-004 UT-3 all True', [old('up-to-date-1', 'T')], 'True UpToDate '],
    [
      'MU-007 MU-008 UT-4 Unknown',
      [old('unknown-1', 'U', 'some unknown message')],
      'Unknown UpToDateUnknown * Machine unknown-1: some unknown message',
    ],
    [
      'MU-005 UT-5 False',
      [old('not-up-to-date-machine-1', 'F', 'some not up-to-date message')],
      'False NotUpToDate * Machine not-up-to-date-machine-1: some not up-to-date message',
    ],
    [
      'MU-008 MU-014 MU-015 UT-6 an old one without condition, a new one is left out',
      [old('no-condition-machine-1'), old('no-condition-machine-2-new', undefined, '', young)],
      `Unknown UpToDateUnknown * Machine no-condition-machine-1: ${notYet}`,
    ],
    [
      'MU-005 MU-007 UT-7 False before Unknown',
      [
        old('up-1', 'T'),
        old('up-2', 'T'),
        old('not-up-to-date-machine-1', 'F', 'This is not up-to-date message'),
        old('not-up-to-date-machine-2', 'F', 'This is not up-to-date message'),
        old('no-condition-machine-1'),
        old('no-condition-machine-2'),
      ],
      `False NotUpToDate * Machines not-up-to-date-machine-1, not-up-to-date-machine-2: This is not up-to-date message\n* Machines no-condition-machine-1, no-condition-machine-2: ${notYet}`,
    ],
    ['MU-015 UT-8 only a young one', [old('m', undefined, '', young)], 'True NoReplicas '],
    ['D-1', [old('m1', 'F')], 'False NotUpToDate * Machine m1: '],
    ['D-2', [old('m1', 'F'), old('m2', 'F', 'x')], 'False NotUpToDate * Machine m1: \n* Machine m2: x'],
    [
      'D-3',
      [
        old('cp-0', 'F', '* Version v1.30.0, v1.31.0 required'),
        old('cp-1', 'F', '* Version v1.30.0, v1.31.0 required'),
        old('cp-2', 'T'),
      ],
      'False NotUpToDate * Machines cp-0, cp-1:\n  * Version v1.30.0, v1.31.0 required',
    ],
    [
      'D-4',
      [old('cp-0', 'F', '* Version v1.30.0, v1.31.0 required\n* KubeadmConfig is not up-to-date')],
      'False NotUpToDate * Machine cp-0:\n  * Version v1.30.0, v1.31.0 required\n  * KubeadmConfig is not up-to-date',
    ],
    ['D-5', [old('cp-0', 'F', 'foo * bar')], 'False NotUpToDate * Machine cp-0:\n  foo * bar'],
    ['D-6', [old('cp-0', 'F', 'a\n\n* b')], 'False NotUpToDate * Machine cp-0:\n  * a\n  * \n    * b'],
    [
      'D-7',
      [old('a', 'U', 'same'), old('b', 'F', 'same'), old('c', 'F', 'other'), old('d', 'F', 'other')],
      'False NotUpToDate * Machines a, b: same\n* Machines c, d: other',
    ],
    [
      'D-8',
      [
        old('m1', 'F', 'X', { time: 2 }),
        old('m3', 'F', 'X', { time: 1 }),
        old('m2', 'F', 'Y', { time: 1 }),
        old('m4', 'F', 'Y', { time: 2 }),
      ],
      'False NotUpToDate * Machines m2, m4: Y\n* Machines m1, m3: X',
    ],
    ['MU-004 D-9', [old('m1', 'T', 'hello'), old('m2', 'T')], 'True UpToDate * Machine m1: hello'],
    [
      'D-10',
      [old('m1'), old('m2'), old('m3'), old('m4')],
      `Unknown UpToDateUnknown * Machines m1, m2, m3, ... (1 more): ${notYet}`,
    ],
    ['D-11', [old('m1', 'Foo', 'x')], 'Unknown UpToDateUnknown * Machine m1: x'],
    [
      'D-12',
      [
        old('m1', 'F', 'E1'),
        old('m2', 'F', 'E2'),
        old('m3', 'F', 'E3'),
        old('m4', 'F', 'E4'),
        old('m5', 'U', 'U1'),
        old('m6'),
      ],
      'False NotUpToDate * Machine m1: E1\n* Machine m2: E2\n* Machine m3: E3\nAnd 1 Machine with other issues\nAnd 2 Machines with status unknown',
    ],
    [
      'D-13',
      [
        old('b', 'U', 'z'),
        old('a', 'F', 'y', { isControlPlaneMachine: false }),
        old('c', 'F', 'y', { isControlPlaneMachine: false }),
      ],
      'False NotUpToDate * Machine b: z\n* Machines a, c: y',
    ],
    [
      'D-14',
      [old('cp-0', 'F', '* Node.status.nodeInfo.kubeletVersion v1.33.0, v1.34.0 required')],
      'False NotUpToDate * Machine cp-0:\n  * Node.status.nodeInfo.kubeletVersion v1.33.0, v1.34.0 required',
    ],
  ])('%s', (_, machines, expected) => {
    expect(outcome(machines)).toBe(expected);
    expect(outcome(machines.toReversed())).toBe(expected);
  });

  test('MU-009 an aggregation that throws -> failed, not a dead turn', () => {
    const broken = () => {
      throw new Error('broken');
    };
    expect(machinesFact([machine('m', 'T')], now, broken)).toEqual({ machines: 'failed', message: '' });
  });

  test('a message that the API would refuse -> cut at a line', () => {
    const { message } = machinesFact(
      ['a', 'b', 'c'].map((name) => machine(name, 'F', name.repeat(20_000))),
      now,
    );
    expect(message).toBe(`* Machine a: ${'a'.repeat(20_000)}`);
    expect(machinesFact([machine('m', 'F', 'x'.repeat(40_000))], now).message).toHaveLength(MESSAGE_CHARS_MAX);
  });

  test('a hundred Machines: -> three messages, the rest counted', () => {
    const machines = Array.from({ length: 100 }, (_, index) =>
      machine(`m${String(index).padStart(3, '0')}`, index < 50 ? 'F' : 'T', index < 50 ? `cause ${index % 5}` : ''),
    );
    expect(outcome(machines).split('\n').at(-1)).toBe('And 20 Machines with other issues');
  });
});
