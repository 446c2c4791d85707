// `explain machine/NAME`: from the management cluster, and the Node from the workload cluster where it answers.
//
// Read live: the Machine, its Cluster, owners, bootstrap, infrastructure and control plane objects with the CRDs of their kinds,
// the control plane Machines, the kubeconfig Secret, and the Nodes of the workload cluster. Nothing is written anywhere.

import type { Explanation } from '../../machines/kit/explanation.js';
import { label, resources } from '../api/names.js';
import { explainMachine } from '../controllers/machine/explain.js';
import { kinds, type StoredMachine, type StoredNode } from '../controllers/machine/objects.js';
import { hasHookTimes, machineDefinitionName } from '../controllers/machine/machine-definition.js';
import { machineIndexes } from '../controllers/machine/machine-indexes.js';
import type { Ports } from '../controllers/machine/ports.js';
import { isOurs, viewOf, wantsNodes, type MachineView } from '../controllers/machine/view.js';
import type { ClusterName } from '../controllers/machine/workload/workload-clusters.js';
import type { WorkloadHealth, WorkloadLook } from '../controllers/machine/workload/workload-look.js';
import type { Cache, KubeObject } from '../kube/contract.js';
import type { FullApiClient } from '../kube/client.js';
import { isApiError } from '../kube/failures.js';
import { resourceOf } from '../kube/resource-paths.js';
import type { ExplainRequest } from './explain-request.js';
import { lookLive, type LiveReads } from './live-reads.js';
import { machineSettings } from './modules/machine.js';

/** How long a workload cluster may take to answer. */
const WORKLOAD_TIME_MAX_MS = 10_000;

/** The answer; null when there is no such Machine, or it is not the operator's. */
export async function explainMachineLive(request: ExplainRequest): Promise<Explanation | null> {
  const settings = machineSettings(request.config);
  const look = (workload: WorkloadLook): Promise<MachineView | null> =>
    lookLive(request.client, (reads) => {
      const machine = reads.get<StoredMachine>(kinds.machine, request.namespace, request.name);
      if (machine === undefined || !isOurs(machine, settings.watchFilter)) return null;
      return viewOf(portsOf(request, reads, workload), machine);
    });
  const first = await look({ kind: 'closed' });
  if (first === null) return null;
  const options = { nowMs: request.nowMs, settings };
  if (!wantsNodes(first)) return explainMachine(first, null, options);
  const cluster = { namespace: request.namespace, name: first.machine.spec.clusterName };
  const { workload, close } = await openWorkload(request, cluster);
  try {
    const view = await look(workload);
    return view === null ? null : explainMachine(view, null, options);
  } finally {
    await close();
  }
}

/** What a view asks of its ports, answered by live reads. Everything else is out of reach. */
function portsOf({ config }: ExplainRequest, reads: LiveReads, workload: WorkloadLook): Ports {
  const byName = (resource: (typeof kinds)[keyof typeof kinds]) => ({
    get: (namespace: string, name: string) => reads.get(resource, namespace, name),
  });
  const ports = {
    caches: {
      clusters: byName(kinds.cluster),
      machineSets: byName(kinds.machineSet),
      machineDeployments: byName(kinds.machineDeployment),
      configMaps: config.snapshotStore === 'configmap' ? byName(kinds.configMap) : null,
      machines: {
        byIndex(index: string, value: string) {
          const slash = value.indexOf('/');
          const selector = `${label.clusterName}=${value.slice(slash + 1)}`;
          const machines = reads.list<StoredMachine>(kinds.machine, value.slice(0, slash), selector);
          return machines.filter((machine) => machineIndexes[index]?.(machine).includes(value) === true);
        },
      },
    },
    externals: reads.externals,
    definition: { keepsHookTimes: () => keepsHookTimes(reads) },
    workloads: { look: () => workload },
    settings: machineSettings(config),
  };
  return ports as unknown as Ports;
}

/** A CRD that cannot be read counts as that of an older release, as in a running operator. */
function keepsHookTimes(reads: LiveReads): boolean | null {
  try {
    const crd = reads.get(kinds.customResourceDefinition, '', machineDefinitionName);
    return crd === undefined ? null : hasHookTimes(crd);
  } catch (error) {
    if (isApiError(error)) return false;
    throw error;
  }
}

/** The Nodes of a cluster as they are now, or why they cannot be read. */
async function openWorkload(
  { client, connectWorkload, nowMs }: ExplainRequest,
  { namespace, name }: ClusterName,
): Promise<{ readonly workload: WorkloadLook; close(): Promise<void> }> {
  const signal = AbortSignal.timeout(WORKLOAD_TIME_MAX_MS);
  let remote: FullApiClient | null = null;
  try {
    const target = { resource: resourceOf(resources.Secret), namespace, name: `${name}-kubeconfig` };
    const secret = await client.get<KubeObject & { readonly data?: { readonly value?: string } }>(target, { signal });
    remote = await connectWorkload(Buffer.from(secret.data?.value ?? '', 'base64').toString('utf8'), signal);
    const { items } = await remote.list<StoredNode>(kinds.node, { signal });
    const health: WorkloadHealth = { lastHeardMs: nowMs, downSinceMs: null, isDown: false };
    const nodes = {
      byIndex: (_index: string, providerId: string) => items.filter(({ spec }) => spec?.providerID === providerId),
    } as unknown as Cache<StoredNode>;
    const opened = remote;
    return { workload: { kind: 'open', client: opened, nodes, health }, close: () => opened.close() };
  } catch (error) {
    await remote?.close();
    const message = error instanceof Error ? error.message : String(error);
    const health: WorkloadHealth = { lastHeardMs: null, downSinceMs: null, isDown: false };
    return { workload: { kind: 'unreachable', message, health }, close: () => Promise.resolve() };
  }
}
