// The KubeadmConfig controller as a part of the operator.

import type { Explanation } from '../../../machines/kit/explanation.js';
import { leafState } from '../../../machines/kit/step.js';
import { table } from '../../../machines/kubeadmconfig/table.js';
import { resources } from '../../api/names.js';
import { kubeadmconfigLayout } from '../../charts/layouts/kubeadmconfig.js';
import type { AnyTable } from '../../charts/model.js';
import { createKubeadmConfigController, type KubeadmConfigParts } from '../../controllers/kubeadmconfig/controller.js';
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
  reachesWorkloads: true,
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
  const parts = createKubeadmConfigController(ports);
  const { controller, wire } = parts;
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
    explain: (namespace, name, host) => explain(parts, `${namespace}/${name}`, host),
    markedTokensWithoutData: parts.markedTokensWithoutData,
    details: (namespace, name) => detailsOf(configs.get(namespace, name), resources.KubeadmConfig.plural, deps.events),
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
    events,
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

/** The actor's own answer, as `explain` would give it. */
function explain(parts: KubeadmConfigParts, key: string, host: Host): Explanation | null {
  const resting = host.rest(key);
  if (resting === null) return parts.explain(key, null);
  const { rest, failure } = resting;
  return parts.explain(key, { state: leafState(rest.value), context: rest.context, failure });
}
