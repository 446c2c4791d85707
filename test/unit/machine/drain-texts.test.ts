import { describe, expect, test } from '@jest/globals';
import { classifyProblem, groupPods, type ClassifiedPod } from '../../../src/controllers/machine/drain/group-pods.js';
import { keyOf } from '../../../src/controllers/machine/objects.js';
import type { DrainReport, VolumeReport } from '../../../machines/machine/facts.js';
import {
  drainMessage,
  evictionText,
  isDrained,
  isDetached,
  volumesMessage,
} from '../../../machines/machine/messages.js';
import { pod, secondsAgo } from './pods.js';

const start = '2024-10-09T16:13:59Z';
const header = `Drain not completed yet (started at ${start}):`;
const nothing: DrainReport = { terminating: [], failed: [], waitNow: [], evictLater: [], waitLater: [] };
const noVolumes: VolumeReport = {
  claims: [],
  volumesWithoutClaim: [],
  nodeEntriesWithoutVolume: [],
  attachmentsWithoutVolume: [],
};
const budget = (name: string, count: number): string =>
  `Cannot evict pod as it would violate the pod's disruption budget. The disruption budget ${name} needs ${count} healthy pods and has ${count} currently`;
const letters = (count: number): string[] => Array.from({ length: count }, (_, index) => `ns/${index + 1}`);

describe('texts of an unfinished drain', () => {
  test('every group: -> the lines of upstream in its order', () => {
    const report: DrainReport = {
      terminating: ['ns/a', 'ns/b'],
      failed: [
        { message: 'some other error 1', pods: ['ns/d'] },
        { message: budget('c-pdb', 20), pods: ['ns/c'] },
      ],
      waitNow: ['ns/g'],
      evictLater: ['ns/e', 'ns/f'],
      waitLater: ['ns/h'],
    };
    expect(drainMessage(start, report)).toBe(
      [
        'Drain not completed yet (started at 2024-10-09T16:13:59Z):',
        '* Pods ns/a, ns/b: deletionTimestamp set, but still not removed from the Node',
        "* Pod ns/c: cannot evict pod as it would violate the pod's disruption budget. The disruption budget c-pdb needs 20 healthy pods and has 20 currently",
        '* Pod ns/d: failed to evict Pod, some other error 1',
        '* Pod ns/g: waiting for completion',
        'After above Pods have been removed from the Node, the following Pods will be evicted: ns/e, ns/f',
        'After above Pods have been removed from the Node, waiting for the following Pods to complete without eviction: ns/h',
      ].join('\n'),
    );
  });

  test('one Pod, or several: -> Pod or Pods', () => {
    const one = drainMessage(start, { ...nothing, terminating: ['ns/a'], waitNow: ['ns/b', 'ns/c'] });
    expect(one).toBe(
      `${header}\n* Pod ns/a: deletionTimestamp set, but still not removed from the Node\n* Pods ns/b, ns/c: waiting for completion`,
    );
  });

  test.each([
    [3, 'ns/1, ns/2, ns/3'],
    [4, 'ns/1, ns/2, ns/3, ... (1 more)'],
    [12, 'ns/1, ns/2, ns/3, ... (9 more)'],
  ])('%i Pods in one line: -> %s', (count, list) => {
    const pods = letters(count);
    const failed = [{ message: 'x', pods }];
    expect(drainMessage(start, { terminating: pods, failed, waitNow: pods, evictLater: pods, waitLater: pods })).toBe(
      [
        header,
        `* Pods ${list}: deletionTimestamp set, but still not removed from the Node`,
        `* Pods ${list}: failed to evict Pod, x`,
        `* Pods ${list}: waiting for completion`,
        `After above Pods have been removed from the Node, the following Pods will be evicted: ${list}`,
        `After above Pods have been removed from the Node, waiting for the following Pods to complete without eviction: ${list}`,
      ].join('\n'),
    );
  });

  test('more than five failures: -> the first five of the raw texts, the Pods of the others counted', () => {
    const failed = ['g', 'b', 'e', 'a', 'd', 'C', 'f'].map((message) => ({ message, pods: [`ns/${message}`] }));
    const message = drainMessage(start, { ...nothing, failed });
    expect(message.split('\n').slice(1)).toEqual([
      ...['C', 'a', 'b', 'd', 'e'].map((each) => `* Pod ns/${each}: failed to evict Pod, ${each}`),
      '* 2 Pods with other issues',
    ]);
    const six = failed.slice(0, 6).map((each, index) => (index === 0 ? { ...each, pods: ['ns/g'] } : each));
    expect(
      drainMessage(start, { ...nothing, failed: six })
        .split('\n')
        .at(-1),
    ).toBe('* 1 Pod with other issues');
    const many = six.map((each, index) => (index === 0 ? { ...each, pods: letters(4) } : each));
    expect(
      drainMessage(start, { ...nothing, failed: many })
        .split('\n')
        .at(-1),
    ).toBe('* 4 Pods with other issues');
  });

  test('raw texts are sorted before the budget sentence is lower-cased: B, C, D -> in this order', () => {
    const failed = ['D error', budget('p', 1), 'B error'].map((message) => ({ message, pods: ['ns/x'] }));
    const lines = drainMessage(start, { ...nothing, failed })
      .split('\n')
      .slice(1);
    expect(lines.map((line) => line.slice('* Pod ns/x: '.length).slice(0, 27))).toEqual([
      'failed to evict Pod, B erro',
      'cannot evict pod as it woul',
      'failed to evict Pod, D erro',
    ]);
  });

  test('the budget sentence: at the start, in the middle, twice -> lower-cased, a prefix only where it does not begin', () => {
    const upper = "Cannot evict pod as it would violate the pod's disruption budget.";
    const lower = "cannot evict pod as it would violate the pod's disruption budget.";
    expect(evictionText(`${upper} because`)).toBe(`${lower} because`);
    expect(evictionText(`x: ${upper}`)).toBe(`failed to evict Pod, x: ${lower}`);
    expect(evictionText(`${upper} ${upper}`)).toBe(`${lower} ${lower}`);
  });

  test('MA-100 all groups: empty -> drained; one of them not -> not drained', () => {
    expect(isDrained(nothing)).toBe(true);
    expect(isDrained({ ...nothing, failed: [{ message: 'x', pods: ['ns/a'] }] })).toBe(false);
    for (const group of ['terminating', 'waitNow', 'evictLater', 'waitLater'] as const) {
      expect(isDrained({ ...nothing, [group]: ['ns/a'] })).toBe(false);
    }
  });
});

describe('groups of Pods', () => {
  const drains = (name: string, order = 0, more: Parameters<typeof pod>[1] = {}): ClassifiedPod => ({
    pod: pod(name, more),
    answer: { kind: 'drain', order, warnings: [] },
  });
  const waits = (name: string): ClassifiedPod => ({ pod: pod(name), answer: { kind: 'waitCompleted' } });
  const skips = (name: string): ClassifiedPod => ({ pod: pod(name), answer: { kind: 'skip', why: 'x' } });
  const names = (given: readonly ClassifiedPod[]): Record<string, readonly string[]> =>
    Object.fromEntries(
      Object.entries(groupPods(given))
        .map(([group, pods]) => [group, (pods as ClassifiedPod['pod'][]).map(keyOf)] as const)
        .filter(([, pods]) => pods.length > 0),
    );
  const going = { deletionTimestamp: secondsAgo(1) };

  test('several orders: lowest first -> only it is evicted, the others are later, each sorted by name', () => {
    expect(names([drains('z', 1), drains('b', 10), drains('y', 1), drains('a', 5), skips('s')])).toEqual({
      evictNow: ['default/y', 'default/z'],
      evictLater: ['default/a', 'default/b'],
    });
  });

  test('a negative order: beside order 0 and Pods that are waited for -> it goes first', () => {
    expect(names([drains('a', -1), drains('b'), waits('w')])).toEqual({
      evictNow: ['default/a'],
      evictLater: ['default/b'],
      waitLater: ['default/w'],
    });
  });

  test('WaitCompleted: beside order 0 and 1 -> waited for with order 0', () => {
    expect(names([drains('a'), drains('b', 1), waits('w')])).toEqual({
      evictNow: ['default/a'],
      evictLater: ['default/b'],
      waitNow: ['default/w'],
    });
  });

  test('only Pods that are waited for, and a higher order: -> nothing is evicted before they are gone', () => {
    expect(names([drains('b', 1), waits('w')])).toEqual({ evictLater: ['default/b'], waitNow: ['default/w'] });
  });

  test('a terminating Pod: of a lower order -> counts until it is gone', () => {
    expect(names([drains('a', 0, going), drains('b', 1)])).toEqual({
      terminating: ['default/a'],
      evictLater: ['default/b'],
    });
  });

  test('a terminating Pod: of a higher order -> terminating all the same', () => {
    expect(names([drains('a', 7, going), drains('b', 1)])).toEqual({
      terminating: ['default/a'],
      evictNow: ['default/b'],
    });
  });

  test('a terminating Pod that is waited for: -> still waited for', () => {
    const given: ClassifiedPod = { pod: pod('w', going), answer: { kind: 'waitCompleted' } };
    expect(names([given])).toEqual({ waitNow: ['default/w'] });
  });

  test('skipped Pods: with the lowest order -> in no group, and of no weight', () => {
    expect(names([skips('s')])).toEqual({});
  });

  test('errors: of several Pods -> one part for each cause, with its Pods', () => {
    const failing = (name: string, message: string): ClassifiedPod => ({
      pod: pod(name),
      answer: { kind: 'error', message },
    });
    expect(classifyProblem([drains('a')])).toBeNull();
    expect(classifyProblem([failing('b', 'x'), failing('a', 'x'), drains('c')])).toBe(
      'failed to get Pods for eviction: Pods with error "x": default/a, default/b',
    );
    expect(classifyProblem([failing('b', 'y'), failing('a', 'x')])).toBe(
      'failed to get Pods for eviction: [Pods with error "x": default/a, Pods with error "y": default/b]',
    );
  });
});

describe('texts of attached volumes', () => {
  test('every list: -> the lines of upstream in its order', () => {
    const report: VolumeReport = {
      claims: ['ns/a', 'ns/b'],
      volumesWithoutClaim: ['pv-1'],
      nodeEntriesWithoutVolume: ['kubernetes.io/csi/d^h'],
      attachmentsWithoutVolume: ['pv-2'],
    };
    expect(volumesMessage(start, report)).toBe(
      [
        'Waiting for Node volumes to be detached (started at 2024-10-09T16:13:59Z)',
        '* PersistentVolumeClaims: ns/a, ns/b',
        '* PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim: pv-1',
        '* Node with .status.volumesAttached entries not matching a PersistentVolume: kubernetes.io/csi/d^h',
        '* VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume: pv-2',
      ].join('\n'),
    );
  });

  test.each([
    [5, 'ns/1, ns/2, ns/3, ns/4, ns/5'],
    [6, 'ns/1, ns/2, ns/3, ns/4, ns/5, ... (1 more)'],
  ])('%i claims: -> %s', (count, list) => {
    expect(volumesMessage(start, { ...noVolumes, claims: letters(count) }).split('\n')[1]).toBe(
      `* PersistentVolumeClaims: ${list}`,
    );
  });

  test('MA-103 all lists: empty -> detached; one of them not -> not detached', () => {
    expect(isDetached(noVolumes)).toBe(true);
    for (const list of Object.keys(noVolumes)) expect(isDetached({ ...noVolumes, [list]: ['x'] })).toBe(false);
  });
});
