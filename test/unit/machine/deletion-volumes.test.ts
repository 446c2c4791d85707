import { describe, expect, test } from '@jest/globals';
import type {
  StoredNode,
  StoredPersistentVolume,
  StoredVolumeAttachment,
} from '../../../src/controllers/machine/objects.js';
import { attachedTo, claimsOf, volumeReport } from '../../../src/controllers/machine/volumes/attached-volumes.js';
import {
  at,
  change,
  endPod,
  nodeStatus,
  oldSaysOf,
  put,
  putCluster,
  putPod,
  putRunning,
  remove,
  saysOf,
} from './objects.js';
import { pod } from './pods.js';
import {
  annotate,
  attach,
  attachVolume,
  deletions,
  hook,
  isGone,
  limits,
  nodeVolumes,
  pass,
  running,
  times,
} from './running.js';
import { createWorld, type World } from './world.js';

const node = (...names: string[]): StoredNode =>
  ({
    metadata: { name: 'n' },
    status: { volumesAttached: names.map((name) => ({ name, devicePath: '' })) },
  }) as unknown as StoredNode;
const attachment = (name: string, spec: object, attached: boolean | undefined = true): StoredVolumeAttachment =>
  ({
    metadata: { name },
    spec: { attacher: 'csi', nodeName: 'n', ...spec },
    status: { attached },
  }) as unknown as StoredVolumeAttachment;
const of = (persistentVolumeName: string): object => ({ source: { persistentVolumeName } });
const volume = (name: string, spec: object): StoredPersistentVolume =>
  ({ metadata: { name }, spec }) as unknown as StoredPersistentVolume;
const csi = (volumeHandle: string): object => ({ csi: { driver: 'ebs', volumeHandle } });
const claimed = (name: string): object => ({
  claimRef: { kind: 'PersistentVolumeClaim', namespace: 'ns', name },
});

describe('what is attached to a Node', () => {
  test('attachments: of the Node and attached -> counted; of others, on their way, or unknown -> not', () => {
    const given = [
      attachment('a', of('pv-a')),
      attachment('b', { ...of('pv-b'), nodeName: 'other' }),
      attachment('c', of('pv-c'), false),
      { ...attachment('d', of('pv-d')), status: undefined } as unknown as StoredVolumeAttachment,
    ];
    expect(attachedTo(node('x'), given)).toEqual({ nodeEntries: ['x'], volumes: ['pv-a'] });
  });

  test('two volumes of one driver and handle: the claim of one is left alone -> the claim of the other counts', () => {
    const shared = 'kubernetes.io/csi/ebs^shared';
    const volumes = [
      volume('a-skipped', { ...csi('shared'), ...claimed('skipped') }),
      volume('b-needed', { ...csi('shared'), ...claimed('needed') }),
    ];
    const attached = { nodeEntries: [shared], volumes: [] };
    expect(volumeReport(attached, volumes, new Set(['ns/skipped']))).toEqual({
      claims: ['ns/needed'],
      volumesWithoutClaim: [],
      nodeEntriesWithoutVolume: [],
      attachmentsWithoutVolume: [],
    });
  });

  test('an attachment without the name of a volume: -> an error that names it; of another Node -> none', () => {
    const inline = { source: { inlineVolumeSpec: {} } };
    expect(attachedTo(node(), [attachment('bad', inline)])).toEqual({
      problem: 'spec.source.persistentVolumeName for VolumeAttachment bad is not set',
    });
    expect(attachedTo(node(), [attachment('bad', { ...inline, nodeName: 'other' })])).toEqual({
      nodeEntries: [],
      volumes: [],
    });
  });

  test('volumes: by the entry of the Node, by the attachment, or by neither -> claims of those that are attached', () => {
    const attached = { nodeEntries: ['kubernetes.io/csi/ebs^h1'], volumes: ['pv-2'] };
    const known = [
      volume('pv-1', { ...csi('h1'), ...claimed('c1') }),
      volume('pv-2', { ...csi('h2'), ...claimed('c2') }),
      volume('pv-3', { ...csi('h3'), ...claimed('c3') }),
    ];
    expect(volumeReport(attached, known, new Set())).toEqual({
      claims: ['ns/c1', 'ns/c2'],
      volumesWithoutClaim: [],
      nodeEntriesWithoutVolume: [],
      attachmentsWithoutVolume: [],
    });
  });

  test('a volume without a claim, or claimed by another kind: -> named itself', () => {
    const known = [
      volume('pv-2', csi('h2')),
      volume('pv-1', { ...csi('h1'), claimRef: { kind: 'Something', namespace: 'ns', name: 'c' } }),
    ];
    const attached = { nodeEntries: [], volumes: ['pv-1', 'pv-2'] };
    expect(volumeReport(attached, known, new Set()).volumesWithoutClaim).toEqual(['pv-1', 'pv-2']);
  });

  test('entries and attachments that no volume explains: -> named, sorted; an entry of no CSI driver among them', () => {
    const attached = { nodeEntries: ['kubernetes.io/nfs/z', 'kubernetes.io/csi/ebs^gone'], volumes: ['pv-y', 'pv-x'] };
    expect(volumeReport(attached, [], new Set())).toMatchObject({
      nodeEntriesWithoutVolume: ['kubernetes.io/csi/ebs^gone', 'kubernetes.io/nfs/z'],
      attachmentsWithoutVolume: ['pv-x', 'pv-y'],
    });
  });

  test('claims of Pods that the drain leaves alone: -> ignored, the others count', () => {
    const uses = (claimName: string) => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] }) as never;
    const ignored = claimsOf([pod('daemon', { namespace: 'ns', spec: uses('c1') }), pod('plain', { namespace: 'ns' })]);
    const known = [
      volume('pv-1', { ...csi('h1'), ...claimed('c1') }),
      volume('pv-2', { ...csi('h2'), ...claimed('c2') }),
    ];
    expect(volumeReport({ nodeEntries: [], volumes: ['pv-1', 'pv-2'] }, known, ignored).claims).toEqual(['ns/c2']);
  });

  test('a claim of the same name in another namespace: -> is not ignored', () => {
    const spec = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c1' } }] } as never;
    const ignored = claimsOf([pod('daemon', { namespace: 'other', spec })]);
    const known = [volume('pv-1', { ...csi('h1'), ...claimed('c1') })];
    expect(volumeReport({ nodeEntries: [], volumes: ['pv-1'] }, known, ignored).claims).toEqual(['ns/c1']);
  });
});

const detach = async (world: World, name: string): Promise<void> => {
  await world.remote.delete(at('VolumeAttachment', `csi-${name}`));
  await nodeVolumes(world, []);
  await world.settle();
};

describe('a Machine whose volumes are attached', () => {
  test('MA-069 start: after the drain -> its start is written, the claim named, and nothing is deleted', async () => {
    const { world, operator } = await running();
    await attach(world, 'data');
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toBe(
      'True WaitingForVolumeDetach Waiting for Node volumes to be detached (started at 2023-11-14T22:13:20Z)\n* PersistentVolumeClaims: default/data',
    );
    expect(await times(world)).toMatchObject({ waitForNodeVolumeDetachStartTime: '2023-11-14T22:13:20Z' });
    expect(await oldSaysOf(world, 'VolumeDetachSucceeded')).toBe(
      'False Info WaitingForVolumeDetach Waiting for node volumes to be detached',
    );
    expect(deletions(world)).toEqual([]);
    operator.kill();
  });

  test('MA-102 detached: attachment and entry go -> the Machine goes on at once and says so', async () => {
    const { world, operator } = await running();
    await attach(world, 'data');
    await annotate(world, hook.preTerminate, '');
    await remove(world);
    await detach(world, 'data');
    expect(await saysOf(world, 'Deleting')).toContain('True WaitingForPreTerminateHook');
    expect(await oldSaysOf(world, 'VolumeDetachSucceeded')).toBe('True');
    expect(operator.events.map(({ reason, message }) => `${reason} ${message}`)).toContain(
      `NodeVolumesDetached success waiting for node volumes detaching Machine's node "w-0"`,
    );
    operator.kill();
  });

  test('only the attachment says so: the Node names nothing -> waited for all the same', async () => {
    const { world, operator } = await running();
    await attach(world, 'data', { node: false });
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain('* PersistentVolumeClaims: default/data');
    operator.kill();
  });

  test('only the attachment says so, and attachments are not to be considered: -> not waited for', async () => {
    const { world, operator } = await running({}, {}, { considerVolumeAttachments: false });
    await attach(world, 'data', { node: false });
    await remove(world);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('only the Node says so: no attachment -> waited for all the same', async () => {
    const { world, operator } = await running();
    await attach(world, 'data', { attachment: false });
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain('* PersistentVolumeClaims: default/data');
    await nodeVolumes(world, []);
    await world.settle();
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('volumes of other Nodes, and attachments that are not attached: -> not waited for', async () => {
    const { world, operator } = await running();
    await attachVolume(world, 'far', 'w-1');
    await attachVolume(world, 'soon', 'w-0', false);
    await remove(world);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('the volume of a DaemonSet Pod: nobody will detach it -> not waited for', async () => {
    const { world, operator } = await running();
    await attach(world, 'logs');
    await put(world.remote, 'DaemonSet', 'agent', {
      spec: { selector: { matchLabels: { app: 'agent' } }, template: { metadata: { labels: { app: 'agent' } } } },
    });
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true };
    await putPod(world, 'agent-1', 'w-0', {
      metadata: { ownerReferences: [owner] },
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'logs' } }] },
    });
    await remove(world);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('the volume of a Pod that a rule skips: -> not waited for', async () => {
    const { world, operator } = await running();
    await attach(world, 'logs');
    await put(world.user, 'MachineDrainRule', 'stay', { spec: { drain: { behavior: 'Skip' } } });
    await putPod(world, 'stays', 'w-0', {
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'logs' } }] },
    });
    await remove(world);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('a drain that is excluded: its Pods stay with their volume -> the volume is waited for', async () => {
    const { world, operator } = await running({
      annotations: { 'machine.cluster.x-k8s.io/exclude-node-draining': '' },
    });
    await attach(world, 'data');
    await putPod(world, 'app', 'w-0', {
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
    });
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain('* PersistentVolumeClaims: default/data');
    await endPod(world, 'app');
    operator.kill();
  });

  test('the wait is excluded: by annotation, at once or later -> the Machine goes on', async () => {
    const key = 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach';
    const first = await running({ annotations: { [key]: '' } });
    await attach(first.world, 'data');
    await remove(first.world);
    expect(await isGone(first.world)).toBe(true);
    first.operator.kill();
    const second = await running();
    await attach(second.world, 'data');
    await remove(second.world);
    expect(await isGone(second.world)).toBe(false);
    await annotate(second.world, key, '');
    expect(await isGone(second.world)).toBe(true);
    second.operator.kill();
  });

  test('time limit: passed -> the Machine goes on at the next look, and the old condition is True', async () => {
    const { world, operator } = await running(limits({ nodeVolumeDetachTimeoutSeconds: 30 }));
    await attach(world, 'data');
    await annotate(world, hook.preTerminate, '');
    await remove(world);
    await pass(world);
    expect(await saysOf(world, 'Deleting')).toContain('WaitingForVolumeDetach');
    await pass(world);
    expect(await saysOf(world, 'Deleting')).toContain('WaitingForPreTerminateHook');
    expect(await oldSaysOf(world, 'VolumeDetachSucceeded')).toBe('True');
    operator.kill();
  });

  test('time limit of the drain: passed -> does not count for the volumes', async () => {
    const { world, operator } = await running(limits({ nodeDrainTimeoutSeconds: 10 }));
    await attach(world, 'data');
    await remove(world);
    await pass(world, 300_000);
    expect(await saysOf(world, 'Deleting')).toContain('WaitingForVolumeDetach');
    operator.kill();
  });

  test('a Node that does not answer: nobody will detach -> not waited for', async () => {
    const { world, operator } = await running();
    await attach(world, 'data');
    await change(world.remote, 'Node', 'w-0', {
      status: { ...nodeStatus('Unknown'), volumesAttached: [{ name: 'x', devicePath: '' }] },
    });
    await world.settle();
    await remove(world);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('a volume that cannot be read: -> the wait is an error with an Event, and nothing is deleted', async () => {
    const { world, operator } = await running();
    await attach(world, 'data');
    world.workload.setFaults({
      request: ({ resource }) =>
        resource === 'persistentvolumes' ? { kind: 'status', code: 403, message: 'volumes are secret' } : undefined,
    });
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toBe(
      'True WaitingForVolumeDetach Error waiting for volumes to be detached from Node, please check controller logs for errors',
    );
    expect(operator.events.map(({ reason, message }) => `${reason} ${message}`)).toContain(
      `FailedWaitForVolumeDetach error waiting for node volumes detaching, Machine's node "w-0": failed to list PersistentVolumes: volumes are secret`,
    );
    expect(deletions(world)).toEqual([]);
    operator.kill();
  });

  test('more than a page of attachments: the last one is ours -> found', async () => {
    const { world, operator } = await running();
    for (let index = 0; index < 120; index += 1) await attachVolume(world, `a-${index}`, 'w-1');
    await attach(world, 'zz', { node: false });
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain('* PersistentVolumeClaims: default/zz');
    operator.kill();
  });
});

describe('what counts as attached, by gate', () => {
  /** An attachment that names no volume: it can never be told what it holds. */
  const attachInline = (world: World) =>
    put(world.remote, 'VolumeAttachment', 'inline', {
      spec: {
        attacher: 'csi',
        nodeName: 'w-0',
        source: {
          inlineVolumeSpec: { capacity: { storage: '1Gi' }, csi: { driver: 'csi', volumeHandle: 'x' } },
        },
      },
      status: { attached: true },
    });

  test.each([
    ['on -> it holds the Machine up, with an error', true, false],
    ['off -> only what the Node reports is waited for', false, true],
  ])('an inline volume is attached, the gate for VolumeAttachments is %s', async (_title, considers, gone) => {
    const world = createWorld();
    const operator = await world.start({ considerVolumeAttachments: considers });
    await putCluster(world);
    await putRunning(world);
    await attachInline(world);
    await remove(world);
    await pass(world, 60_000);
    expect(await isGone(world)).toBe(gone);
    expect(world.seen.some(({ verb, what }) => verb === 'list' && what === 'volumeattachments')).toBe(considers);
    operator.kill();
  });

  test('the gate is off, the Node reports a volume -> waited for', async () => {
    const world = createWorld();
    const operator = await world.start({ considerVolumeAttachments: false });
    await putCluster(world);
    await putRunning(world);
    await attach(world, 'data', { attachment: false });
    await remove(world);
    expect((await saysOf(world, 'Deleting')).split('\n')[1]).toBe('* PersistentVolumeClaims: default/data');
    operator.kill();
  });
});
