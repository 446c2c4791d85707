// Virtual machines: each gets its bootstrap data once, when it is made, boots after a moment, and runs kubeadm until it joins
// or gives up. What is written to the data Secret later does not reach it.
import type { ClusterName } from './ports.js';
import { orNull, secrets, type Secret } from './resources.js';
import { kubeadmInit, kubeadmJoin, type Attempt } from './node/kubeadm.js';
import { readBootstrapData } from './node/bootstrap-data.js';
import type { World } from './world.js';

interface Instance {
  readonly format: string;
  readonly value: string;
  readonly madeAtMs: number;
  firstAttemptMs: number | null;
  result: 'joined' | 'failed' | null;
}

/** What boots. */
export interface Boot {
  readonly cluster: ClusterName;
  readonly endpoint: string;
  readonly node: string;
  readonly providerID: string;
  readonly version: string;
  readonly secretName: string;
}

/** How far a boot has come. `waiting`: look again after `waitMs`. */
export type Progress =
  { readonly kind: 'waiting'; readonly waitMs: number } | { readonly kind: 'joined' } | { readonly kind: 'failed' };

/** The virtual machines of one infrastructure. */
export interface Instances {
  /** Makes a machine (reading its data) unless it is there; false when its data cannot be read yet. */
  make(boot: Boot): Promise<boolean>;
  has(boot: Pick<Boot, 'cluster' | 'node'>): boolean;
  /** Names of the nodes that a cluster's machines are, or will be. */
  nodes(cluster: ClusterName): readonly string[];
  /** Brings a machine forward. */
  advance(boot: Boot): Promise<Progress>;
  destroy(boot: Pick<Boot, 'cluster' | 'node'>): void;
}

function idOf({ cluster, node }: Pick<Boot, 'cluster' | 'node'>): string {
  return `${cluster.namespace}/${cluster.name}/${node}`;
}

/** An empty data center. */
export function createInstances(world: World): Instances {
  const instances = new Map<string, Instance>();
  const { clock } = world.options;

  const attempt = async (boot: Boot, instance: Instance): Promise<Attempt> => {
    const plan = readBootstrapData(instance.format, instance.value);
    if ('problem' in plan) return { kind: 'failed', why: plan.problem };
    const { workloads } = world.options;
    const node = {
      name: boot.node,
      providerID: boot.providerID,
      version: boot.version,
      endpoint: boot.endpoint,
      nowMs: clock.nowMs(),
    };
    if (plan.action === 'init') return await kubeadmInit(plan, await workloads.start(boot.cluster), node);
    const workload = workloads.find(boot.cluster);
    if (workload === undefined) return { kind: 'refused', why: 'the control plane is not initialised' };
    return await kubeadmJoin(plan, workload, node);
  };

  const conclude = (boot: Boot, instance: Instance, outcome: Attempt): Progress => {
    const cluster = `${boot.cluster.namespace}/${boot.cluster.name}`;
    const { node } = boot;
    if (outcome.kind === 'joined') {
      instance.result = 'joined';
      const { initialized, token } = outcome;
      world.note(
        initialized
          ? { kind: 'control-plane-initialized', cluster, node }
          : { kind: 'node-joined', cluster, node, token },
      );
      return { kind: 'joined' };
    }
    const hasTimedOut = clock.nowMs() - (instance.firstAttemptMs ?? clock.nowMs()) >= world.delays.joinTimeoutMs;
    if (outcome.kind === 'failed' || hasTimedOut) {
      instance.result = 'failed';
      world.note({ kind: 'boot-failed', cluster, node, why: outcome.why });
      return { kind: 'failed' };
    }
    world.note({ kind: 'join-refused', cluster, node, why: outcome.why });
    const [least, most] = world.delays.retryMs;
    return { kind: 'waiting', waitMs: least + world.options.random.next() * (most - least) };
  };

  return {
    has: (boot) => instances.has(idOf(boot)),
    nodes(cluster) {
      const prefix = idOf({ cluster, node: '' });
      return [...instances.keys()].filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
    },
    async make(boot) {
      if (instances.has(idOf(boot))) return true;
      const target = { resource: secrets, namespace: boot.cluster.namespace, name: boot.secretName };
      const secret = await orNull(world.options.client.get<Secret>(target));
      if (secret?.data?.value === undefined) return false;
      const text = (key: string): string => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
      const instance = {
        format: text('format'),
        value: text('value'),
        madeAtMs: clock.nowMs(),
        firstAttemptMs: null,
        result: null,
      };
      instances.set(idOf(boot), instance);
      return true;
    },
    async advance(boot) {
      const instance = instances.get(idOf(boot));
      if (instance === undefined) return { kind: 'waiting', waitMs: world.delays.retryMs[0] };
      if (instance.result !== null) return { kind: instance.result };
      const wait = world.remaining(`boot/${idOf(boot)}`, world.delays.bootMs);
      if (wait > 0) return { kind: 'waiting', waitMs: wait };
      instance.firstAttemptMs ??= clock.nowMs();
      return conclude(boot, instance, await attempt(boot, instance));
    },
    destroy(boot) {
      instances.delete(idOf(boot));
      world.forget(`boot/${idOf(boot)}`);
    },
  };
}
