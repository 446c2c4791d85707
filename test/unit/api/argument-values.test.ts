import { expect, test } from '@jest/globals';
import { convert } from '../../../src/api/kubeadmconfig/conversion.js';

test('conversion to v1beta1: an argument without a value -> an empty value', () => {
  const spec = {
    clusterConfiguration: {
      apiServer: { extraArgs: [{ name: 'a' }] },
      etcd: { local: { extraArgs: [{ name: 'e' }] } },
    },
    initConfiguration: { nodeRegistration: { kubeletExtraArgs: [{ name: 'b' }, { name: 'c', value: 'd' }] } },
  };
  const object = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: { name: 'x' },
    spec,
  };
  expect(convert(object, 'bootstrap.cluster.x-k8s.io/v1beta1')).toMatchObject({
    object: {
      spec: {
        clusterConfiguration: { apiServer: { extraArgs: { a: '' } }, etcd: { local: { extraArgs: { e: '' } } } },
        initConfiguration: { nodeRegistration: { kubeletExtraArgs: { b: '', c: 'd' } } },
      },
    },
  });
});
