// The way to the management cluster: one client for everything that the operator does there.

import { parse } from 'yaml';
import type { Clock } from '../host/contract.js';
import { AccessError, type ServerAccess } from '../kube/access.js';
import { createApiClient, type FullApiClient } from '../kube/client.js';
import type { ApiClient } from '../kube/contract.js';
import type { WriteGate } from '../kube/exchange.js';
import { inClusterCa, inClusterNamespace, inClusterServer, isInCluster } from '../kube/in-cluster.js';
import { createHttpsTransport } from '../kube/https-transport.js';
import { findManagementAccess } from '../kube/management-access.js';
import { clientObserver, shadowReporter, throttleObserver } from '../kube/observers.js';
import { createRateLimiters } from '../kube/rate-limiter.js';
import { shadowClient } from '../kube/shadow-client.js';
import type { OwnPod } from '../kube/workload-connect.js';
import { API_CALL_TIMEOUT_MS } from '../limits.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { OperatorConfig } from './config.js';
import { CommandFailure } from './exit.js';
import { DEFAULT_NAMESPACE } from './lease-groups.js';
import { VERSION } from './version.js';

/** Name under which our writes appear in managedFields. */
export const FIELD_MANAGER = 'kubeadm-bootstrap-operator';

/** What every client of this process says it is. */
export const USER_AGENT = `${FIELD_MANAGER}/${VERSION.version} (${process.platform}/${process.arch}) cluster.x-k8s.io/${VERSION.commit}`;

/** What the way to the management cluster is made of. */
export interface ManagementOptions {
  readonly config: Pick<OperatorConfig, 'kubeconfig' | 'kubeApiQps' | 'kubeApiBurst' | 'renewDeadlineMs' | 'shadow'>;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Clients of the management cluster: they share connections and the request budgets, one for each resource. Leases have their own: no work may hold them up. */
export interface Management {
  /** For reading and for everything that needs no Lease. */
  readonly main: FullApiClient;
  /** A client whose writes ask the gate right before they leave; in shadow mode it writes nothing. */
  clientFor(gate: WriteGate): ApiClient;
  /** For Leases alone: neither gated nor throttled, with short timeouts. */
  readonly leases: ApiClient;
  /** Posts a review (TokenReview, SubjectAccessReview). */
  readonly review: (path: string, body: object, signal: AbortSignal) => Promise<unknown>;
  readonly ownNamespace: string;
  /** Namespace of the kubeconfig's context; empty when it names none, and in a cluster. */
  readonly contextNamespace: string;
  readonly ownPod: OwnPod | null;
  close(): Promise<void>;
}

/** Finds the cluster and opens clients. A kubeconfig that cannot be used is one clear line. */
export async function openManagement(options: ManagementOptions): Promise<Management> {
  const { clock, environment, config, metrics, log } = options;
  const access = await findAccess(options);
  const transport = createHttpsTransport({ access, clock, environment });
  const base = {
    transport,
    clock,
    userAgent: USER_AGENT,
    fieldManager: FIELD_MANAGER,
    timeoutMs: API_CALL_TIMEOUT_MS,
    observer: clientObserver(metrics, log),
  };
  const limiters = createRateLimiters({
    qps: config.kubeApiQps,
    burst: config.kubeApiBurst,
    clock,
    onWait: throttleObserver(metrics)(transport.host),
  });
  const main = createApiClient({ ...base, limiters });
  const leases = createApiClient({
    ...base,
    transport: createHttpsTransport({ access, clock, environment }),
    timeoutMs: Math.max(1000, config.renewDeadlineMs / 2),
  });
  return {
    main,
    clientFor(gate) {
      const client = createApiClient({ ...base, limiters, gate });
      return config.shadow ? shadowClient(client, shadowReporter(log)) : client;
    },
    leases,
    review: (path, body, signal) => main.post(path, body, { signal }),
    ownNamespace:
      environment['POD_NAMESPACE'] ??
      (isInCluster(environment) ? await inClusterNamespace() : null) ??
      DEFAULT_NAMESPACE,
    contextNamespace: access.namespace ?? '',
    ownPod: ownPodOf(environment),
    async close() {
      await Promise.all([main.close(), leases.close()]);
    },
  };
}

async function findAccess({ config, environment, clock }: ManagementOptions): Promise<ServerAccess> {
  try {
    return await findManagementAccess({
      kubeconfig: config.kubeconfig,
      environment,
      clock,
      parseYaml: (text) => parse(text) as unknown,
    });
  } catch (error) {
    if (error instanceof AccessError) throw new CommandFailure(error.message);
    throw error;
  }
}

/** The pod that this process runs in, where the Deployment says which (spec section 8). */
function ownPodOf(environment: ManagementOptions['environment']): OwnPod | null {
  const { POD_NAMESPACE: namespace, POD_NAME: name, POD_UID: uid } = environment;
  if (namespace === undefined || name === undefined || uid === undefined || !isInCluster(environment)) return null;
  return { namespace, name, uid, server: inClusterServer(environment), ca: () => inClusterCa() };
}
