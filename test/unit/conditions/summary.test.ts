import { describe, expect, test } from '@jest/globals';
import type { Condition } from '../../../src/conditions/condition.js';
import { sortForMerge } from '../../../src/conditions/merge.js';
import { summarize, type SummaryOptions } from '../../../src/conditions/summary.js';
import { entry, statusOf } from './examples.js';

const abc = ['A', 'B', '!C'];

interface Example {
  readonly id: string;
  readonly entries: readonly Condition[];
  readonly options?: Partial<SummaryOptions>;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

const issue = 'IssuesReported';
const unknown = 'UnknownReported';
const info = 'InfoReported';
const said = (type: string, short: string): Condition => entry(type, short, `Message-${type}`);

const examples: readonly Example[] = [
  {
    id: 'S-1',
    entries: [entry('B', 'T'), entry('A', 'T'), said('!C', 'T')],
    status: 'F',
    reason: issue,
    message: '* !C: Message-!C',
  },
  {
    id: 'S-2',
    entries: [entry('B', 'T'), entry('A', 'T'), entry('!C', 'T')],
    status: 'F',
    reason: issue,
    message: '* !C: Reason-!C',
  },
  {
    id: 'S-3',
    entries: [said('B', 'F'), said('A', 'T'), said('!C', 'T')],
    status: 'F',
    reason: issue,
    message: '* B: Message-B\n* !C: Message-!C',
  },
  {
    id: 'S-4',
    entries: [
      said('B', 'F'),
      said('A', 'T'),
      entry('!C', 'T', '* Message-!C1\n* Message-!C2'),
      entry('D', 'F', 'Message-D\n* More message-D'),
    ],
    options: { types: [...abc, 'D'] },
    status: 'F',
    reason: issue,
    message: '* B: Message-B\n* !C:\n  * Message-!C1\n  * Message-!C2\n* D:\n  * Message-D\n    * More message-D',
  },
  {
    id: 'S-5',
    entries: [said('B', 'F'), said('A', 'U'), said('!C', 'T')],
    status: 'F',
    reason: issue,
    message: '* A: Message-A\n* B: Message-B\n* !C: Message-!C',
  },
  {
    id: 'S-6',
    entries: [said('B', 'T'), said('A', 'T'), said('!C', 'U')],
    status: 'U',
    reason: unknown,
    message: '* !C: Message-!C',
  },
  {
    id: 'S-7',
    entries: [said('B', 'U'), said('A', 'T'), said('!C', 'U')],
    status: 'U',
    reason: unknown,
    message: '* B: Message-B\n* !C: Message-!C',
  },
  {
    id: 'S-8',
    entries: [said('B', 'T'), entry('A', 'T'), said('!C', 'F')],
    options: { transform: (lines) => lines.map((line) => line.toLowerCase()) },
    status: 'T',
    reason: info,
    message: '* b: message-b\n* !c: message-!c',
  },
  {
    id: 'S-9',
    entries: [said('A', 'T')],
    status: 'U',
    reason: unknown,
    message: '* B: Condition not yet reported\n* !C: Condition not yet reported',
  },
  {
    id: 'S-10',
    entries: [said('A', 'T')],
    options: { ignoredIfMissing: ['B'] },
    status: 'U',
    reason: unknown,
    message: '* !C: Condition not yet reported',
  },
  {
    id: 'S-11',
    entries: [said('A', 'T')],
    options: { ignoredIfMissing: ['B', '!C'] },
    status: 'T',
    reason: info,
    message: '* A: Message-A',
  },
  {
    id: 'S-12',
    entries: [said('B', 'T'), entry('A', 'T'), said('!C', 'U')],
    options: { types: ['A', 'B'] },
    status: 'T',
    reason: info,
    message: '* B: Message-B',
  },
  {
    id: 'S-13',
    entries: [said('A', 'T'), entry('!C', 'T', 'Message-C')],
    options: { types: ['A', '!C'], overrides: [entry('!C', 'T', 'Message-C-additional')] },
    status: 'F',
    reason: issue,
    message: '* !C: Message-C-additional',
  },
  {
    id: 'S-15',
    entries: [
      said('A', 'T'),
      entry('B', 'T', '* Message-B'),
      entry('C', 'T', '* Message-C1\n* Message-C2'),
      entry('D', 'T', 'Message-D\n* More Message-D'),
      entry('E', 'T', '* Message-E1\n  * More Message-E1\n* Message-E2'),
    ],
    options: { types: ['A', 'B', 'C', 'D', 'E'], negativeTypes: [] },
    status: 'T',
    reason: info,
    message:
      '* A: Message-A\n* B:\n  * Message-B\n* C:\n  * Message-C1\n  * Message-C2\n* D:\n  * Message-D\n    * More Message-D\n* E:\n  * Message-E1\n    * More Message-E1\n  * Message-E2',
  },
];

describe('summary', () => {
  test.each(examples)('$id: worked example -> as documented', ({ entries, options, status, reason, message }) => {
    const result = summarize(entries, { types: abc, negativeTypes: ['!C'], ...options });
    expect(result).toEqual({ type: 'Ready', status: statusOf(status), reason, message });
  });

  test.each([
    ['no types', { types: [] }, 'option ForConditionTypes not provided or empty'],
    ['the target among the types', { types: ['Ready'] }, 'option ForConditionTypes cannot include Ready'],
    [
      'a type overridden twice',
      { types: ['A'], overrides: [entry('A', 'T'), entry('A', 'T')] },
      'specified multiple times',
    ],
    ['an override for an absent type', { types: ['A'], overrides: [entry('Z', 'T')] }, 'must exist in source object'],
    ['nothing left in scope', { types: ['Z'], ignoredIfMissing: ['Z'] }, "summary can't be performed"],
  ])('S-14: %s -> an error', (_, options, text) => {
    expect(() => summarize([entry('A', 'T')], options)).toThrow(text);
  });

  test('SO-1: types, times and owners mixed -> by type, then the oldest first', () => {
    const given = [
      'B baz 0',
      'A baz 1',
      '!C foo 2',
      'A bar 0',
      'A foo 2',
      '!C bar 0',
      'B bar 2',
      'B foo 1',
      '!C baz 1',
    ];
    const sorted = sortForMerge(
      given.map((text) => {
        const [type = '', , time = ''] = text.split(' ');
        return { condition: entry(type, 'T', '', { lastTransitionTime: `2026-01-01T00:00:0${time}Z` }), source: text };
      }),
      abc,
    );
    expect(sorted.map(({ source }) => source)).toEqual([
      'A bar 0',
      'A baz 1',
      'A foo 2',
      'B baz 0',
      'B foo 1',
      'B bar 2',
      '!C bar 0',
      '!C baz 1',
      '!C foo 2',
    ]);
  });
});

describe('summary Ready of a KubeadmConfig', () => {
  const cause = 'Please check controller logs for errors';
  const infrastructure = 'Waiting for Cluster status.infrastructureReady to be true';
  const missing = 'Condition not yet reported';
  const data = (short: string, message = ''): Condition => entry('DataSecretAvailable', short, message);
  const certificates = (short: string, message = ''): Condition => entry('CertificatesAvailable', short, message);
  const reasons = { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' };

  test.each<[string, readonly Condition[], string, string, string]>([
    [
      'data False, certificates absent',
      [data('F', infrastructure)],
      'F',
      'NotReady',
      `* DataSecretAvailable: ${infrastructure}\n* CertificatesAvailable: ${missing}`,
    ],
    ['data absent, certificates True', [certificates('T')], 'U', 'ReadyUnknown', `* DataSecretAvailable: ${missing}`],
    [
      'data absent, certificates Unknown',
      [certificates('U', cause)],
      'U',
      'ReadyUnknown',
      `* DataSecretAvailable: ${missing}\n* CertificatesAvailable: ${cause}`,
    ],
    [
      'data False, certificates Unknown',
      [certificates('U', cause), data('F', 'M')],
      'F',
      'NotReady',
      `* DataSecretAvailable: M\n* CertificatesAvailable: ${cause}`,
    ],
    ['data False, certificates True', [data('F', 'M'), certificates('T')], 'F', 'NotReady', '* DataSecretAvailable: M'],
    [
      'data True, certificates Unknown',
      [data('T'), certificates('U', cause)],
      'U',
      'ReadyUnknown',
      `* CertificatesAvailable: ${cause}`,
    ],
    ['both True', [data('T'), certificates('T')], 'T', 'Ready', ''],
    ['both absent', [], 'U', 'ReadyUnknown', `* DataSecretAvailable: ${missing}\n* CertificatesAvailable: ${missing}`],
  ])('%s -> the worked result', (_, conditions, status, reason, message) => {
    const result = summarize(conditions, { types: ['DataSecretAvailable', 'CertificatesAvailable'], reasons });
    expect(result).toEqual({ type: 'Ready', status: statusOf(status), reason, message });
  });
});
