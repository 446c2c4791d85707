// The worlds that faults are injected into: a worker of an initialised cluster, a first control plane, and what differs.
import { kinds } from '../../../src/controllers/kubeadmconfig/objects.js';
import { CANARY } from './fault-kit.js';
import { addClusterSecrets, addMachine, cluster, create, patch } from './objects.js';
import type { World } from './world.js';

export type Json = Readonly<Record<string, unknown>>;

/** The condition of most faults. */
export const data = 'DataSecretAvailable';
/** The condition of certificates. */
export const certificates = 'CertificatesAvailable';

/** A worker `x` of an initialised cluster, and what differs. */
export const worker =
  (
    given: {
      readonly spec?: Json;
      readonly machine?: Json;
      readonly cluster?: Json;
      readonly without?: readonly string[];
      readonly kubeconfig?: string | null;
      readonly secrets?: readonly Json[];
      readonly faults?: Parameters<World['setFaults']>[0];
    } = {},
  ) =>
  async (world: World): Promise<void> => {
    await create(
      world.user,
      cluster({ initialized: true, ...(given.cluster === undefined ? {} : { spec: given.cluster }) }),
    );
    await addClusterSecrets(world.user, {
      ...(given.without === undefined ? {} : { without: given.without }),
      ...(given.kubeconfig === undefined ? {} : { kubeconfig: given.kubeconfig }),
    });
    for (const each of given.secrets ?? []) await create(world.user, each);
    await addMachine(world.user, 'x', {
      spec: { joinConfiguration: { nodeRegistration: { name: 'n' } }, ...given.spec },
      ...(given.machine === undefined ? {} : { machineSpec: given.machine }),
    });
    world.setFaults(given.faults);
  };

/** A first control plane `x`, and what differs. */
export const first =
  (
    given: {
      readonly spec?: Json;
      readonly cluster?: Json;
      readonly machine?: Json;
      readonly secrets?: readonly Json[];
      readonly without?: readonly string[];
      readonly objects?: readonly Json[];
      readonly faults?: Parameters<World['setFaults']>[0];
    } = {},
  ) =>
  async (world: World): Promise<void> => {
    await create(world.user, cluster(given.cluster === undefined ? {} : { spec: given.cluster }));
    await addClusterSecrets(world.user, { without: given.without ?? [] });
    for (const each of [...(given.secrets ?? []), ...(given.objects ?? [])]) await create(world.user, each);
    await addMachine(world.user, 'x', {
      controlPlane: true,
      spec: { initConfiguration: { nodeRegistration: { name: 'n' } }, ...given.spec },
      ...(given.machine === undefined ? {} : { machineSpec: given.machine }),
    });
    world.setFaults(given.faults);
  };

/** A file from a key of a Secret. */
export const fromSecret = (name: string, key: string): Json => ({
  files: [
    { path: '/etc/plain', content: 'plain' },
    { path: '/etc/x', contentFrom: { secret: { name, key } } },
  ],
});
/** A password from a key of a Secret. */
export const password = (name: string, key: string): Json => ({
  users: [{ name: 'admin', passwdFrom: { secret: { name, key } } }],
});
/** A ConfigMap in the place of the init lock. */
export const lock = (text: string, labels: Json = { 'cluster.x-k8s.io/cluster-name': 'c1' }): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c1-lock', namespace: 'default', labels },
  data: { 'lock-information': text },
});
/** A kubeconfig with a secret in it. */
export const kubeconfig = (user: Json, server = 'https://127.0.0.1:1'): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { ...user, password: CANARY } }],
  });

/** The operator's calls of that kind are answered so. */
export const refuse = (
  verb: string,
  resource: string,
  code: number,
  message: string,
  namespace?: string,
): Parameters<World['setFaults']>[0] => ({
  request: (info) =>
    info.userAgent.startsWith('operator-under-test') &&
    info.verb === verb &&
    info.resource === resource &&
    (namespace === undefined || info.namespace === namespace)
      ? { kind: 'status', code, message }
      : undefined,
});

/** Text as Secrets hold it. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** A token of the workload cluster. */
export const tokenTarget = (name: string) => ({ resource: kinds.secret, namespace: 'kube-system', name });
/** Somebody changes the Machine: its token is looked at. */
export const touch = async (world: World): Promise<void> => {
  await patch(world.user, 'Machine', 'x', { metadata: { annotations: { a: 'b' } } });
};
