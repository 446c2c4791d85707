// The two controllers that own one condition each, as parts of the operator.

import type { BaseFacts, Table } from '../../../machines/kit/row.js';
import { explainActor } from '../../../machines/kit/explanation.js';
import { decidingRow } from '../../../machines/kit/row-by-id.js';
import { leafState } from '../../../machines/kit/step.js';
import { shownFacts as clusterFacts } from '../../../machines/cluster-initialized/facts.js';
import { table as clusterTable } from '../../../machines/cluster-initialized/table.js';
import { shownFacts as controlPlaneFacts } from '../../../machines/machines-up-to-date/facts.js';
import { table as controlPlaneTable } from '../../../machines/machines-up-to-date/table.js';
import { resources } from '../../api/names.js';
import { clusterInitializedLayout } from '../../charts/layouts/cluster-initialized.js';
import { machinesUpToDateLayout } from '../../charts/layouts/machines-up-to-date.js';
import type { AnyTable } from '../../charts/model.js';
import { createClusterInitializedController } from '../../controllers/cluster-initialized/controller.js';
import { createMachinesUpToDateController } from '../../controllers/machines-up-to-date/controller.js';
import type { StoredControlPlane } from '../../controllers/machines-up-to-date/objects.js';
import type { ConditionPorts } from '../../controllers/one-condition/persist-condition.js';
import type { Host } from '../../host/host.js';
import type { AnyController } from '../../host/turn.js';
import type { Cache, KubeObject } from '../../kube/contract.js';
import { resourceOf } from '../../kube/resource-paths.js';
import type { BuiltController, ControllerModule, ModuleDeps } from '../controller-module.js';
import { detailsOf } from '../object-details.js';
import { clustersCache, machinesCache, plainCache } from '../shared-kinds.js';

/** Objects handled at the same time, as upstream's default. */
const CONCURRENCY = 10;

/** The Cluster's ControlPlaneInitialized. */
export const clusterInitializedModule: ControllerModule = {
  name: 'cluster-initialized',
  table: clusterTable as unknown as AnyTable,
  layout: clusterInitializedLayout,
  reachesWorkloads: false,
  resources: () => [resources.Cluster, resources.Machine, resources.CustomResourceDefinition].map(resourceOf),
  build(deps) {
    const { config, caches, clock } = deps;
    const clusters = clustersCache(caches, config);
    const parts = createClusterInitializedController({
      ...conditionPorts(deps),
      clock,
      clusters,
      machines: machinesCache(caches, config),
      informers: caches.informers,
      settings: { watchFilter: config.watchFilter, reasons: config.conditionReasons, namespace: config.namespace },
    });
    return built(deps, {
      ...parts,
      objects: clusters,
      table: clusterTable,
      shownFacts: clusterFacts,
      kind: 'Cluster',
      plural: resources.Cluster.plural,
    });
  },
};

/** The KubeadmControlPlane's MachinesUpToDate. */
export const machinesUpToDateModule: ControllerModule = {
  name: 'machines-up-to-date',
  table: controlPlaneTable as unknown as AnyTable,
  layout: machinesUpToDateLayout,
  reachesWorkloads: false,
  resources: () => [resources.KubeadmControlPlane, resources.Cluster, resources.Machine].map(resourceOf),
  build(deps) {
    const { config, caches } = deps;
    const controlPlanes = plainCache<StoredControlPlane>(caches, config, 'KubeadmControlPlane');
    const parts = createMachinesUpToDateController({
      ...conditionPorts(deps),
      controlPlanes,
      clusters: clustersCache(caches, config),
      machines: machinesCache(caches, config),
      settings: { watchFilter: config.watchFilter, reasons: config.conditionReasons },
    });
    return built(deps, {
      ...parts,
      objects: controlPlanes,
      table: controlPlaneTable,
      shownFacts: controlPlaneFacts,
      kind: 'KubeadmControlPlane',
      plural: resources.KubeadmControlPlane.plural,
    });
  },
};

function conditionPorts({ client, log, events }: ModuleDeps): ConditionPorts {
  return {
    client,
    log,
    events: {
      record({ apiVersion, kind, metadata }, event) {
        const { namespace = '', name, uid = '' } = metadata;
        events.record({ object: { apiVersion, kind, namespace, name, uid }, ...event });
      },
    },
  };
}

interface Parts {
  readonly controller: object;
  wire(wake: Parameters<ReturnType<typeof createClusterInitializedController>['wire']>[0]): () => void;
  readonly objects: Cache<KubeObject>;
  readonly table: object;
  readonly shownFacts: readonly string[];
  readonly kind: string;
  readonly plural: string;
}

function built(deps: ModuleDeps, parts: Parts): BuiltController {
  const { objects, plural } = parts;
  return {
    controller: parts.controller as AnyController,
    concurrency: CONCURRENCY,
    connect(host) {
      const end = parts.wire((key, cause) => host.wake(key, cause));
      for (const { metadata } of objects.list())
        host.wake(`${metadata.namespace ?? ''}/${metadata.name}`, { kind: 'sync' });
      return end;
    },
    explain: (namespace, name, host) => explain(deps, parts, { namespace, name, host }),
    details: (namespace, name) => detailsOf(objects.get(namespace, name), plural, deps.events),
  };
}

/** These controllers keep no snapshot: what a fresh look decides is the whole answer. */
function explain(
  { clock }: ModuleDeps,
  parts: Parts,
  { namespace, name, host }: { readonly namespace: string; readonly name: string; readonly host: Host },
): ReturnType<BuiltController['explain']> {
  const controller = parts.controller as AnyController;
  const table = parts.table as Table<string, BaseFacts, string, string>;
  const key = `${namespace}/${name}`;
  const view = controller.observe(key);
  if (view === null) return null;
  const resting = host.rest(key);
  const context = resting?.rest.context ?? { row: null, sinceMs: 0, wakeAtMs: null };
  const facts = { ...controller.facts(view, clock.nowMs(), context, []), failure: resting?.failure ?? null };
  const row = decidingRow({ chart: controller.chart, table }, facts);
  return explainActor(table, {
    object: { kind: parts.kind, namespace, name, uid: controller.uid(view) },
    state: resting === null ? (row.target ?? table.initial) : leafState(resting.rest.value),
    context: resting === null ? null : context,
    facts,
    rowId: row.id,
    shownFacts: parts.shownFacts,
  });
}
