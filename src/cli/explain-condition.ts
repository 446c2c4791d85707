// `explain cluster/NAME` and `explain kubeadmcontrolplane/NAME`: the controllers that own one condition each.
//
// They keep no snapshot: what a fresh look decides is the whole answer. Read live: the object, its Cluster, the control plane
// object with the CRD of its kind, and the Machines of the cluster.

import { explainActor, type Explanation } from '../../machines/kit/explanation.js';
import { decidingRow } from '../../machines/kit/row-by-id.js';
import type { Chart } from '../../machines/kit/step.js';
import type { BaseFacts, Table } from '../../machines/kit/row.js';
import { chart as clusterChart } from '../../machines/cluster-initialized/chart.js';
import { shownFacts as clusterFacts } from '../../machines/cluster-initialized/facts.js';
import { table as clusterTable } from '../../machines/cluster-initialized/table.js';
import { chart as controlPlaneChart } from '../../machines/machines-up-to-date/chart.js';
import { shownFacts as controlPlaneFacts } from '../../machines/machines-up-to-date/facts.js';
import { table as controlPlaneTable } from '../../machines/machines-up-to-date/table.js';
import { label, resources } from '../api/names.js';
import { factsOf as factsOfCluster } from '../controllers/cluster-initialized/facts-of-view.js';
import type { StoredCluster, StoredMachine } from '../controllers/cluster-initialized/objects.js';
import { viewOf as viewOfCluster } from '../controllers/cluster-initialized/view.js';
import { factsOf as factsOfControlPlane } from '../controllers/machines-up-to-date/facts-of-view.js';
import type { StoredControlPlane } from '../controllers/machines-up-to-date/objects.js';
import { viewOf as viewOfControlPlane } from '../controllers/machines-up-to-date/view.js';
import type { KubeObject, Resource } from '../kube/contract.js';
import { resourceOf } from '../kube/resource-paths.js';
import type { ExplainRequest } from './explain-request.js';
import { lookLive, type LiveReads } from './live-reads.js';

/** Why a Cluster's ControlPlaneInitialized is what it is; null when there is no such Cluster. */
export async function explainClusterLive(request: ExplainRequest): Promise<Explanation | null> {
  const { client, config } = request;
  const view = await lookLive(client, (reads) =>
    viewOfCluster(
      {
        clusters: named<StoredCluster>(reads, resourceOf(resources.Cluster)),
        machines: machinesOf(reads),
        controlPlanes: reads.externals,
        watchFilter: config.watchFilter,
      },
      keyOf(request),
    ),
  );
  if (view === null) return null;
  const facts = factsOfCluster(view, config.conditionReasons);
  return explained(
    { chart: clusterChart, table: clusterTable },
    { object: view.cluster, facts, shownFacts: clusterFacts },
  );
}

/** Why a KubeadmControlPlane's MachinesUpToDate is what it is; null when there is no such object. */
export async function explainControlPlaneLive(request: ExplainRequest): Promise<Explanation | null> {
  const { client, config, nowMs } = request;
  const view = await lookLive(client, (reads) =>
    viewOfControlPlane(
      {
        controlPlanes: named<StoredControlPlane>(reads, resourceOf(resources.KubeadmControlPlane)),
        clusters: named<StoredCluster>(reads, resourceOf(resources.Cluster)),
        machines: machinesOf(reads),
        watchFilter: config.watchFilter,
      },
      keyOf(request),
    ),
  );
  if (view === null) return null;
  const facts = factsOfControlPlane(view, nowMs, config.conditionReasons);
  return explained(
    { chart: controlPlaneChart, table: controlPlaneTable },
    { object: view.controlPlane, facts, shownFacts: controlPlaneFacts },
  );
}

function keyOf({ namespace, name }: ExplainRequest): string {
  return `${namespace}/${name}`;
}

function named<T extends KubeObject>(
  reads: LiveReads,
  resource: Resource,
): { get(namespace: string, name: string): T | undefined } {
  return { get: (namespace, name) => reads.get<T>(resource, namespace, name) };
}

/** The Machines of a cluster, by the key of its Cluster. */
function machinesOf(reads: LiveReads) {
  return {
    synced: true,
    byIndex(_index: string, value: string): readonly StoredMachine[] {
      const slash = value.indexOf('/');
      const selector = `${label.clusterName}=${value.slice(slash + 1)}`;
      return reads.list<StoredMachine>(resourceOf(resources.Machine), value.slice(0, slash), selector);
    },
  };
}

function explained(
  machine: { readonly chart: Chart; readonly table: object },
  {
    object,
    facts,
    shownFacts,
  }: { readonly object: KubeObject; readonly facts: BaseFacts; readonly shownFacts: readonly string[] },
): Explanation {
  const table = machine.table as Table<string, BaseFacts, string, string>;
  const row = decidingRow({ chart: machine.chart, table }, facts);
  const { namespace = '', name, uid = '' } = object.metadata;
  return explainActor(table, {
    object: { kind: object.kind, namespace, name, uid },
    state: row.target ?? table.initial,
    context: null,
    facts,
    rowId: row.id,
    shownFacts,
  });
}
