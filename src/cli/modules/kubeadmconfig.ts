// The KubeadmConfig controller as a part of the operator.

import { explainActor, type Explanation } from '../../../machines/kit/explanation.js';
import { decide } from '../../../machines/kit/decide.js';
import { leafState } from '../../../machines/kit/step.js';
import { shownFacts, type Facts, type State } from '../../../machines/kubeadmconfig/facts.js';
import { table } from '../../../machines/kubeadmconfig/table.js';
import { resources } from '../../api/names.js';
import { kubeadmconfigLayout } from '../../charts/layouts/kubeadmconfig.js';
import type { AnyTable } from '../../charts/model.js';
import {
  createKubeadmConfigController,
  type KubeadmConfigController,
} from '../../controllers/kubeadmconfig/controller.js';
import type { Ports } from '../../controllers/kubeadmconfig/ports.js';
import type { Host } from '../../host/host.js';
import type { AnyController } from '../../host/turn.js';
import { resourceOf } from '../../kube/resource-paths.js';
import type { OperatorConfig } from '../config.js';
import type { BuiltController, ControllerModule, ModuleDeps } from '../controller-module.js';
import { detailsOf } from '../object-details.js';
import {
  clustersCache,
  configMapsCache,
  configsCache,
  machinePoolsCache,
  machinesCache,
  secretsCache,
} from '../shared-kinds.js';

/** The bootstrap provider. */
export const kubeadmConfigModule: ControllerModule = {
  name: 'kubeadmconfig',
  table: table as unknown as AnyTable,
  layout: kubeadmconfigLayout,
  resources: (config) => [
    ...[resources.KubeadmConfig, resources.Machine, resources.Cluster, resources.Secret, resources.ConfigMap].map(
      resourceOf,
    ),
    ...(config.featureGates.MachinePool ? [resourceOf(resources.MachinePool)] : []),
  ],
  build,
};

function build(deps: ModuleDeps): BuiltController {
  const ports = portsOf(deps);
  const { controller, wire } = createKubeadmConfigController(ports);
  const { configs } = ports.caches;
  return {
    controller: controller as unknown as AnyController,
    concurrency: deps.config.kubeadmConfigConcurrency,
    connect(host) {
      const end = wire((key, cause) => host.wake(key, cause));
      for (const { metadata } of configs.list())
        host.wake(`${metadata.namespace ?? ''}/${metadata.name}`, { kind: 'sync' });
      return end;
    },
    explain: (namespace, name, host) => explain(controller, `${namespace}/${name}`, host, deps.clock.nowMs()),
    details: (namespace, name) => detailsOf(configs.get(namespace, name), resources.KubeadmConfig.plural),
  };
}

function portsOf({ config, client, caches, workload, keyPool, events, clock, random, log }: ModuleDeps): Ports {
  const scope = { namespace: config.namespace };
  return {
    client,
    caches: {
      configs: configsCache(caches, scope),
      machines: machinesCache(caches, scope),
      machinePools: config.featureGates.MachinePool ? machinePoolsCache(caches, scope) : null,
      clusters: clustersCache(caches, scope),
      secrets: secretsCache(caches, scope),
      configMaps: configMapsCache(caches, scope),
    },
    secretNames: caches.secretNames,
    workload,
    clock,
    random,
    keyPool,
    log,
    events: {
      record({ metadata, apiVersion, kind }, event) {
        const { namespace = '', name, uid = '' } = metadata;
        events.record({ object: { apiVersion, kind, namespace, name, uid }, ...event });
      },
    },
    settings: settingsOf(config),
  };
}

function settingsOf(config: OperatorConfig): Ports['settings'] {
  return {
    tokenTtlMs: config.tokenTtlMs,
    watchFilter: config.watchFilter,
    recreateLostTokens: config.recreateLostTokens,
    snapshotStore: config.snapshotStore,
    bootstrapDataSizeLimitBytes: config.bootstrapDataSizeLimit,
    shadow: config.shadow,
  };
}

/** The actor's own answer, from the row that decided last; a fresh look where the host has not seen it yet. */
function explain(controller: KubeadmConfigController, key: string, host: Host, nowMs: number): Explanation | null {
  const view = controller.observe(key);
  if (view === null) return null;
  const resting = host.rest(key);
  const context = resting?.rest.context ?? { row: null, sinceMs: nowMs, wakeAtMs: null };
  const facts: Facts = {
    ...controller.facts(view, nowMs, context),
    ...(resting?.failure ? { failure: resting.failure as Facts['failure'] } : {}),
  };
  const rowId = context.row ?? decide(table, 'OBSERVED', facts).id;
  const { namespace = '', name, uid = '' } = view.config.metadata;
  return explainActor(table, {
    object: { kind: 'KubeadmConfig', namespace, name, uid },
    state: (resting === null ? table.initial : leafState(resting.rest.value)) as State,
    context: resting === null ? null : context,
    facts,
    rowId,
    shownFacts,
  });
}
