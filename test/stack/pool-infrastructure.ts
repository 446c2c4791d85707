// The infrastructure of MachinePools, which CAPD does not have in memory: a loop that does what a provider of machine pools would.
//
//   PI1. A pool whose bootstrap data is there gets its machines: provider ids and nodes in the workload cluster.
//   PI2. A pool that is held gets nothing: phases hold it to keep a join open.
import { at, type Api, type Seen } from './api.js';
import { poolReplicas } from './manifests.js';
import { workloadCall } from './workload.js';

/** The loop. */
export interface PoolInfrastructure {
  /** Keeps pools that have no machines yet from getting any. */
  hold(isHeld: boolean): void;
  stop(): Promise<void>;
}

const roundEachMs = 1_000;

/** Starts it. A round that fails is made again. */
export function startPoolInfrastructure(api: Api): PoolInfrastructure {
  let isStopped = false;
  let isHeld = false;
  // Pools that have their machines, by uid.
  const done = new Set<string>();
  const run = async (): Promise<void> => {
    while (!isStopped) {
      if (!isHeld) await round(api, done).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, roundEachMs));
    }
  };
  const running = run();
  return {
    hold(held) {
      isHeld = held;
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

async function round(api: Api, done: Set<string>): Promise<void> {
  for (const pool of await api.list('MachinePool')) {
    const data = at(pool, 'spec', 'template', 'spec', 'bootstrap', 'dataSecretName');
    const infrastructure = String(at(pool, 'spec', 'template', 'spec', 'infrastructureRef', 'name'));
    if (typeof data !== 'string' || pool.metadata.deletionTimestamp !== undefined || done.has(pool.metadata.uid))
      continue;
    const seen = await api.get('DevMachinePool', infrastructure);
    if (seen !== null && (await provision(api, pool, seen))) done.add(pool.metadata.uid);
  }
}

/** Whether the pool has its machines now. */
async function provision(api: Api, pool: Seen, { metadata }: Seen): Promise<boolean> {
  const cluster = String(at(pool, 'spec', 'clusterName'));
  const names = Array.from({ length: poolReplicas }, (_, index) => `${metadata.name}-${index}`);
  for (const name of names) {
    const answer = await workloadCall(api, cluster, {
      method: 'POST',
      path: '/api/v1/nodes',
      body: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name },
        spec: { providerID: `stack://${name}` },
        status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] },
      },
    });
    if (answer === null) return false;
  }
  await api.patch('DevMachinePool', metadata.name, {
    spec: { providerIDList: names.map((name) => `stack://${name}`) },
  });
  const status = { ready: true, replicas: names.length, initialization: { provisioned: true } };
  await api.patch('DevMachinePool', metadata.name, { status }, 'status');
  return true;
}
