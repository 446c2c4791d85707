// Connections to workload clusters: kubeconfigs from Secrets, one client for each cluster, limits from flags.

import { parse } from 'yaml';
import { resources } from '../api/names.js';
import type { WorkloadConnections } from '../kube/contract.js';
import { kubeconfigSecrets } from '../kube/kubeconfig-secrets.js';
import { resourceOf } from '../kube/resource-paths.js';
import { workloadConnect } from '../kube/workload-connect.js';
import { createWorkloadConnections } from '../kube/workload-connections.js';
import type { SharedCaches } from './controller-module.js';
import { FIELD_MANAGER, USER_AGENT, type Management } from './management.js';
import type { OperatorOptions } from './operator.js';
import { secretsCache } from './shared-kinds.js';

/** The connections; none is open yet. */
export function openWorkloads(
  options: OperatorOptions,
  management: Management,
  caches: SharedCaches,
): WorkloadConnections {
  const { config, clock, random, environment, metrics, log } = options;
  const secret = resourceOf(resources.Secret);
  return createWorkloadConnections({
    kubeconfigs: kubeconfigSecrets({
      client: management.main,
      secret,
      cache: secretsCache(caches, config),
      names: caches.secretNames,
    }),
    connect: workloadConnect({
      parseYaml: (text) => parse(text) as unknown,
      clock,
      environment,
      userAgent: USER_AGENT,
      fieldManager: FIELD_MANAGER,
      qps: config.workloadQps,
      burst: config.workloadBurst,
      ownPod: management.ownPod,
      observer: { onAnswer: ({ code, method, host }) => metrics.requests.inc({ code, method, host }) },
    }),
    clock,
    random,
    observer: {
      onPhase(cluster, phase) {
        const labels = { cluster_name: cluster.name, cluster_namespace: cluster.namespace };
        metrics.connectionUp.set(labels, phase.kind === 'connected' ? 1 : 0);
        log.verbose(4, 'Workload connection changed', { Cluster: cluster, phase: phase.kind });
      },
      onAttempt(cluster, success) {
        const labels = { cluster_name: cluster.name, cluster_namespace: cluster.namespace };
        metrics.healthcheck.set(labels, success ? 1 : 0);
        metrics.healthchecks.inc({ ...labels, status: success ? 'success' : 'error' });
      },
      onForgotten(cluster) {
        const labels = { cluster_name: cluster.name, cluster_namespace: cluster.namespace };
        metrics.connectionUp.remove(labels);
        metrics.healthcheck.remove(labels);
      },
    },
  });
}
