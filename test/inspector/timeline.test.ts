import { describe, expect, test } from '@jest/globals';
import { createInspectionStore, type ActorNote } from '../../src/inspector/store.js';
import { timelineOf } from '../../src/inspector/timeline.js';
import { someFacts, someNote } from './page-fixture.js';

const MACHINES = ['kubeadmconfig', 'machine', 'cluster-initialized'];

/** A store with two control plane configs that race for the lock, at milliseconds from 0. */
function race() {
  const store = createInspectionStore({ history: 50, epoch: 'e' });
  const config = (
    name: string,
    atMs: number,
    row: string,
    [from, to]: readonly [string, string],
    more: Partial<ActorNote> = {},
  ): void =>
    store.note(
      someNote(name, row, from, to, {
        atMs,
        sinceMs: atMs,
        facts: someFacts('c1', true, {
          names: { namespace: 'team-a', config: name, owner: `m-${name}`, cluster: 'c1', lockHolder: '' },
        }),
        ...more,
      }),
    );
  config('cp-0', 0, 'K37', ['WaitingInfra', 'AcquiringLock'], { request: 'acquireInitLock' });
  config('cp-1', 0, 'K37', ['WaitingInfra', 'AcquiringLock'], { request: 'acquireInitLock' });
  config('cp-0', 10, 'K40', ['AcquiringLock', 'Initializing'], { request: 'storeInitData' });
  config('cp-1', 20, 'K42', ['AcquiringLock', 'WaitingCPInit'], { waitsFor: { kind: 'Machine', name: 'm-cp-0' } });
  config('cp-1', 30, 'K35', ['WaitingCPInit', 'WaitingCPInit'], { waitsFor: { kind: 'Machine', name: 'm-cp-0' } });
  config('cp-0', 40, 'K45', ['Initializing', 'Done']);
  config('cp-1', 50, 'K30', ['WaitingCPInit', 'Joining'], { request: 'storeJoinData' });
  return store;
}

const lanesOf = (store: ReturnType<typeof race>) =>
  timelineOf(store, MACHINES, { namespace: 'team-a', cluster: 'c1', nowMs: 100 }).lanes;

describe('timeline', () => {
  test('the init lock: who held it -> a span of the holder, from taking it to giving it back', () => {
    const [holder] = lanesOf(race());
    expect(holder?.spans.filter((span) => span.holdsLock)).toMatchObject([
      { state: 'Initializing', fromMs: 10, toMs: 40 },
    ]);
  });

  test('who waited for whom: the holder is named by its Machine -> the lane of its KubeadmConfig, once for the whole wait', () => {
    const [holder, waiter] = lanesOf(race());
    expect(waiter?.spans.filter((span) => span.waitsFor !== null)).toEqual([
      {
        state: 'WaitingCPInit',
        fromMs: 20,
        toMs: 50,
        row: 'K42',
        holdsLock: false,
        waitsFor: { kind: 'Machine', name: 'm-cp-0' },
        waitsForKey: holder?.key,
        isOwn: false,
      },
    ]);
  });

  test('a Cluster that is waited for: its controller runs -> its lane, and that lane comes first', () => {
    const store = race();
    store.note(
      someNote('c1', 'C14', '', 'WaitingFirstNode', {
        machine: 'cluster-initialized',
        facts: { names: { namespace: 'team-a', cluster: 'c1' }, failure: null },
      }),
    );
    store.note(someNote('w-0', 'K33', 'WaitingInfra', 'WaitingCPInit', { waitsFor: { kind: 'Cluster', name: 'c1' } }));
    const lanes = lanesOf(store);
    expect(lanes[0]).toMatchObject({ machine: 'cluster-initialized', role: 'cluster' });
    const worker = lanes.find((lane) => lane.name === 'w-0');
    expect(worker?.spans[0]?.waitsForKey).toBe(lanes[0]?.key);
  });

  test('a Machine and its KubeadmConfig: they wait for each other -> marked as its own', () => {
    const store = race();
    const facts = { machine: { name: 'm-cp-0', clusterName: 'c1', isControlPlane: true }, failure: null };
    const waitsFor = { kind: 'KubeadmConfig', name: 'cp-0' };
    store.note(someNote('m-cp-0', 'M27', '', 'Pending', { machine: 'machine', facts, waitsFor }));
    const machine = lanesOf(store).find((lane) => lane.machine === 'machine');
    expect(machine).toMatchObject({
      role: 'control-plane',
      spans: [{ waitsForKey: 'kubeadmconfig/uid-cp-0', isOwn: true }],
    });
  });

  test('another cluster or namespace: actors of it -> no lane', () => {
    const { lanes } = timelineOf(race(), MACHINES, { namespace: 'team-b', cluster: 'c1', nowMs: 100 });
    expect(lanes).toEqual([]);
  });
});
