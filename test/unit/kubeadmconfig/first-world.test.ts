import { describe, expect, test } from '@jest/globals';
import {
  addClusterSecrets,
  addMachine,
  cluster,
  clusterStatus,
  create,
  decoded,
  patchStatus,
  read,
  tokens,
} from './objects.js';
import { createWorld } from './world.js';

interface Config {
  readonly spec: {
    readonly joinConfiguration?: { readonly discovery?: { readonly bootstrapToken?: { readonly token?: string } } };
  };
  readonly status: {
    readonly conditions: {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
    readonly dataSecretName?: string;
  };
}

const conditions = (object: Config) =>
  Object.fromEntries(
    object.status.conditions.map(({ type, status, reason, message }) => [
      type,
      type === 'ActorState' ? reason : `${status} ${reason} ${message}`.trim(),
    ]),
  );

describe('kubeadmconfig worlds: the two stories', () => {
  test('control plane: infrastructure, lock, init data, unlock -> Done', async () => {
    const world = createWorld();
    await create(world.user, cluster({ provisioned: false }));
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    const operator = await world.start();
    await world.settle();
    expect(conditions(await read<Config>(world.user, 'KubeadmConfig', 'cp-0'))).toMatchObject({
      ActorState: 'WaitingInfra',
    });
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({}));
    await world.settle();
    console.log(
      JSON.stringify(
        operator.transitions.map((t) => `${t.event} ${t.row} ${t.from}>${t.to} ${t.request}`),
        null,
        1,
      ),
      JSON.stringify(world.seen, null, 0),
      JSON.stringify(operator.logs.map((l) => l.msg + ' ' + (l.err ?? ''))),
    );
    expect(conditions(await read<Config>(world.user, 'KubeadmConfig', 'cp-0'))).toEqual({});
  });

  test('worker: infrastructure, control plane, token, join data -> TokenMonitoring', async () => {
    const world = createWorld();
    await create(world.user, cluster({ provisioned: false }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'w-0');
    const operator = await world.start();
    await world.settle();
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({}));
    await world.settle();
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    await world.settle();
    console.log(
      JSON.stringify(
        operator.transitions.map((t) => `${t.event} ${t.row} ${t.from}>${t.to} ${t.request}`),
        null,
        1,
      ),
      JSON.stringify(world.seen, null, 0),
      JSON.stringify(operator.logs.map((l) => l.msg + ' ' + (l.err ?? ''))),
    );
    const object = await read<Config>(world.user, 'KubeadmConfig', 'w-0');
    expect(conditions(object)).toEqual({});
    expect(decoded((await tokens(world.user))[0] ?? {}, 'token-id')).toBe(
      object.spec.joinConfiguration?.discovery?.bootstrapToken?.token?.slice(0, 6),
    );
  });
});
