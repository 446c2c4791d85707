// The simulated infrastructure: what Cluster API's core controllers, an infrastructure provider and the nodes themselves do, as
// far as a bootstrap provider can tell.
//
// It is a client of the management cluster like any other, so it works against the embedded server and a real one.
//
//   I1. A node joins only as kubeadm would let it (node/kubeadm.ts).
//   I2. Everything it knows of Kubernetes it reads from objects; virtual machines live in memory, like those of any provider.
import { createInstances } from './instances.js';
import { reconcileCluster } from './cluster.js';
import { reconcileDemoMachine } from './demo-machine.js';
import { reconcileMachine } from './machine.js';
import { reconcileMachinePool } from './machine-pool.js';
import { createMirror } from './mirror.js';
import type { KubeObject } from '../../api/rest.js';
import type { Delays, InfrastructureNote, InfrastructureOptions, SimulatedInfrastructure } from './ports.js';
import {
  clusters,
  demoMachines,
  kubeadmConfigs,
  machinePools,
  machines,
  type Bootstrap,
  type Cluster,
  type DemoMachine,
  type KubeadmConfig,
  type Machine,
  type MachinePool,
} from './resources.js';
import { createWorkQueue, type WorkQueue } from './work-queue.js';
import { createSteps, timeText, type World } from './world.js';

/** Delays that a person can watch. */
export const defaultDelays: Delays = {
  clusterMs: [400, 1200],
  machineMs: [300, 1200],
  bootMs: [600, 1800],
  retryMs: [800, 1600],
  sayMs: [20, 150],
  joinTimeoutMs: 300_000,
};

const notesMax = 10_000;

function clusterOf({ metadata, spec }: Machine | MachinePool): string {
  return `${metadata.namespace ?? ''}/${spec.clusterName}`;
}

function keyOf(kind: string, object: KubeObject): string {
  return `${kind}|${object.metadata.namespace ?? ''}|${object.metadata.name}`;
}

/** Makes the infrastructure; nothing happens before `start`. */
export function createSimulatedInfrastructure(options: InfrastructureOptions): SimulatedInfrastructure {
  const { client, clock, random } = options;
  const notes: InfrastructureNote[] = [];
  const note = (next: InfrastructureNote): void => {
    notes.push(next);
    if (notes.length > notesMax) notes.shift();
    options.onNote?.(next);
  };
  /** By the KubeadmConfig that they refer to: `namespace/name`. */
  const owners = new Map<string, string>();
  let stopped = false;
  const add = (key: string): void => {
    if (!stopped) queue.add(key);
  };

  const clusterMirror = createMirror<Cluster>({
    client,
    clock,
    resource: clusters,
    changed: (object) => wakeCluster(object),
  });
  const machineMirror = createMirror<Machine>({
    client,
    clock,
    resource: machines,
    groupOf: clusterOf,
    changed: (object) => {
      wakeMember('Machine', object, object.spec.clusterName, object.spec.bootstrap);
      wakeInfrastructure(object);
    },
  });
  const poolMirror = createMirror<MachinePool>({
    client,
    clock,
    resource: machinePools,
    groupOf: clusterOf,
    changed: (object) =>
      wakeMember('MachinePool', object, object.spec.clusterName, object.spec.template.spec.bootstrap),
  });
  const configMirror = createMirror<KubeadmConfig>({
    client,
    clock,
    resource: kubeadmConfigs,
    changed: (object) => wakeOwner(object),
  });
  const isProvider = options.playsMachineController === false;
  const demoMirror = isProvider
    ? createMirror<DemoMachine>({
        client,
        clock,
        resource: demoMachines,
        changed: (object) => add(keyOf('DemoMachine', object)),
      })
    : null;
  const mirrors = [
    clusterMirror,
    machineMirror,
    poolMirror,
    configMirror,
    ...(demoMirror === null ? [] : [demoMirror]),
  ];

  const world: World = {
    options,
    delays: { ...defaultDelays, ...options.delays },
    clusters: clusterMirror,
    machines: machineMirror,
    pools: poolMirror,
    configs: configMirror,
    demoMachines: demoMirror,
    ...createSteps(options),
    note,
    wakeCluster: ({ namespace, name }) => add(`Cluster|${namespace}|${name}`),
    now: () => timeText(options),
  };
  const instances = createInstances(world);

  const queue: WorkQueue = createWorkQueue({
    clock,
    random,
    look(key) {
      const [kind = '', namespace = '', name = ''] = key.split('|');
      if (kind === 'Cluster') return reconcileCluster(world, namespace, name);
      if (kind === 'Machine')
        return isProvider ? Promise.resolve(null) : reconcileMachine(world, instances, namespace, name);
      if (kind === 'DemoMachine') return reconcileDemoMachine(world, instances, namespace, name);
      return reconcileMachinePool(world, instances, namespace, name);
    },
    failed: (key, error) => note({ kind: 'retry', key, why: error instanceof Error ? error.message : String(error) }),
  });

  function wakeCluster(cluster: Cluster): void {
    add(keyOf('Cluster', cluster));
    const members = `${cluster.metadata.namespace ?? ''}/${cluster.metadata.name}`;
    for (const machine of machineMirror.group(members)) {
      add(keyOf('Machine', machine));
      wakeInfrastructure(machine);
    }
    for (const pool of poolMirror.group(members)) add(keyOf('MachinePool', pool));
  }

  /** What a Machine gets from others, its infrastructure machine waits for. */
  function wakeInfrastructure({ metadata, spec }: Machine): void {
    const { kind = '', name = '' } = spec.infrastructureRef ?? {};
    if (isProvider && kind === demoMachines.kind) add(`DemoMachine|${metadata.namespace ?? ''}|${name}`);
  }

  /** A cluster that is being deleted waits for its members. */
  function wakeMember(
    kind: 'Machine' | 'MachinePool',
    object: KubeObject,
    clusterName: string,
    bootstrap: Bootstrap,
  ): void {
    const key = keyOf(kind, object);
    if (bootstrap.configRef !== undefined)
      noteOwner(`${object.metadata.namespace ?? ''}/${bootstrap.configRef.name}`, key, isThere(kind, object));
    add(key);
    const cluster = clusterMirror.get(object.metadata.namespace ?? '', clusterName);
    if (cluster?.metadata.deletionTimestamp !== undefined) add(keyOf('Cluster', cluster));
  }

  function isThere(kind: 'Machine' | 'MachinePool', { metadata }: KubeObject): boolean {
    const mirror = kind === 'Machine' ? machineMirror : poolMirror;
    return mirror.get(metadata.namespace ?? '', metadata.name) !== undefined;
  }

  function noteOwner(config: string, owner: string, isThere: boolean): void {
    if (isThere) owners.set(config, owner);
    else if (owners.get(config) === owner) owners.delete(config);
  }

  function wakeOwner(config: KubeadmConfig): void {
    const owner = owners.get(`${config.metadata.namespace ?? ''}/${config.metadata.name}`);
    if (owner !== undefined) add(owner);
  }

  return {
    notes,
    async start() {
      await Promise.all(mirrors.map((mirror) => mirror.start()));
    },
    async stop() {
      stopped = true;
      for (const mirror of mirrors) mirror.stop();
      await queue.stop();
    },
    settled: () => queue.idle(),
  };
}
