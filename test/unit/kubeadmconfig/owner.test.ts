import { describe, expect, test } from '@jest/globals';
import type { StoredConfig, StoredMachine, StoredMachinePool } from '../../../src/controllers/kubeadmconfig/objects.js';
import { ownerOf } from '../../../src/controllers/kubeadmconfig/owner.js';
import type { Reader } from '../../../src/controllers/kubeadmconfig/reader.js';

const configOwnedBy = (uid: string): StoredConfig => ({
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfig',
  metadata: {
    name: 'w-0',
    namespace: 'default',
    ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'w-0', uid, controller: true }],
  },
});

const readerWith = (uid: string, hasData = true): Reader => {
  const machine = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: 'w-0', namespace: 'default', uid },
    spec: { clusterName: 'c1', bootstrap: hasData ? { dataSecretName: 'w-0' } : {} },
    status: hasData ? { nodeRef: { name: 'w-0' } } : {},
  } as StoredMachine;
  return {
    hasMachinePools: false,
    config: () => undefined,
    machine: () => machine,
    machinePool: () => undefined,
    cluster: () => undefined,
    secret: () => undefined,
    configMap: () => undefined,
  };
};

describe('kubeadmconfig owner', () => {
  test('the cache shows the Machine that is named: resolved -> its data and its node count', () => {
    expect(ownerOf(readerWith('life-2'), configOwnedBy('life-2'))).toMatchObject({
      uid: 'life-2',
      dataSecretName: 'w-0',
      hasJoined: true,
    });
  });

  test('a Machine of the same name and another uid without data: resolved by its name, as upstream', () => {
    expect(ownerOf(readerWith('life-1', false), configOwnedBy('life-2'))).toMatchObject({
      kind: 'Machine',
      name: 'w-0',
      clusterName: 'c1',
      dataSecretName: '',
    });
  });

  test('the cache shows a Machine of the same name, another uid and data: resolved -> the owner is missing, its data is not ours', () => {
    expect(ownerOf(readerWith('life-1'), configOwnedBy('life-2'))).toMatchObject({
      kind: 'Machine',
      name: 'w-0',
      object: null,
      dataSecretName: '',
      hasJoined: false,
    });
  });
});

describe('kubeadmconfig owner: a pool', () => {
  const ofPool = (pool: {
    readonly replicas?: number;
    readonly reported?: number;
    readonly nodes?: number;
    readonly data?: string;
  }) => {
    const { replicas, reported, nodes = 0, data = '' } = pool;
    const object = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachinePool',
      metadata: { name: 'w-0', namespace: 'default', uid: 'life-1' },
      spec: {
        clusterName: 'c1',
        ...(replicas === undefined ? {} : { replicas }),
        template: { spec: { bootstrap: { dataSecretName: data } } },
      },
      status: {
        ...(reported === undefined ? {} : { replicas: reported }),
        nodeRefs: Array.from({ length: nodes }, (_, index) => ({ kind: 'Node', name: `n-${index}` })),
      },
    } as unknown as StoredMachinePool;
    const named = configOwnedBy('life-1');
    const owners = (named.metadata.ownerReferences ?? []).map((each) => ({ ...each, kind: 'MachinePool' }));
    const config: StoredConfig = { ...named, metadata: { ...named.metadata, ownerReferences: owners } };
    return ownerOf({ ...readerWith('life-1'), hasMachinePools: true, machinePool: () => object }, config);
  };

  test('its nodes counted: what is wished for, not what is reported so far', () => {
    expect(ofPool({ replicas: 3, reported: 1, nodes: 1 }).hasJoined).toBe(false);
    expect(ofPool({ replicas: 3, reported: 1, nodes: 3 }).hasJoined).toBe(true);
    expect(ofPool({ replicas: 1, reported: 3, nodes: 1 }).hasJoined).toBe(true);
    expect(ofPool({ reported: 0, nodes: 0 }).hasJoined).toBe(false);
    expect(ofPool({ replicas: 0, reported: 2 }).hasJoined).toBe(true);
  });

  test("the data that it names: another KubeadmConfig's -> not this one's; its own -> believed", () => {
    expect(ofPool({ data: 'w-old' }).dataSecretName).toBe('');
    expect(ofPool({ data: 'w-0' }).dataSecretName).toBe('w-0');
  });
});
