// The Machine controller as a part of the operator.

import { leafState } from '../../../machines/kit/step.js';
import { machineTable } from '../../../machines/machine/table.js';
import { resources } from '../../api/names.js';
import { machineLayout } from '../../charts/layouts/machine.js';
import type { AnyTable } from '../../charts/model.js';
import { createMachineController } from '../../controllers/machine/controller.js';
import { createExternalObjects } from '../../controllers/machine/external/external-objects.js';
import { createMachineDefinition } from '../../controllers/machine/machine-definition.js';
import type { Ports, Settings } from '../../controllers/machine/ports.js';
import { createWorkloadClusters } from '../../controllers/machine/workload/workload-clusters.js';
import type { AnyController } from '../../host/turn.js';
import { resourceOf } from '../../kube/resource-paths.js';
import type { OperatorConfig } from '../config.js';
import type { BuiltController, ControllerModule, ModuleDeps } from '../controller-module.js';
import { detailsOf } from '../object-details.js';
import { clustersCache, configMapsCache, machinesCache, plainCache } from '../shared-kinds.js';

/** Upstream's core Machine controller. */
export const machineModule: ControllerModule = {
  name: 'machine',
  table: machineTable as unknown as AnyTable,
  layout: machineLayout,
  reachesWorkloads: true,
  resources: ({ snapshotStore }) =>
    [
      resources.Machine,
      resources.Cluster,
      resources.Secret,
      resources.MachineSet,
      resources.MachineDeployment,
      resources.MachineDrainRule,
      resources.CustomResourceDefinition,
      ...(snapshotStore === 'configmap' ? [resources.ConfigMap] : []),
    ].map(resourceOf),
  build,
};

/** What the Machine controller's behaviour depends on. */
export function machineSettings(config: OperatorConfig): Settings {
  return {
    watchFilter: config.watchFilter,
    remoteConditionsGraceMs: config.remoteConditionsGraceMs,
    additionalSyncLabels: config.additionalSyncLabels,
    additionalSyncAnnotations: config.additionalSyncAnnotations,
    propagateTaints: config.featureGates.MachineTaintPropagation,
    considerVolumeAttachments: config.featureGates.MachineWaitForVolumeDetachConsiderVolumeAttachments,
    snapshotStore: config.snapshotStore,
  };
}

function build({ config, client, caches, workload, events, clock, random, log }: ModuleDeps): BuiltController {
  const scope = { namespace: config.namespace };
  const ports: Ports = {
    client,
    caches: {
      machines: machinesCache(caches, scope),
      clusters: clustersCache(caches, scope),
      machineSets: plainCache(caches, scope, 'MachineSet'),
      machineDeployments: plainCache(caches, scope, 'MachineDeployment'),
      drainRules: plainCache(caches, scope, 'MachineDrainRule'),
      configMaps: config.snapshotStore === 'configmap' ? configMapsCache(caches, scope) : null,
    },
    externals: createExternalObjects({ informers: caches.informers, clock, log, namespace: config.namespace }),
    definition: createMachineDefinition({ client, clock }),
    workloads: createWorkloadClusters({ connections: workload, clock, random, log }),
    clock,
    log,
    events,
    settings: machineSettings(config),
  };
  const parts = createMachineController(ports);
  const { machines } = ports.caches;
  return {
    controller: parts.controller as unknown as AnyController,
    concurrency: config.machineConcurrency,
    connect(host) {
      const end = parts.wire((key, cause) => host.wake(key, cause));
      for (const { metadata } of machines.list())
        host.wake(`${metadata.namespace ?? ''}/${metadata.name}`, { kind: 'sync' });
      return () => {
        end();
        ports.workloads.stop();
      };
    },
    explain(namespace, name, host) {
      const key = `${namespace}/${name}`;
      const resting = host.rest(key);
      if (resting === null) return parts.explain(key, null);
      return parts.explain(key, {
        state: leafState(resting.rest.value),
        context: resting.rest.context,
        failure: resting.failure,
      });
    },
    details: (namespace, name) => detailsOf(machines.get(namespace, name), resources.Machine.plural, events),
  };
}
