import { describe, expect, test } from '@jest/globals';
import { aggregate, type AggregateOptions, type AggregateSource } from '../../../src/conditions/aggregate.js';
import { statusOf } from './examples.js';

type Short = readonly [status: string, message: string, more?: { reason?: string }];

/** Objects obj0, obj1, ... with one condition each; null for none. */
const objects = (type: string, entries: readonly (Short | null)[]): AggregateSource[] =>
  entries.map((given, index) => ({
    kind: 'Phase3Obj',
    name: `obj${index}`,
    conditions:
      given === null
        ? []
        : [
            {
              type,
              status: statusOf(given[0]),
              reason: given[2]?.reason ?? 'Reason-1',
              message: given[1],
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
  }));

interface Example {
  readonly id: string;
  readonly type?: string;
  readonly entries: readonly (Short | null)[];
  readonly options?: Partial<AggregateOptions>;
  readonly status: string;
  readonly reason?: string;
  readonly message: string;
}

const M = (count: number): string => `Message-${count}`;
const info: Short = ['T', M(99)];
const negative = { negativeTypes: ['ScalingUp'] };
const backwards: AggregateOptions['priority'] = ({ status }) =>
  status === 'True' ? 'issue' : status === 'False' ? 'info' : 'unknown';
const obj0 = '* Phase3Obj obj0: Message-1';

const examples: readonly Example[] = [
  { id: 'A-1', entries: [['F', M(1)], info], status: 'F', message: obj0 },
  {
    id: 'A-2',
    type: 'ScalingUp',
    options: negative,
    entries: [
      ['T', M(1)],
      ['F', M(99)],
    ],
    status: 'T',
    message: obj0,
  },
  {
    id: 'A-4',
    type: 'ScalingUp',
    entries: [
      ['T', M(1)],
      ['F', M(99)],
    ],
    options: {
      priority: backwards,
      targetPolarity: 'positive',
      reasons: { issue: 'bad', unknown: 'unknown', info: 'good' },
    },
    status: 'F',
    reason: 'bad',
    message: obj0,
  },
  {
    id: 'A-5',
    type: 'ScalingUp',
    entries: [
      ['T', M(1)],
      ['F', M(99)],
    ],
    options: {
      priority: backwards,
      targetPolarity: 'negative',
      reasons: { issue: 'good', unknown: 'unknown', info: 'bad' },
    },
    status: 'T',
    reason: 'good',
    message: obj0,
  },
  { id: 'A-6', entries: [['F', M(1)], info], options: { target: 'SomethingAvailable' }, status: 'F', message: obj0 },
  {
    id: 'A-7',
    type: 'ScalingUp',
    options: { ...negative, target: 'SomethingAvailable' },
    entries: [
      ['T', M(1)],
      ['F', M(99)],
    ],
    status: 'T',
    message: obj0,
  },
  {
    id: 'A-8',
    entries: [['F', M(1)], ['F', M(1)], ['F', M(1)], info],
    status: 'F',
    message: '* Phase3Objs obj0, obj1, obj2: Message-1',
  },
  {
    id: 'A-9',
    entries: [['F', M(1)], ['F', M(1)], ['F', M(1)], ['F', M(1)], ['F', M(1), { reason: 'Other' }], info],
    status: 'F',
    message: '* Phase3Objs obj0, obj1, obj2, ... (2 more): Message-1',
  },
  {
    id: 'A-10',
    entries: [['F', M(1)], ['F', M(2)], ['F', M(2)], ['F', M(1)], ['F', M(1)], ['F', M(3)], info],
    status: 'F',
    message:
      '* Phase3Objs obj0, obj3, obj4: Message-1\n* Phase3Objs obj1, obj2: Message-2\n* Phase3Obj obj5: Message-3',
  },
  {
    id: 'A-11',
    entries: [
      ['F', '* Message-1'],
      ['F', '* Message-2A\n* Message-2B'],
      ['F', '* Message-2A\n* Message-2B'],
      ['F', '* Message-1'],
      ['F', '* Message-1'],
      ['F', '* Message-3'],
      info,
    ],
    status: 'F',
    message:
      '* Phase3Objs obj0, obj3, obj4:\n  * Message-1\n* Phase3Objs obj1, obj2:\n  * Message-2A\n  * Message-2B\n* Phase3Obj obj5:\n  * Message-3',
  },
  {
    id: 'A-12',
    entries: [['F', M(1)], ['F', M(2)], ['F', M(4)], ['F', M(5)], ['F', M(1)], ['F', M(3)], info],
    status: 'F',
    message:
      '* Phase3Objs obj0, obj4: Message-1\n* Phase3Obj obj1: Message-2\n* Phase3Obj obj2: Message-4\nAnd 2 Phase3Objs with other issues',
  },
  {
    id: 'A-13',
    entries: [['F', M(1)], ['F', M(2)], ['U', M(3)], info],
    status: 'F',
    message: `${obj0}\n* Phase3Obj obj1: Message-2\n* Phase3Obj obj2: Message-3`,
  },
  {
    id: 'A-14',
    entries: [['F', M(1)], ['F', M(2)], ['U', M(3)], ['F', M(4)], info],
    status: 'F',
    message: `${obj0}\n* Phase3Obj obj1: Message-2\n* Phase3Obj obj3: Message-4\nAnd 1 Phase3Obj with status unknown`,
  },
  {
    id: 'A-15',
    entries: [['F', M(1)], ['F', M(2)], ['U', M(3)], ['F', M(4)], ['F', M(5)], ['F', M(6)], info],
    status: 'F',
    message: `${obj0}\n* Phase3Obj obj1: Message-2\n* Phase3Obj obj3: Message-4\nAnd 2 Phase3Objs with other issues\nAnd 1 Phase3Obj with status unknown`,
  },
  {
    id: 'A-16',
    entries: [['U', M(1)], ['U', M(2)], ['U', M(4)], ['U', M(5)], ['U', M(1)], ['U', M(3)], info],
    status: 'U',
    message:
      '* Phase3Objs obj0, obj4: Message-1\n* Phase3Obj obj1: Message-2\n* Phase3Obj obj2: Message-4\nAnd 2 Phase3Objs with status unknown',
  },
  {
    id: 'A-17',
    entries: [
      ['T', M(1)],
      ['T', M(2)],
      ['T', M(4)],
      ['T', ''],
      ['T', M(1)],
      ['T', M(3)],
    ],
    status: 'T',
    message:
      '* Phase3Objs obj0, obj4: Message-1\n* Phase3Obj obj1: Message-2\n* Phase3Obj obj2: Message-4\nAnd 1 Phase3Obj with additional info',
  },
  {
    id: 'A-18',
    entries: [['F', M(1)], null],
    status: 'F',
    message: `${obj0}\n* Phase3Obj obj1: Condition Available not yet reported`,
  },
  {
    id: 'A-19',
    entries: [['F', M(1)], null],
    options: { target: 'SomethingAvailable' },
    status: 'F',
    message: `${obj0}\n* Phase3Obj obj1: Condition Available not yet reported`,
  },
];

const generic: Readonly<Record<string, string>> = { F: 'IssuesReported', U: 'UnknownReported', T: 'InfoReported' };

describe('aggregate', () => {
  test.each(examples)('$id: worked example -> as documented', (given) => {
    const type = given.type ?? 'Available';
    const reason = given.reason ?? (type === 'ScalingUp' ? 'IssuesReported' : generic[given.status]);
    const result = aggregate(objects(type, given.entries), { type, ...given.options });
    expect(result).toEqual({
      type: given.options?.target ?? type,
      status: statusOf(given.status),
      reason,
      message: given.message,
    });
  });

  test('A-3: a negative type that is not the source -> an error', () => {
    expect(() => aggregate(objects('ScalingUp', [['T', M(1)]]), { type: 'ScalingUp', negativeTypes: ['foo'] })).toThrow(
      'can only be set to ["ScalingUp"]',
    );
  });

  test('A-20: no objects -> an error', () => {
    expect(() => aggregate([], { type: 'Available' })).toThrow("sourceObjs can't be empty");
  });
});

/** An object with the condition Available. */
const one = (
  kind: string,
  name: string,
  status: string,
  message: string,
  more: Partial<AggregateSource> = {},
): AggregateSource => ({
  kind,
  name,
  conditions: [
    { type: 'Available', status: statusOf(status), reason: 'R', message, lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
  ...more,
});
const many = (kind: string, names: string, status: string, message: string): AggregateSource[] =>
  names.split(' ').map((name) => one(kind, name, status, message));

describe('aggregate: message order', () => {
  test('G-1: two kinds -> they share three lines, the later kind may have counts only', () => {
    const sources = [
      ...many('MachineDeployment', 'obj02 obj01 obj05 obj08 obj09', 'F', 'Message-1'),
      ...many('MachineDeployment', 'obj04 obj03', 'F', '* Message-2'),
      one('MachineDeployment', 'obj06', 'F', '* Message-3A\n* Message-3B'),
      one('MachineDeployment', 'obj07', 'F', 'Message-4'),
      one('MachineDeployment', 'obj10', 'F', 'Message-5'),
      ...many('MachineSet', 'obj11 obj12', 'F', 'Message-1'),
    ];
    expect(aggregate(sources, { type: 'Available' }).message.split('\n')).toEqual([
      '* MachineDeployments obj01, obj02, obj05, ... (2 more): Message-1',
      '* MachineDeployments obj03, obj04:',
      '  * Message-2',
      '* MachineDeployment obj06:',
      '  * Message-3A',
      '  * Message-3B',
      'And 2 MachineDeployments with other issues',
      'And 2 MachineSets with other issues',
    ]);
  });

  test('G-2: issues and unknowns -> issues first, whatever their number', () => {
    const sources = [
      ...many('MachineDeployment', 'obj02 obj01 obj05 obj08 obj09', 'U', 'Message-1'),
      ...many('MachineDeployment', 'obj04 obj03', 'F', '* Message-2'),
      one('MachineDeployment', 'obj06', 'F', '* Message-3A\n* Message-3B'),
      one('MachineDeployment', 'obj07', 'F', 'Message-4\n* More Message-4'),
      one('MachineDeployment', 'obj10', 'F', 'Message-5'),
    ];
    expect(aggregate(sources, { type: 'Available' }).message.split('\n')).toEqual([
      '* MachineDeployments obj03, obj04:',
      '  * Message-2',
      '* MachineDeployment obj06:',
      '  * Message-3A',
      '  * Message-3B',
      '* MachineDeployment obj07:',
      '  * Message-4',
      '    * More Message-4',
      'And 1 MachineDeployment with other issues',
      'And 5 MachineDeployments with status unknown',
    ]);
  });

  test('G-3: a control plane Machine -> its message and its name come first', () => {
    const sources = [
      one('Machine', 'obj02', 'U', '* Message-1', { isControlPlaneMachine: true }),
      one('Machine', 'obj01', 'U', '* Message-1'),
      ...many('Machine', 'obj04 obj03 obj05', 'F', '* Message-2'),
      one('Machine', 'obj06', 'F', '* Message-3A\n* Message-3B'),
    ];
    expect(aggregate(sources, { type: 'Available' }).message.split('\n')).toEqual([
      '* Machines obj02, obj01:',
      '  * Message-1',
      '* Machines obj03, obj04, obj05:',
      '  * Message-2',
      '* Machine obj06:',
      '  * Message-3A',
      '  * Message-3B',
    ]);
  });

  test.each([
    [
      'control plane before others',
      [
        one('Machine', 'b', 'U', 'one', { isControlPlaneMachine: true }),
        one('Machine', 'a', 'F', 'two'),
        one('Machine', 'c', 'F', 'two'),
      ],
      'one',
    ],
    ['issue before unknown', [one('Machine', 'a', 'U', 'two'), one('Machine', 'b', 'F', 'one')], 'one'],
    [
      'two objects before one',
      [one('Machine', 'a', 'F', 'two'), one('Machine', 'b', 'F', 'one'), one('Machine', 'c', 'F', 'one')],
      'one',
    ],
    ['names a before b', [one('Machine', 'b', 'F', 'two'), one('Machine', 'a', 'F', 'one')], 'one'],
  ])('order of two messages: %s', (_, sources, first) => {
    expect(aggregate(sources, { type: 'Available' }).message.split('\n')[0]).toMatch(new RegExp(`: ${first}$`));
  });

  test('order of two messages: unknown before info, where a strategy shows both', () => {
    const sources = [
      one('Machine', 'a', 'F', 'info'),
      one('Machine', 'b', 'U', 'unknown'),
      one('Machine', 'c', 'U', 'info'),
    ];
    const { message } = aggregate(sources, {
      type: 'Available',
      priority: ({ status }) => (status === 'False' ? 'info' : 'unknown'),
    });
    expect(message).toBe('* Machine b: unknown\n* Machine c: info');
  });

  test('texts that are names of an object’s own fields -> texts like any other', () => {
    const sources = [
      one('Machine', 'a', 'F', '__proto__'),
      one('Machine', 'b', 'F', '7'),
      one('Machine', 'c', 'F', 'constructor'),
    ];
    expect(aggregate(sources, { type: 'Available' }).message).toBe(
      '* Machine a: __proto__\n* Machine b: 7\n* Machine c: constructor',
    );
  });

  test('white space that is no bullet’s -> one line', () => {
    expect(aggregate([one('Machine', 'a', 'F', 'x *\u00a0y *\u000by')], { type: 'Available' }).message).toBe(
      '* Machine a: x *\u00a0y *\u000by',
    );
    expect(aggregate([one('Machine', 'a', 'F', 'x *\fy')], { type: 'Available' }).message).toBe(
      '* Machine a:\n  x *\fy',
    );
  });
});
