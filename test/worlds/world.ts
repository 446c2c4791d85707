// What is true of a world with KubeadmConfigs: read through the API, as any user could, and judged by the invariants.

import { accessOfKubeconfig } from '../../src/kube/kubeconfig.js';
import { createApiClient, type FullApiClient } from '../../src/kube/client.js';
import { createHttpsTransport } from '../../src/kube/https-transport.js';
import type { KubeObject } from '../../src/kube/contract.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { resources } from '../../src/api/names.js';
import { systemClock } from '../../src/system.js';
import { parse } from 'yaml';

/** A client for tests, as the user of a kubeconfig. */
export function clientOf(kubeconfig: string, userAgent = 'world-test'): FullApiClient {
  const access = accessOfKubeconfig(parse(kubeconfig) as unknown);
  return createApiClient({
    transport: createHttpsTransport({ access, clock: systemClock, environment: {} }),
    clock: systemClock,
    userAgent,
    fieldManager: userAgent,
    timeoutMs: 30_000,
  });
}

/** Creates an object of a kind that the product knows. */
export async function createObject(client: FullApiClient, object: object): Promise<void> {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  const entry = Object.values(resources).find((each) => each.kind === kind && each.apiVersion === apiVersion);
  if (entry === undefined) throw new Error(`no resource for ${kind}`);
  await client.create(resourceOf(entry), object);
}

type Tree = { readonly [field: string]: unknown };
const at = (object: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Tree | undefined)?.[name], object);

/** One KubeadmConfig with what belongs to it. */
export interface SeenConfig {
  readonly name: string;
  readonly cluster: string;
  readonly state: string;
  readonly since: string;
  readonly specToken: string;
  readonly dataSecretCreated: boolean;
  /** Text of the data Secret; null when there is none. */
  readonly data: string | null;
  readonly dataUid: string;
  readonly dataVersion: string;
  readonly joined: boolean;
  readonly isPool: boolean;
}

/** A look at a namespace. */
export interface SeenWorld {
  readonly configs: readonly SeenConfig[];
}

/** Reads a namespace. */
export async function lookAt(client: FullApiClient, namespace: string): Promise<SeenWorld> {
  const list = async (kind: keyof typeof resources): Promise<readonly KubeObject[]> =>
    (await client.list(resourceOf(resources[kind]), { namespace })).items;
  const [configs, machines, pools, secrets] = await Promise.all([
    list('KubeadmConfig'),
    list('Machine'),
    list('MachinePool'),
    list('Secret'),
  ]);
  return {
    configs: configs.map((config) => {
      const { name } = config.metadata;
      const machine = machines.find((each) => at(each, 'spec', 'bootstrap', 'configRef', 'name') === name);
      const pool = pools.find(
        (each) => at(each, 'spec', 'template', 'spec', 'bootstrap', 'configRef', 'name') === name,
      );
      const secret = secrets.find((each) => each.metadata.name === name);
      const value = at(secret, 'data', 'value');
      const conditions = (at(config, 'status', 'conditions') ?? []) as readonly {
        readonly type: string;
        readonly reason: string;
        readonly message: string;
      }[];
      const actor = conditions.find((condition) => condition.type === 'ActorState');
      const nodeRefs = (at(pool, 'status', 'nodeRefs') ?? []) as readonly unknown[];
      return {
        name,
        cluster: String(at(machine, 'spec', 'clusterName') ?? at(pool, 'spec', 'clusterName') ?? ''),
        state: actor?.reason ?? '',
        since: actor === undefined ? '' : String((JSON.parse(actor.message) as { since?: string }).since),
        specToken: String(at(config, 'spec', 'joinConfiguration', 'discovery', 'bootstrapToken', 'token') ?? ''),
        dataSecretCreated: at(config, 'status', 'initialization', 'dataSecretCreated') === true,
        data: typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : null,
        dataUid: secret?.metadata.uid ?? '',
        dataVersion: secret?.metadata.resourceVersion ?? '',
        joined:
          pool === undefined
            ? at(machine, 'status', 'nodeRef', 'name') !== undefined
            : nodeRefs.length >= Number(at(pool, 'spec', 'replicas') ?? 1),
        isPool: pool !== undefined,
      };
    }),
  };
}

/** Ids of the bootstrap tokens in a workload cluster. */
export async function tokenIds(workload: FullApiClient): Promise<ReadonlySet<string>> {
  const { items } = await workload.list(resourceOf(resources.Secret), {
    namespace: 'kube-system',
    fieldSelector: 'type=bootstrap.kubernetes.io/token',
  });
  return new Set(items.map((secret) => secret.metadata.name.replace(/^bootstrap-token-/, '')));
}

/** Whether data begins a cluster rather than joins one. */
export function isInitData(data: string | null): boolean {
  return data !== null && /kind: InitConfiguration/.test(data);
}

/** Every actor rests and every node is there. */
export function hasArrived(world: SeenWorld, count: number): boolean {
  return (
    world.configs.length === count &&
    world.configs.every((config) => config.joined && ['Done', 'TokenMonitoring'].includes(config.state))
  );
}

/** What is wrong with a settled world; empty when nothing is. */
export async function violations(
  world: SeenWorld,
  tokensOf: (cluster: string) => Promise<ReadonlySet<string>>,
): Promise<readonly string[]> {
  const found: string[] = [];
  const clusters = new Set(world.configs.map((config) => config.cluster));
  for (const cluster of clusters) {
    const mine = world.configs.filter((config) => config.cluster === cluster);
    const inits = mine.filter((config) => isInitData(config.data));
    if (inits.length !== 1)
      found.push(
        `${cluster}: ${inits.length} machines have init data (${inits.map((config) => config.name).join(', ')})`,
      );
    const tokens = await tokensOf(cluster);
    for (const config of mine) {
      if (!config.joined) found.push(`${config.name}: its node has not joined`);
      if (!config.dataSecretCreated || config.data === null) found.push(`${config.name}: no data`);
      if (isInitData(config.data)) continue;
      if (config.specToken === '') found.push(`${config.name}: no token in spec`);
      else if (!(config.data ?? '').includes(config.specToken))
        found.push(`${config.name}: the token of the data is not that of the spec`);
      if (config.isPool && !tokens.has(config.specToken.split('.')[0] ?? ''))
        found.push(`${config.name}: its token does not exist in the workload cluster`);
    }
  }
  return found;
}
