// Bootstrap data from objects to bytes: everything that a turn computes, without its calls and without keys.
import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../../../src/api/core.js';
import type { KubeadmConfig } from '../../../src/api/kubeadmconfig/v1beta2.js';
import { evaluateOffline } from '../../../src/bootstrap/offline.js';
import { clusterOf, configOf, machineOf, makeCas, namesOf, secretsOf } from '../system/manifests.js';
import { durations, quantile, type Figure } from './figure.js';

const runs = 2_000;

/** A worker's join and a first control plane's init. */
export async function renderFigures(): Promise<readonly Figure[]> {
  const [names] = namesOf(1, 1);
  if (names === undefined) throw new Error('no cluster');
  const cas = await makeCas();
  const secrets = secretsOf(names, 'uid-cluster', { cas, kubeconfig: 'none' }) as readonly KubernetesObject[];
  const evaluate = async (name: string, isControlPlane: boolean): Promise<void> => {
    const config = configOf(names.cluster, name, 'uid-machine', isControlPlane) as KubeadmConfig;
    const initialization = { infrastructureProvisioned: true, controlPlaneInitialized: !isControlPlane };
    const conditions = isControlPlane ? [] : [{ type: 'ControlPlaneInitialized', status: 'True' }];
    const cluster = { ...clusterOf(names), status: { initialization, conditions } } as unknown as KubernetesObject;
    const machine = machineOf(names.cluster, name, isControlPlane) as KubernetesObject;
    const withUid = { ...machine, metadata: { ...machine.metadata, uid: 'uid-machine' } };
    const result = await evaluateOffline({
      objects: [cluster, withUid, config as unknown as KubernetesObject, ...secrets],
      config,
      token: () => 'abcdef.0123456789abcdef',
      generate: () => Promise.reject(new Error('nothing is generated here')),
      hasMachinePools: true,
      sizeLimitBytes: 0,
      respectsStoredData: true,
    });
    if (result.kind !== 'data') throw new Error(`the bench's ${name} has no data: ${JSON.stringify(result)}`);
    createHash('sha256').update(result.bytes);
  };
  const join = await durations(() => evaluate('w', false), runs);
  const init = await durations(() => evaluate('cp', true), runs);
  return [
    { name: 'worker join, median', value: quantile(join, 0.5), unit: 'ms' },
    { name: 'worker join, p99', value: quantile(join, 0.99), unit: 'ms' },
    { name: 'init without making keys, median', value: quantile(init, 0.5), unit: 'ms' },
    { name: 'init without making keys, p99', value: quantile(init, 0.99), unit: 'ms' },
  ];
}
