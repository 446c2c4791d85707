import { describe, expect, test } from '@jest/globals';
import type { StoredConfig, StoredMachine } from '../../../src/controllers/kubeadmconfig/objects.js';
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
