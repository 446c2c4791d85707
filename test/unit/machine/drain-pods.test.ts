import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { selectorProblem, selects } from '../../../src/controllers/machine/drain/selectors.js';
import { answerOf, pod, rule, rulesFor, secondsAgo } from './pods.js';

const plain = { kind: 'drain', order: 0, warnings: [] };
const wait = { kind: 'waitCompleted' };
const daemonPod = (more: Parameters<typeof pod>[1] = {}) => pod('d', { controller: 'DaemonSet', ...more });
const drainLabel = (value: string) => ({ labels: { 'cluster.x-k8s.io/drain': value } });

/** Made by apimachinery's own LabelSelectorAsSelector. */
const selectorProblems = JSON.parse(
  readFileSync(new URL('./examples/selector-problems.json', import.meta.url), 'utf8'),
) as readonly { readonly selector: object; readonly problem: string }[];

describe('what a drain does with a Pod', () => {
  test('a Pod of a ReplicaSet: no rule -> drained with order 0, without a warning', () => {
    expect(answerOf(pod('a'))).toEqual(plain);
  });

  test.each([
    ['long, Node unreachable', 2, 1000, 'skip'],
    ['short, Node unreachable', 1, 1000, 'drain'],
    ['short, Node unreachable: whole seconds count', 1.9, 1000, 'drain'],
    ['long, Node reachable', 3600, null, 'drain'],
  ] as const)('terminating for %s (%p s, limit %p ms) -> %s', (_title, seconds, terminatingMaxMs, kind) => {
    expect(answerOf(pod('a', { deletionTimestamp: secondsAgo(seconds) }), { terminatingMaxMs }).kind).toBe(kind);
  });

  test('a Pod that lives: Node unreachable -> drained', () => {
    expect(answerOf(pod('a'), { terminatingMaxMs: 1000 })).toEqual(plain);
  });

  test('a DaemonSet Pod: the DaemonSet exists -> skipped', () => {
    expect(answerOf(daemonPod())).toEqual({ kind: 'skip', why: 'ignoring DaemonSet-managed Pod' });
  });

  test('a DaemonSet Pod: the DaemonSet is gone -> drained, with the warning of an orphan', () => {
    expect(answerOf(daemonPod(), { daemonSet: () => 'missing' })).toEqual({
      ...plain,
      warnings: ['evicting orphaned DaemonSet-managed Pod'],
    });
  });

  test('a DaemonSet Pod: the DaemonSet cannot be read -> an error, never an eviction', () => {
    const problem = 'failed to get DaemonSet default/owner: no';
    expect(answerOf(daemonPod(), { daemonSet: () => ({ problem }) })).toEqual({ kind: 'error', message: problem });
  });

  test.each(['Succeeded', 'Failed'])('a DaemonSet Pod: %s -> drained like any other', (phase) => {
    expect(answerOf(daemonPod({ phase }))).toEqual(plain);
  });

  test('a static Pod: mirrored by annotation -> skipped', () => {
    const annotations = { 'kubernetes.io/config.mirror': '' };
    expect(answerOf(pod('a', { annotations, controller: 'Node' }))).toMatchObject({ kind: 'skip' });
  });

  test('local storage and no controller: still running -> drained, both warnings in order', () => {
    const spec = { volumes: [{ name: 'v', emptyDir: {} }] } as never;
    expect(answerOf(pod('a', { controller: 'none', spec }))).toEqual({
      ...plain,
      warnings: ['evicting Pod with local storage', 'evicting Pod that has no controller'],
    });
    expect(answerOf(pod('a', { controller: 'none', spec, phase: 'Failed' }))).toEqual(plain);
  });

  test('an owner that does not control: -> counts as none', () => {
    const owned = pod('a');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'DaemonSet', name: 'x', uid: 'x' }];
    const given = { ...owned, metadata: { ...owned.metadata, ownerReferences } };
    expect(answerOf(given)).toEqual({ ...plain, warnings: ['evicting Pod that has no controller'] });
  });

  test.each([
    ['skip', 'skip'],
    ['Skip', 'skip'],
    ['SKIP', 'skip'],
    ['wait-completed', 'waitCompleted'],
    ['waitcompleted', 'waitCompleted'],
    ['WaitCompleted', 'waitCompleted'],
    ['Wait-Completed', 'waitCompleted'],
    ['wait-com-pleted', 'drain'],
    ['drain', 'drain'],
    ['', 'drain'],
  ])('drain label %p -> %s', (value, kind) => {
    expect(answerOf(pod('a', drainLabel(value))).kind).toBe(kind);
  });

  test('drain label and rule: they differ -> the label wins', () => {
    const rules = [rule('a', { behavior: 'Drain', order: 9 })];
    expect(answerOf(pod('a', drainLabel('skip')), { rules })).toMatchObject({ kind: 'skip' });
    expect(answerOf(pod('a', drainLabel('wait-completed')), { rules })).toEqual(wait);
    expect(answerOf(pod('a', drainLabel('unheard-of')), { rules })).toEqual({ ...plain, order: 9 });
  });

  test('static, DaemonSet and aged Pods: drain label and rule say otherwise -> not asked', () => {
    const rules = [rule('a', { behavior: 'WaitCompleted' })];
    const labels = { 'cluster.x-k8s.io/drain': 'wait-completed' };
    const mirror = { 'kubernetes.io/config.mirror': '' };
    expect(answerOf(daemonPod({ labels }), { rules })).toMatchObject({ kind: 'skip' });
    expect(answerOf(pod('a', { labels, annotations: mirror }), { rules })).toMatchObject({ kind: 'skip' });
    const aged = pod('a', { labels, deletionTimestamp: secondsAgo(5) });
    expect(answerOf(aged, { rules, terminatingMaxMs: 1000 })).toMatchObject({ kind: 'skip' });
  });

  test.each([
    [
      { behavior: 'Drain', order: 5 },
      { ...plain, order: 5 },
    ],
    [
      { behavior: 'Drain', order: -3 },
      { ...plain, order: -3 },
    ],
    [{ behavior: 'Drain' }, plain],
    [{ behavior: 'WaitCompleted' }, wait],
    [{ behavior: 'Skip' }, { kind: 'skip', why: 'MachineDrainRule r with behavior Skip applies to the Pod' }],
    [
      { behavior: 'Hurry' },
      { kind: 'error', message: 'MachineDrainRule "r" has unknown spec.drain.behavior: "Hurry"' },
    ],
  ])('a rule %p -> %p', (drain, answer) => {
    expect(answerOf(pod('a'), { rules: [rule('r', drain)] })).toEqual(answer);
  });

  test('a rule that drains: the Pod has local storage -> the order of the rule, the warning of the storage', () => {
    const spec = { volumes: [{ name: 'v', emptyDir: {} }] } as never;
    const rules = [rule('r', { behavior: 'Drain', order: 2 })];
    expect(answerOf(pod('a', { spec }), { rules })).toEqual({
      kind: 'drain',
      order: 2,
      warnings: ['evicting Pod with local storage'],
    });
  });

  test('a namespace that is not there: -> an error', () => {
    expect(answerOf(pod('a'), { namespaceLabels: () => null })).toEqual({
      kind: 'error',
      message: 'Pod Namespace does not exist',
    });
  });
});

describe('MachineDrainRules', () => {
  test('names: read in any order -> asked in order of name', () => {
    const given = ['c', 'a', 'b'].map((name) => rule(name, { behavior: 'Skip' }));
    expect(rulesFor(given)).toEqual(['a', 'b', 'c']);
  });

  test('several rules for a Pod: -> the first by name decides', () => {
    const rules = [rule('a', { behavior: 'Drain', order: 1 }), rule('b', { behavior: 'Skip' })];
    expect(answerOf(pod('a'), { rules })).toEqual({ ...plain, order: 1 });
  });

  test('machines: selector and clusterSelector of one entry, or another entry -> the rule is for the Machine', () => {
    const machines = [
      { selector: { matchLabels: { os: 'linux' } }, clusterSelector: { matchLabels: { env: 'prod' } } },
      { selector: { matchLabels: { os: 'windows' } } },
    ];
    const given = [rule('r', { behavior: 'Skip' }, { machines })];
    expect(rulesFor(given, { machine: { os: 'linux' }, cluster: { env: 'prod' } })).toEqual(['r']);
    expect(rulesFor(given, { machine: { os: 'linux' }, cluster: { env: 'test' } })).toEqual([]);
    expect(rulesFor(given, { machine: {}, cluster: { env: 'prod' } })).toEqual([]);
    expect(rulesFor(given, { machine: { os: 'windows' }, cluster: { env: 'test' } })).toEqual(['r']);
  });

  test('pods: selector and namespaceSelector of one entry, or another entry -> the rule is for the Pod', () => {
    const pods = [
      { selector: { matchLabels: { app: 'db' } }, namespaceSelector: { matchLabels: { team: 'a' } } },
      { namespaceSelector: { matchLabels: { team: 'b' } } },
    ];
    const rules = [rule('r', { behavior: 'Skip' }, { pods })];
    const kindOf = (app: string, team: string) =>
      answerOf(pod('p', { labels: { app } }), { rules, namespaceLabels: () => ({ team }) }).kind;
    expect(kindOf('db', 'a')).toBe('skip');
    expect(kindOf('web', 'a')).toBe('drain');
    expect(kindOf('db', 'c')).toBe('drain');
    expect(kindOf('web', 'b')).toBe('skip');
  });

  test('empty lists and empty selectors: -> all Machines, all Pods', () => {
    const everything = { machines: [{ selector: {} }], pods: [{ namespaceSelector: {} }] };
    const empty = { machines: [], pods: [] };
    const given = [rule('a', { behavior: 'Skip' }, everything), rule('b', { behavior: 'Skip' }, empty)];
    expect(rulesFor(given)).toEqual(['a', 'b']);
    for (const each of given) expect(answerOf(pod('p'), { rules: [each] }).kind).toBe('skip');
  });

  test('a selector that cannot be read: in a rule for other Machines -> the drain cannot start, and the rule is named', () => {
    const broken = { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] };
    const others = { selector: { matchLabels: { never: 'there' } } };
    const given = [
      rule('fine', { behavior: 'Skip' }),
      rule('broken', { behavior: 'Skip' }, { machines: [others], pods: [{ selector: broken }] }),
    ];
    expect(rulesFor(given)).toBe(
      'failed to get matching MachineDrainRules: invalid selectors in MachineDrainRule broken: "Near" is not a valid label selector operator',
    );
  });

  test.each([
    [{ key: 'a', operator: 'In', values: ['1', '2'] }, { a: '2' }, true],
    [{ key: 'a', operator: 'In', values: ['1'] }, { a: '2' }, false],
    [{ key: 'a', operator: 'In', values: ['1'] }, {}, false],
    [{ key: 'a', operator: 'NotIn', values: ['1'] }, { a: '2' }, true],
    [{ key: 'a', operator: 'NotIn', values: ['1'] }, { a: '1' }, false],
    [{ key: 'a', operator: 'NotIn', values: ['1'] }, {}, true],
    [{ key: 'a', operator: 'Exists' }, { a: '' }, true],
    [{ key: 'a', operator: 'Exists' }, { b: '' }, false],
    [{ key: 'a', operator: 'DoesNotExist' }, {}, true],
    [{ key: 'a', operator: 'DoesNotExist' }, { a: '' }, false],
  ] as const)('expression %p and labels %p -> %p', (expression, labels, fits) => {
    expect(selects({ matchExpressions: [expression] } as never, labels as Record<string, string>)).toBe(fits);
  });

  test('matchLabels and matchExpressions: both must fit -> one alone does not', () => {
    const selector = { matchLabels: { a: '1' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] } as never;
    expect([{ a: '1', b: '' }, { a: '1' }, { b: '' }].map((labels) => selects(selector, labels as never))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each([
    [{ key: 'a', operator: 'In', values: [] }, /values set can't be empty/],
    [{ key: 'a', operator: 'NotIn' }, /values set can't be empty/],
    [{ key: 'a', operator: 'Exists', values: ['x'] }, /values set must be empty/],
    [{ key: '-a', operator: 'Exists' }, /name part must consist of/],
    [{ key: 'a', operator: 'In', values: ['fine', 'not fine'] }, /a valid label must be/],
  ])('expression %p -> not valid', (expression, problem) => {
    expect(selectorProblem({ matchExpressions: [expression] } as never)).toMatch(problem);
  });

  test.each(selectorProblems)(
    'selector %j: -> the words of LabelSelectorAsSelector in apimachinery',
    ({ selector, problem }) => {
      expect(selectorProblem(selector as never)).toBe(problem);
    },
  );

  test('matchLabels with a key or a value that no label can have: -> not valid', () => {
    expect(selectorProblem({ matchLabels: { 'a b': 'c' } })).not.toBeNull();
    expect(selectorProblem({ matchLabels: { a: 'b c' } })).not.toBeNull();
    expect(selectorProblem({ matchLabels: { 'x.io/a': 'b-c_d.e', b: '' } })).toBeNull();
  });
});
