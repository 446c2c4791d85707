// Connections to workload clusters: kubeconfigs from Secrets, one client for each cluster, limits from flags.

import { resources } from '../api/names.js';
import type { WorkloadConnections } from '../kube/contract.js';
import type { WriteGate } from '../kube/exchange.js';
import { kubeconfigSecrets } from '../kube/kubeconfig-secrets.js';
import { connectionObserver, shadowReporter, throttleObserver, workloadHosts } from '../kube/observers.js';
import { resourceOf } from '../kube/resource-paths.js';
import { shadowClient } from '../kube/shadow-client.js';
import { workloadConnect } from '../kube/workload-connect.js';
import { createWorkloadConnections } from '../kube/workload-connections.js';
import type { SharedCaches } from './controller-module.js';
import { FIELD_MANAGER, USER_AGENT, type Management } from './management.js';
import { readKubeconfigYaml } from './kubeconfig-yaml.js';
import type { OperatorOptions } from './operator-options.js';
import { secretsCache } from './shared-kinds.js';

/** For controllers that reach no workload cluster: nothing is watched for them. */
export const noWorkloads: WorkloadConnections = Object.freeze({
  client: () => Promise.reject(new Error('no controller that runs here reaches workload clusters')),
  state: () => ({ kind: 'none' }) as const,
  subscribe: () => () => undefined,
  close: () => Promise.resolve(),
});

/** The connections; none is open yet. Writes ask the gate right before they leave; in shadow mode nothing is written. */
export function openWorkloads(
  options: OperatorOptions,
  management: Management,
  { caches, gate }: { readonly caches: SharedCaches; readonly gate: WriteGate },
): WorkloadConnections {
  const { config, clock, random, environment, metrics, log } = options;
  const secret = resourceOf(resources.Secret);
  const hosts = workloadHosts(metrics, log, management.main.host);
  const connect = workloadConnect({
    parseYaml: readKubeconfigYaml,
    clock,
    environment,
    userAgent: USER_AGENT,
    fieldManager: FIELD_MANAGER,
    qps: config.workloadQps,
    burst: config.workloadBurst,
    ownPod: management.ownPod,
    gate,
    observer: hosts.observer,
    onOpened: hosts.opened,
    onThrottle: throttleObserver(metrics),
  });
  const report = shadowReporter(log);
  return createWorkloadConnections({
    kubeconfigs: kubeconfigSecrets({
      client: management.main,
      secret,
      cache: secretsCache(caches, config),
      names: caches.secretNames,
    }),
    async connect(text, signal) {
      const client = await connect(text, signal);
      return config.shadow ? { ...shadowClient(client, report), close: () => client.close() } : client;
    },
    clock,
    random,
    observer: connectionObserver(metrics, log),
  });
}
