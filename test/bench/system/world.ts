// Builds the world on the API server and plays the two moments that a provider waits for.
import type { ApiClient, KubeObject } from '../../../src/kube/contract.js';

import { resources } from '../../../src/api/names.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { pause } from '../../worlds/operator-process.js';
import { clusterOf, configOf, machineOf, namespace, secretsOf, type CaData, type ClusterNames } from './manifests.js';

/** Requests of the bench under way at once: enough to be a burst, few enough to leave the server to the provider. */
const parallel = 16;

/** Runs work over items, so many at once, in order of the items. */
export async function each<T>(items: readonly T[], work: (item: T) => Promise<void>, atOnce = parallel): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run));
}

/** Creates everything: the KubeadmConfigs last, each after its Machine. */
export async function populate(
  client: ApiClient,
  clusters: readonly ClusterNames[],
  made: { readonly cas: CaData | null; readonly kubeconfig: string },
): Promise<void> {
  await client.create(resourceOf(resources.Namespace), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const machineUids = new Map<string, string>();
  await each(clusters, async (names) => {
    const cluster = await client.create<KubeObject>(resourceOf(resources.Cluster), clusterOf(names));
    const secrets = secretsOf(names, cluster.metadata.uid ?? '', made);
    for (const secret of secrets) await client.create(resourceOf(resources.Secret), secret);
    for (const name of [names.controlPlane, ...names.workers]) {
      const machine = await client.create<KubeObject>(
        resourceOf(resources.Machine),
        machineOf(names.cluster, name, name === names.controlPlane),
      );
      machineUids.set(name, machine.metadata.uid ?? '');
    }
  });
  await each(clusters, async ({ cluster, controlPlane, workers }) => {
    for (const name of [controlPlane, ...workers]) {
      const config = configOf(cluster, name, machineUids.get(name) ?? '', name === controlPlane);
      await client.create(resourceOf(resources.KubeadmConfig), config);
    }
  });
}

/** Infrastructure is provisioned, everywhere at once. */
export async function provision(client: ApiClient, clusters: readonly ClusterNames[]): Promise<void> {
  const status = { initialization: { infrastructureProvisioned: true } };
  await each(clusters, ({ cluster }) => patchStatus(client, cluster, status));
}

/** The control planes are initialised: all at once, or spread evenly over a time. */
export async function initialize(
  client: ApiClient,
  clusters: readonly ClusterNames[],
  spreadMs: number,
): Promise<void> {
  const condition = {
    type: 'ControlPlaneInitialized',
    status: 'True',
    reason: 'Initialized',
    message: '',
    lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const status = {
    initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
    conditions: [condition],
  };
  if (spreadMs === 0) return each(clusters, ({ cluster }) => patchStatus(client, cluster, status));
  const startMs = performance.now();
  const flips = clusters.map(async ({ cluster }, index) => {
    await pause(Math.max(0, startMs + (spreadMs * index) / clusters.length - performance.now()));
    await patchStatus(client, cluster, status);
  });
  await Promise.all(flips);
}

async function patchStatus(client: ApiClient, cluster: string, status: object): Promise<void> {
  const target = { resource: resourceOf(resources.Cluster), namespace, name: cluster };
  await client.mergePatch(target, { status }, { subresource: 'status' });
}

/** How long a status patch takes on this server when nothing else happens: the unit of its figures. */
export async function writeRoundTripMs(client: ApiClient): Promise<number> {
  const name = 'round-trip';
  await client.create(resourceOf(resources.ConfigMap), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
  });
  const target = { resource: resourceOf(resources.ConfigMap), namespace: 'default', name };
  const times: number[] = [];
  for (let index = 0; index < 100; index += 1) {
    const startMs = performance.now();
    await client.mergePatch(target, { data: { index: String(index) } });
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[50] ?? 0;
}
