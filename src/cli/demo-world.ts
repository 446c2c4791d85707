// The world of `demo`: an API server in memory, workload clusters that boot in it, and simulated infrastructure. All on loopback.

import { createEmbeddedApiServer } from '../embedded/api-server.js';
import { createHandleClient } from '../embedded/client.js';
import { createEmbeddedWorkloads, type EmbeddedWorkloads } from '../embedded/clusters.js';
import { bootstrapDefinitions, coreDefinitions } from '../embedded/crds.js';
import { infrastructureDefinitions } from '../embedded/infrastructure/definitions.js';
import { createSimulatedInfrastructure } from '../embedded/infrastructure/infrastructure.js';
import type {
  InfrastructureClient,
  InfrastructureNote,
  SimulatedInfrastructure,
} from '../embedded/infrastructure/ports.js';
import { defaultSampleSize, sampleWorld } from '../embedded/sample-world.js';
import type { EmbeddedApiServer } from '../embedded/types.js';
import type { Clock, Random } from '../host/contract.js';
import { readTextFile } from './documents.js';
import { CommandFailure } from './exit.js';
import type { DemoOptions } from './demo-flags.js';
import { readManifests } from './read-manifests.js';

/** Whose end is shown. */
export interface DoomedMachine {
  readonly namespace: string;
  readonly name: string;
  readonly cluster: string;
}

/** The world without an operator. */
export interface DemoWorld {
  readonly management: EmbeddedApiServer;
  readonly workloads: EmbeddedWorkloads;
  readonly infrastructure: SimulatedInfrastructure;
  /** The management cluster as the people and programs around the operator reach it. */
  readonly client: InfrastructureClient;
  /** The Machine whose deletion is shown; null where nothing is deleted. */
  readonly doomed: DoomedMachine | null;
  /** A kubeconfig for the management cluster. */
  readonly kubeconfig: string;
  /** Creates the sample or the given manifests. */
  populate(): Promise<number>;
  close(): Promise<void>;
}

/** Starts servers and infrastructure; nothing is in the world yet. */
export async function startDemoWorld(
  options: DemoOptions,
  {
    clock,
    random,
    onNote,
  }: { readonly clock: Clock; readonly random: Random; readonly onNote: (note: InfrastructureNote) => void },
): Promise<DemoWorld> {
  const runsMachines = options.controllers.includes('machine');
  const objects =
    options.file === ''
      ? sampleWorld({ clusters: options.clusters, workers: options.workers, demoMachines: runsMachines })
      : ownManifests(options.file);
  const management = createEmbeddedApiServer({
    clock,
    random,
    crds: [...coreDefinitions, ...bootstrapDefinitions, ...(runsMachines ? infrastructureDefinitions : [])],
  });
  await management.listen();
  const workloads = createEmbeddedWorkloads({ clock, random, listen: true });
  const client = createHandleClient((request) => management.handle(request), { userAgent: 'simulated-infrastructure' });
  const infrastructure = createSimulatedInfrastructure({
    client,
    workloads,
    clock,
    random,
    growPoolsAfterMs: 6_000,
    reportsControlPlaneInitialized: !options.controllers.includes('cluster-initialized'),
    playsMachineController: !runsMachines,
    onNote,
  });
  await infrastructure.start();
  return {
    management,
    workloads,
    infrastructure,
    client,
    doomed: runsMachines && options.file === '' ? firstWorker(options) : null,
    kubeconfig: management.kubeconfig(),
    async populate() {
      const namespaces = new Set(objects.map((object) => (object as Manifest).metadata?.namespace ?? 'default'));
      for (const name of namespaces)
        await create(management, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      for (const object of objects) await create(management, object as Manifest);
      return objects.length;
    },
    async close() {
      await infrastructure.stop();
      await workloads.close();
      await management.close();
    },
  };
}

function ownManifests(file: string): ReturnType<typeof readManifests> {
  const objects = readManifests(readTextFile(file));
  if (objects.length > 0) return objects;
  throw new CommandFailure(`${file} holds no Kubernetes object: without -f, demo brings a world of its own`);
}

/** The first worker of the sample's first cluster. */
function firstWorker({ clusters, workers }: DemoOptions): DoomedMachine | null {
  const cluster = clusters === 1 ? 'sample' : 'sample-1';
  return workers === 0 ? null : { namespace: defaultSampleSize.namespace, name: `${cluster}-worker-0`, cluster };
}

interface Manifest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** Finds a manifest's resource by discovery, as kubectl does, and creates it. */
async function create(server: EmbeddedApiServer, manifest: Manifest): Promise<void> {
  const { apiVersion = '', kind = '', metadata = {} } = manifest;
  const what = `${kind || 'an object without kind'} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const discovery = await call(server, 'GET', root);
  const resources =
    (
      discovery.body as {
        readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
      }
    ).resources ?? [];
  const resource = resources.find((each) => each.kind === kind && !each.name.includes('/'));
  if (resource === undefined) throw new CommandFailure(`${what}: ${await unknownKind(server, apiVersion, kind)}`);
  const namespace = metadata.namespace ?? 'default';
  const body = resource.namespaced ? { ...manifest, metadata: { ...metadata, namespace } } : manifest;
  const path = resource.namespaced ? `${root}/namespaces/${namespace}/${resource.name}` : `${root}/${resource.name}`;
  const answer = await call(server, 'POST', path, body);
  if (answer.status === 409 && kind === 'Namespace') return;
  if (answer.status >= 400)
    throw new CommandFailure(
      `${what}: ${(answer.body as { readonly message?: string }).message ?? `status ${answer.status}`}`,
    );
}

/** Says that a kind is not served, and in which version it is. */
async function unknownKind(server: EmbeddedApiServer, apiVersion: string, kind: string): Promise<string> {
  const refused = `the demo's API server knows no ${kind} in ${apiVersion}`;
  const [group = ''] = apiVersion.split('/');
  const { body } = await call(server, 'GET', `/apis/${group}`);
  const { versions = [] } = body as { readonly versions?: readonly { readonly groupVersion: string }[] };
  const others = versions.map(({ groupVersion }) => groupVersion).filter((each) => each !== apiVersion);
  for (const groupVersion of others) {
    const found = await call(server, 'GET', `/apis/${groupVersion}`);
    const { resources = [] } = found.body as { readonly resources?: readonly { readonly kind: string }[] };
    if (!resources.some((each) => each.kind === kind)) continue;
    return `${refused}: write it in ${groupVersion}, or let a management cluster convert it (kubectl get ${kind.toLowerCase()}.${groupVersion.split('/').toReversed().join('.')} NAME -o yaml)`;
  }
  return refused;
}

async function call(
  server: EmbeddedApiServer,
  method: string,
  url: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await server.handle({
    method,
    url,
    headers: { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'demo-setup' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = typeof response.body === 'string' ? response.body : '';
  // What a server says about a path that it does not have is no JSON.
  return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : {} };
}
