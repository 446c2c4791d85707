import { describe, expect, test } from '@jest/globals';
import { nodeSync, type NodeSync, type NodeSyncSource } from '../../../src/controllers/machine/node/node-sync.js';
import type { ExternalObjectJson, StoredMachine, StoredNode } from '../../../src/controllers/machine/objects.js';

type Map = Record<string, string>;
type Taint = Record<string, string>;

const prefix = 'cluster.x-k8s.io';
const common = { [`${prefix}/cluster-name`]: 'c1', [`${prefix}/cluster-namespace`]: 'ns', [`${prefix}/machine`]: 'm' };
const trackers = { labels: `${prefix}/labels-from-machine`, annotations: `${prefix}/annotations-from-machine` };
const tracksTaints = `${prefix}/taints-from-machine`;
const set = { apiVersion: `${prefix}/v1beta2`, kind: 'MachineSet', name: 'ms', uid: 'u', controller: true };

const node = (labels: Map = {}, annotations: Map = {}, taints: readonly Taint[] = []): StoredNode =>
  ({ metadata: { name: 'n', labels, annotations }, spec: { taints } }) as unknown as StoredNode;
const machine = (labels: Map = {}, annotations: Map = {}, more: { owners?: object[]; taints?: object[] } = {}) =>
  ({
    metadata: { name: 'm', namespace: 'ns', labels, annotations, ownerReferences: more.owners ?? [] },
    spec: { clusterName: 'c1', ...(more.taints === undefined ? {} : { taints: more.taints }) },
  }) as unknown as StoredMachine;
const infrastructure = (status: object): ExternalObjectJson =>
  ({ metadata: { name: 'i', namespace: 'ns' }, status }) as unknown as ExternalObjectJson;
const revisions = (ofSet?: string, ofDeployment?: string): NodeSyncSource['owners'] => {
  const owner = (text: string | undefined) => ({
    metadata: { annotations: text === undefined ? {} : { 'machinedeployment.clusters.x-k8s.io/revision': text } },
  });
  return { machineSet: owner(ofSet), machineDeployment: owner(ofDeployment), missing: null } as never;
};
const synced = (of: StoredNode, source: Partial<NodeSyncSource> = {}): NodeSync =>
  nodeSync(of, {
    machine: machine(),
    infrastructure: null,
    owners: { machineSet: null, machineDeployment: null, missing: null },
    additionalLabels: [],
    additionalAnnotations: [],
    propagateTaints: false,
    ...source,
  });
const differing = (sync: NodeSync): Extract<NodeSync, { kind: 'differs' }> => {
  if (sync.kind !== 'differs') throw new Error(`nothing differs: ${JSON.stringify(sync)}`);
  return sync;
};
const taintsAfter = (before: readonly Taint[], source: Partial<NodeSyncSource>, annotations: Map = {}): unknown => {
  const sync = synced(node({}, { ...common, ...annotations }, before), source);
  return sync.kind === 'differs' ? sync.taints : sync.kind;
};

describe('what a Machine brings to its Node', () => {
  test.each([
    ['node-role.kubernetes.io/worker', true],
    ['node-role.kubernetes.io', true],
    ['x.node-role.kubernetes.io/worker', false],
    ['node-restriction.kubernetes.io/a', true],
    ['my.node-restriction.kubernetes.io/a', true],
    ['node.cluster.x-k8s.io/a', true],
    ['gpu.node.cluster.x-k8s.io/a', true],
    ['gpu-node.cluster.x-k8s.io/a', false],
    ['company.xyz/node.cluster.x-k8s.io', false],
    ['foo', false],
  ])('label %s: -> brought: %p', (key, isBrought) => {
    const sync = differing(synced(node(), { machine: machine({ [key]: 'v' }) }));
    expect(sync.labels).toEqual(isBrought ? { [key]: 'v' } : {});
    expect(sync.annotations[trackers.labels]).toBe(isBrought ? key : '');
  });

  test('labels by expression: anywhere in the key -> brought', () => {
    const labels = { 'example.com/team-a': 'v', 'example.com/other': 'v' };
    const sync = differing(synced(node(), { machine: machine(labels), additionalLabels: [/team/] }));
    expect(sync.labels).toEqual({ 'example.com/team-a': 'v' });
  });

  test('annotations: of the domain, by expression, and the common ones -> brought, the common ones not tracked', () => {
    const annotations = {
      'node.cluster.x-k8s.io/a': '1',
      'x.node.cluster.x-k8s.io/b': '2',
      'example.com/c': '3',
      d: '4',
    };
    const sync = differing(
      synced(node(), { machine: machine({}, annotations, { owners: [set] }), additionalAnnotations: [/^example/] }),
    );
    expect(sync.annotations).toEqual({
      ...common,
      [`${prefix}/owner-kind`]: 'MachineSet',
      [`${prefix}/owner-name`]: 'ms',
      'node.cluster.x-k8s.io/a': '1',
      'x.node.cluster.x-k8s.io/b': '2',
      'example.com/c': '3',
      [trackers.labels]: '',
      [trackers.annotations]: 'example.com/c,node.cluster.x-k8s.io/a,x.node.cluster.x-k8s.io/b',
    });
  });

  test('owner annotations: the Machine has no controller any more -> taken away; never there -> no change', () => {
    const before = { ...common, [`${prefix}/owner-kind`]: 'MachineSet', [`${prefix}/owner-name`]: 'ms' };
    expect(Object.keys(differing(synced(node({}, before))).annotations)).not.toContain(`${prefix}/owner-kind`);
    expect(synced(node({}, common)).kind).toBe('same');
  });

  test('labels of others: not tracked -> kept; tracked and wanted no more -> taken away; the same key -> taken over', () => {
    const before = { mine: 'x', 'node.cluster.x-k8s.io/old': 'x', 'node-role.kubernetes.io/a': 'theirs' };
    const sync = differing(
      synced(node(before, { ...common, [trackers.labels]: 'node.cluster.x-k8s.io/old' }), {
        machine: machine({ 'node-role.kubernetes.io/a': 'ours' }),
      }),
    );
    expect(sync.labels).toEqual({ mine: 'x', 'node-role.kubernetes.io/a': 'ours' });
  });

  test('keys that a controller with other settings brought: of no domain that is known here -> kept, and remembered', () => {
    const labels = { 'company.com/pool': 'gpu', 'node.cluster.x-k8s.io/old': 'x' };
    const tracks = {
      [trackers.labels]: 'company.com/pool,node.cluster.x-k8s.io/old',
      [trackers.annotations]: 'a.com/b',
    };
    const sync = differing(synced(node(labels, { ...common, 'a.com/b': '1', ...tracks })));
    expect(sync.labels).toEqual({ 'company.com/pool': 'gpu' });
    expect(sync.annotations).toEqual({
      ...common,
      'a.com/b': '1',
      [trackers.labels]: 'company.com/pool',
      [trackers.annotations]: 'a.com/b',
    });
    expect(synced(node({ 'company.com/pool': 'gpu' }, { ...common, [trackers.labels]: 'company.com/pool' })).kind).toBe(
      'same',
    );
  });

  test('the same keys, named by the settings: wanted no more -> taken away', () => {
    const labels = { 'company.com/pool': 'gpu' };
    const tracks = { [trackers.labels]: 'company.com/pool', [trackers.annotations]: 'a.com/b' };
    const sync = differing(
      synced(node(labels, { ...common, 'a.com/b': '1', ...tracks }), {
        additionalLabels: [/company/],
        additionalAnnotations: [/a\.com/],
      }),
    );
    expect([sync.labels, sync.annotations['a.com/b'], sync.annotations[trackers.labels]]).toEqual([{}, undefined, '']);
  });

  test('a label of a synced domain that somebody else put there: not tracked -> kept', () => {
    const before = { 'node.cluster.x-k8s.io/theirs': 'x' };
    expect(synced(node(before, common)).kind).toBe('same');
  });

  test('the interruptible label: comes, is there, goes with the infrastructure object', () => {
    const key = `${prefix}/interruptible`;
    const first = differing(synced(node({}, common), { infrastructure: infrastructure({ interruptible: true }) }));
    expect([first.labels, first.becomesInterruptible]).toEqual([{ [key]: '' }, true]);
    const marked = node({ [key]: '' }, { ...common, [trackers.labels]: key });
    expect(synced(marked, { infrastructure: infrastructure({ interruptible: true }) }).kind).toBe('same');
    const last = differing(synced(marked, { infrastructure: infrastructure({ interruptible: false }) }));
    expect([last.labels, last.becomesInterruptible]).toEqual([{}, false]);
    expect(synced(node({}, common), { infrastructure: infrastructure({ interruptible: 'yes' }) })).toMatchObject({
      kind: 'problem',
      message: expect.stringContaining('failed to get status interruptible from infra machine ns/i: '),
    });
  });

  test('nothing differs: twice in a row -> the second time the same', () => {
    const first = differing(
      synced(node({}, {}, [{ key: 'a', effect: 'NoSchedule' }]), {
        machine: machine({ 'node-role.kubernetes.io/w': '' }),
      }),
    );
    const after = node(first.labels as Map, first.annotations as Map, first.taints as unknown as Taint[]);
    expect(synced(after, { machine: machine({ 'node-role.kubernetes.io/w': '' }) }).kind).toBe('same');
  });
});

describe('taints of a Node', () => {
  const uninitialized = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' };
  const outdated = { key: 'node.cluster.x-k8s.io/outdated-revision', effect: 'PreferNoSchedule' };
  const theirs = { key: 'theirs', effect: 'NoExecute', value: 'v' };

  test('uninitialized: with its effect -> taken off, those of others stay; with another effect -> stays', () => {
    expect(taintsAfter([theirs, uninitialized], {})).toEqual([theirs]);
    expect(taintsAfter([{ ...uninitialized, effect: 'NoExecute' }], {})).toBe('same');
  });

  test.each([
    ['1', '2', true],
    ['2', '2', false],
    ['3', '2', false],
    [undefined, '1', true],
    ['1', undefined, false],
    ['9', '10', true],
  ])(
    'revision %p of the MachineSet, %p of the MachineDeployment: -> outdated: %p',
    (ofSet, ofDeployment, isOutdated) => {
      const owners = revisions(ofSet, ofDeployment);
      expect(taintsAfter([theirs], { owners })).toEqual(isOutdated ? [theirs, outdated] : 'same');
      expect(taintsAfter([outdated, theirs], { owners })).toEqual(isOutdated ? 'same' : [theirs]);
    },
  );

  test('a revision that is no number: -> an error that names the Node', () => {
    expect(synced(node({}, common), { owners: revisions('one', '2') })).toEqual({
      kind: 'problem',
      message: 'failed to check if Node n is outdated: strconv.Atoi: parsing "one": invalid syntax',
    });
  });

  test('outdated: somebody gave the taint a value -> it is left as it is', () => {
    const valued = { ...outdated, value: 'x' };
    expect(taintsAfter([valued], { owners: revisions('1', '2') })).toBe('same');
  });

  test('no MachineDeployment: -> never outdated', () => {
    expect(taintsAfter([outdated], {})).toEqual([]);
  });

  const propagated = (taints: object[]): Partial<NodeSyncSource> => ({
    machine: machine({}, {}, { taints }),
    propagateTaints: true,
  });
  const always = { key: 'a', value: '1', effect: 'NoSchedule', propagation: 'Always' };
  const once = { key: 'o', value: '1', effect: 'NoSchedule', propagation: 'OnInitialization' };
  const bare = ({ key, value, effect }: typeof always): Taint => ({ key, effect, value });

  test('the gate is off: -> taints of the Machine are not brought', () => {
    expect(taintsAfter([], { machine: machine({}, {}, { taints: [always] }) })).toBe('same');
  });

  test('first time: -> both kinds are brought, the lasting ones are remembered', () => {
    const sync = differing(synced(node({}, common), propagated([always, once])));
    expect(sync.taints).toEqual([bare(always), bare(once)]);
    expect(sync.annotations[tracksTaints]).toBe('a:NoSchedule');
  });

  test('later: the one that comes once was taken off -> it stays off; the lasting one -> comes back', () => {
    expect(taintsAfter([], propagated([always, once]), { [tracksTaints]: 'a:NoSchedule' })).toEqual([bare(always)]);
    expect(taintsAfter([bare(always)], propagated([always, once]), { [tracksTaints]: 'a:NoSchedule' })).toBe('same');
  });

  test.each([
    ['another value', [{ ...bare(always), value: '2' }], [always], [bare(always)]],
    ['another value, added at a time', [{ ...bare(always), value: '2', timeAdded: 't' }], [always], [bare(always)]],
    ['no value any more', [bare(always)], [{ ...always, value: undefined }], [{ key: 'a', effect: 'NoSchedule' }]],
  ])('a lasting taint with %s: -> corrected', (_title, before, wanted, after) => {
    const taints = JSON.parse(JSON.stringify(wanted)) as object[];
    expect(taintsAfter(before, propagated(taints), { [tracksTaints]: 'a:NoSchedule' })).toEqual(after);
  });

  test('a lasting taint that is wanted no more: -> taken off; now wanted once -> stays; of others -> stays', () => {
    const has = [bare(always), theirs];
    const before = { [tracksTaints]: 'a:NoSchedule' };
    expect(taintsAfter(has, propagated([]), before)).toEqual([theirs]);
    expect(taintsAfter(has, propagated([{ ...always, propagation: 'OnInitialization' }]), before)).toEqual(has);
  });

  test('what was remembered cannot be read: -> an error that names the Node', () => {
    expect(synced(node({}, { ...common, [tracksTaints]: 'broken' }), propagated([]))).toEqual({
      kind: 'problem',
      message: 'failed to propagate Machine taints to Node n: invalid taint format: "broken"',
    });
  });
});
