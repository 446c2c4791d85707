// `explain` of a KubeadmConfig from the cluster alone: every state, and every wait whose condition is the tables' fixed text.
import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/cli/config.js';
import { explanationText } from '../../../src/cli/explain.js';
import { explainRecorded, EXPLAINERS } from '../../../src/cli/explainers.js';
import type { Explanation } from '../../../machines/kit/explanation.js';
import { leafState } from '../../../machines/kit/step.js';
import { table } from '../../../machines/kubeadmconfig/table.js';
import {
  addClusterSecrets,
  addMachine,
  addPool,
  cluster,
  clusterStatus,
  config,
  create,
  machine,
  patch,
  patchStatus,
  read,
  remove,
  tokens,
} from './objects.js';
import { CANARY, explainAlone } from './fault-kit.js';
import { createWorld, type Operator, type World } from './world.js';

const STARTED = '2023-11-14T22:13:20Z';
const seconds = (count: number): string =>
  new Date(Date.parse(STARTED) + count * 1_000).toISOString().replace('.000Z', 'Z');

/** A world that an operator has looked at for a while, as `explain` finds it afterwards. */
async function settled(
  prepare: (world: World) => Promise<void>,
  later?: (world: World, operator: Operator) => Promise<void>,
) {
  const world = createWorld();
  await prepare(world);
  const operator = await world.start();
  await world.settle();
  await later?.(world, operator);
  await world.settle();
  return { world, operator };
}

const worker = async ({ user }: World): Promise<void> => {
  await create(user, cluster({ initialized: true }));
  await addClusterSecrets(user);
  await addMachine(user, 'x');
};
const first = async ({ user }: World): Promise<void> => {
  await create(user, cluster());
  await addClusterSecrets(user);
  await addMachine(user, 'x', { controlPlane: true });
};
const nodeJoined = ({ user }: World) => patchStatus(user, 'Machine', 'x', { nodeRef: { name: 'n' } });

/** What the inspector of the running operator answers. */
function explainHosted({ controller, host }: Operator): Explanation | null {
  const resting = host.rest('default/x');
  if (resting === null) return controller.explain('default/x', null);
  const { rest, failure } = resting;
  return controller.explain('default/x', { state: leafState(rest.value), context: rest.context, failure });
}

/** What is expected of a state: who is waited for and why, the next look, the way out. */
interface Told {
  readonly state: string;
  readonly row: string;
  readonly waitsFor: string | null;
  readonly nextLook: string | null;
  readonly unblocks: string;
  /** Facts that decided. */
  readonly facts: Readonly<Record<string, unknown>>;
}

describe('explain: the eight states', () => {
  const initialized = 'The first control plane Machine boots with the stored data and initialises the control plane.';
  const cases: readonly (readonly [
    Told,
    (world: World) => Promise<void>,
    ((world: World, operator: Operator) => Promise<void>)?,
  ])[] = [
    [
      {
        state: 'WaitingInfra',
        row: 'K13',
        waitsFor: 'Cluster default/c1: status.initialization.infrastructureProvisioned is not true',
        nextLook: null,
        unblocks: 'The infrastructure provider provisions it.',
        facts: { infrastructureProvisioned: false },
      },
      async ({ user }) => {
        await create(user, cluster({ provisioned: false }));
        await addMachine(user, 'x');
      },
    ],
    [
      {
        state: 'WaitingCPInit',
        row: 'K33',
        waitsFor: 'Cluster default/c1: condition ControlPlaneInitialized is not True',
        nextLook: seconds(30),
        unblocks: initialized,
        facts: { controlPlaneInitialized: false, isControlPlaneMachine: false },
      },
      async ({ user }) => {
        await create(user, cluster());
        await addMachine(user, 'x');
      },
    ],
    [
      {
        state: 'AcquiringLock',
        row: 'K47',
        waitsFor:
          'Secret default/gone: failed to resolve file source: secret not found: default/gone: secrets "gone" not found',
        nextLook: null,
        unblocks: 'Mend what the message names; it is tried again at once when that changes.',
        facts: { lock: 'free', isControlPlaneMachine: true },
      },
      async (world) => {
        await create(world.user, cluster());
        await addClusterSecrets(world.user);
        await addMachine(world.user, 'x', {
          controlPlane: true,
          spec: { files: [{ path: '/x', contentFrom: { secret: { name: 'gone', key: 'k' } } }] },
        });
      },
    ],
    [
      {
        state: 'Initializing',
        row: 'K20',
        waitsFor: 'Cluster default/c1: condition ControlPlaneInitialized is not True',
        nextLook: null,
        unblocks: initialized,
        facts: { lock: 'mine', dataStored: 'yes', controlPlaneInitialized: false },
      },
      first,
    ],
    [
      {
        state: 'Joining',
        row: 'K82',
        waitsFor: 'Secret default/c1-ca: missing certificate',
        nextLook: null,
        unblocks: 'Create the Secret with tls.crt and tls.key, as the control plane provider does.',
        facts: { controlPlaneInitialized: true, dataStored: 'no' },
      },
      async ({ user }) => {
        await create(user, cluster({ initialized: true }));
        await addMachine(user, 'x');
      },
    ],
    [
      {
        state: 'TokenMonitoring',
        row: 'K28',
        waitsFor: 'Machine default/x: its node has not joined',
        nextLook: seconds(300),
        unblocks: 'The infrastructure boots the machine with the stored data and its node joins.',
        facts: { dataStored: 'yes', hasToken: true, isTokenOurs: true, nodeJoined: false },
      },
      worker,
    ],
    [
      {
        state: 'Rotating',
        row: 'K88',
        waitsFor: 'KubeadmConfig default/x: failed to create new bootstrap token: secrets is forbidden: no more tokens',
        nextLook: null,
        unblocks: 'Correct the token, or the permissions in the workload cluster.',
        facts: { owner: 'MachinePool', isTokenOurs: true },
      },
      async (world) => {
        await create(world.user, cluster({ initialized: true }));
        await addClusterSecrets(world.user);
        await addPool(world.user, 'x');
      },
      async (world) => {
        for (const { metadata } of await tokens(world.user))
          await remove(world.user, 'Secret', metadata.name, 'kube-system');
        world.setFaults({
          request: (info) =>
            info.verb === 'create' && info.namespace === 'kube-system'
              ? { kind: 'status', code: 403, message: 'secrets is forbidden: no more tokens' }
              : undefined,
        });
        await patch(world.user, 'MachinePool', 'x', { metadata: { annotations: { a: 'b' } } });
      },
    ],
    [
      {
        state: 'Done',
        row: 'K23',
        waitsFor: null,
        nextLook: null,
        unblocks: 'Nothing is needed.',
        facts: { dataStored: 'yes', nodeJoined: true },
      },
      worker,
      async (world) => void (await nodeJoined(world)),
    ],
  ];

  test.each(cases.map(([told, prepare, later]) => [told.state, told, prepare, later] as const))(
    '%s: read from the cluster alone -> what the inspector says: state, since, row, facts, what is waited for, next look, way out',
    async (_, told, prepare, later) => {
      const { world, operator } = await settled(prepare, later);
      const entered = operator.transitions.findLast(({ from, to }) => from !== to)?.atMs ?? world.clock.nowMs();
      const shown = explainHosted(operator);
      await operator.stop();
      world.setFaults(undefined);
      expect(await explainAlone(world, 'x')).toEqual(shown);
      await world.clock.advance(10_000);
      const answer = await explainAlone(world, 'x');
      const { waitsFor, facts, row } = answer;
      expect({
        state: answer.state,
        row: row.id,
        waitsFor:
          waitsFor === null ? null : `${waitsFor.kind} ${waitsFor.namespace}/${waitsFor.name}: ${waitsFor.what}`,
        nextLook: answer.nextLook,
        unblocks: answer.unblocks,
        facts,
      }).toEqual({ ...told, facts: expect.objectContaining(told.facts) });
      expect(answer.since).toBe(new Date(entered).toISOString().replace(/\.\d+Z$/, 'Z'));
      const text = explanationText(answer);
      expect(text).toContain(`State:       ${told.state}: ${table.states[told.state as 'Done'].description}`);
      expect(text).toContain(`Decided by:  ${told.row} ${row.title} [${row.guard}]`);
      expect(text).toContain(`Waits for:   ${told.waitsFor ?? 'nothing'}`);
      expect(text).toContain(`Unblocks it: ${told.unblocks}`);
      for (const [name, value] of Object.entries(told.facts)) expect(text).toContain(`  ${name}: ${String(value)}\n`);
    },
  );

  test('the cases -> are the states of the table', () => {
    expect(cases.map(([{ state }]) => state).toSorted()).toEqual(Object.keys(table.states).toSorted());
  });

  test('somebody touched the object since the token was looked at: only the process knows -> the same facts from both', async () => {
    const { world, operator } = await settled(worker, async (each) => {
      await nodeJoined(each);
      await each.settle();
      await patch(each.user, 'Machine', 'x', { metadata: { annotations: { a: 'b' } } });
    });
    expect(operator.controller.controller.observe('default/x')?.remembered.touch).toBeGreaterThan(0);
    const shown = explainHosted(operator);
    expect(shown).toMatchObject({ facts: { tokenDue: false } });
    expect(await explainAlone(world, 'x')).toEqual(shown);
  });

  test('looks that changed nothing: no write tells of them -> the same answer from both, the next look included', async () => {
    const { world, operator } = await settled(worker);
    for (let look = 0; look < 3; look += 1) {
      await world.clock.advance(310_000);
      await world.settle();
    }
    const shown = explainHosted(operator);
    expect(shown).toMatchObject({ row: { id: 'K28' }, facts: { tokenDue: false } });
    expect(await explainAlone(world, 'x')).toEqual(shown);
  });

  test('JSON: -> every field, and nothing of a token, key or data', async () => {
    const { world } = await settled(worker);
    const answer = await explainAlone(world, 'x');
    expect(Object.keys(answer).toSorted()).toEqual(
      [
        'facts',
        'lastError',
        'machine',
        'nextLook',
        'object',
        'row',
        'since',
        'state',
        'stateMeaning',
        'unblocks',
        'waitsFor',
        'warnings',
      ].toSorted(),
    );
    const [token] = await tokens(world.user);
    const secret = Buffer.from(token?.data['token-secret'] ?? '', 'base64').toString();
    expect(secret).toHaveLength(16);
    expect(JSON.stringify(answer)).not.toContain(secret);
  });

  test.each(['status', 'annotation', 'configmap'] as const)(
    'snapshots in %s, and nobody says so -> what is recorded is found; asked for elsewhere -> not recorded',
    async (snapshotStore) => {
      const world = createWorld();
      await worker(world);
      await world.start({ snapshotStore });
      await world.settle();
      const explainer = EXPLAINERS.find(({ kinds }) => kinds.includes('kubeadmconfig'));
      const explained = async (store?: 'status' | 'annotation' | 'configmap' | 'none') => {
        if (explainer === undefined) throw new Error('no explainer');
        const config = parseConfig([], {});
        const request = { client: world.user, config, namespace: 'default', name: 'x', nowMs: world.clock.nowMs() };
        const connectWorkload = (): Promise<never> => Promise.reject(new Error('away'));
        return explainRecorded(explainer, { ...request, connectWorkload }, store);
      };
      await world.clock.advance(5_000);
      expect([(await explained())?.since, (await explained('none'))?.since]).toEqual([STARTED, null]);
    },
  );

  test('--snapshot-store=none: nothing is recorded -> says so, and still names state and wait', async () => {
    const { world } = await settled(worker, async () => undefined);
    await patchStatus(world.user, 'KubeadmConfig', 'x', { conditions: [] });
    const answer = await explainAlone(world, 'x', ['--snapshot-store=none']);
    expect(answer.since).toBeNull();
    expect(explanationText(answer)).toContain('Since:       not recorded');
    expect(answer.state).toBe('TokenMonitoring');
  });
});

describe('explain: waits that the conditions report in the fixed words of the tables', () => {
  const waits: readonly (readonly [string, (world: World) => Promise<void>, string, string])[] = [
    [
      'no owner',
      async ({ user }) => void (await create(user, config(null, 'x', { verbosity: 1 }))),
      'KubeadmConfig default/x: no Machine or MachinePool owns it',
      'Refer to it from spec.bootstrap.configRef of a Machine.',
    ],
    [
      'owner gone',
      async ({ user }) => {
        await create(user, cluster());
        await addMachine(user, 'x');
        await remove(user, 'Machine', 'x');
      },
      'Machine default/x: it does not exist',
      'Create the owner, or delete the KubeadmConfig.',
    ],
    ['no Cluster', ({ user }) => addMachine(user, 'x'), 'Cluster default/c1: it does not exist', 'Create the Cluster.'],
    [
      'the lock is another Machine’s',
      async ({ user }) => {
        await create(user, cluster());
        await addMachine(user, 'cp-9', { controlPlane: true });
        const holder = await read(user, 'Machine', 'cp-9');
        await create(user, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'c1-lock', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
          data: { 'lock-information': JSON.stringify({ machineName: 'cp-9', machineUID: holder.metadata.uid }) },
        });
        await addMachine(user, 'x', { controlPlane: true });
      },
      'Machine default/cp-9: it holds the init lock, ConfigMap default/c1-lock',
      'The Machine that holds the lock initialises the control plane, or is deleted.',
    ],
    [
      'the endpoint has no port',
      async ({ user }) => {
        await create(user, cluster({ initialized: true, spec: { controlPlaneEndpoint: { host: 'api.example.com' } } }));
        await addClusterSecrets(user);
        await addMachine(user, 'x');
      },
      'Cluster default/c1: spec.controlPlaneEndpoint has no host or no port',
      'The infrastructure provider sets it, or the user does.',
    ],
    [
      'paused by its own annotation',
      async ({ user }) => {
        await create(user, cluster());
        const owner = await create(user, machine('x'));
        await create(user, config(owner, 'x', { verbosity: 1 }, { annotations: { 'cluster.x-k8s.io/paused': '' } }));
      },
      'KubeadmConfig default/x: KubeadmConfig has the cluster.x-k8s.io/paused annotation',
      'Remove the annotation cluster.x-k8s.io/paused.',
    ],
    [
      'failed for good',
      async (world) => {
        await worker(world);
        await patchStatus(world.user, 'KubeadmConfig', 'x', {
          deprecated: { v1beta1: { failureReason: 'Broken', failureMessage: 'by hand' } },
        });
      },
      'KubeadmConfig default/x: Broken: by hand',
      'Delete the KubeadmConfig and its Machine.',
    ],
    [
      'being deleted',
      async (world) => {
        await worker(world);
        await patch(world.user, 'KubeadmConfig', 'x', { metadata: { finalizers: ['example.com/hold'] } });
        await remove(world.user, 'KubeadmConfig', 'x');
      },
      'KubeadmConfig default/x: it is being deleted',
      'Remove the finalizers that hold it.',
    ],
  ];

  test.each(waits)(
    '%s -> names who and what is waited for, and the way out',
    async (_, prepare, waitsFor, unblocks) => {
      const { world } = await settled(prepare);
      const text = explanationText(await explainAlone(world, 'x'));
      expect(text).toContain(`Waits for:   ${waitsFor}\n`);
      expect(text).toContain(`Unblocks it: ${unblocks}\n`);
    },
  );

  test('initialised while it waits: explained before the operator looks -> says what it will do', async () => {
    const { world, operator } = await settled(async ({ user }) => {
      await create(user, cluster());
      await addClusterSecrets(user);
      await addMachine(user, 'x');
    });
    await operator.stop();
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    const answer = await explainAlone(world, 'x');
    expect(answer).toMatchObject({ state: 'WaitingCPInit', row: { id: 'K31' }, waitsFor: null });
    expect(explanationText(answer)).not.toContain(CANARY);
  });
});
