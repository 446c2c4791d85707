// The way to the management cluster: one client for everything that the operator does there.

import { parse } from 'yaml';
import type { Clock } from '../host/contract.js';
import { AccessError, type ServerAccess } from '../kube/access.js';
import { createApiClient, type FullApiClient } from '../kube/client.js';
import type { WriteGate } from '../kube/exchange.js';
import { createHttpsTransport } from '../kube/https-transport.js';
import { findManagementAccess } from '../kube/management-access.js';
import { createRateLimiter } from '../kube/rate-limiter.js';
import { API_CALL_TIMEOUT_MS } from '../limits.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { OperatorConfig } from './config.js';
import { CommandFailure } from './exit.js';
import { VERSION } from './version.js';

/** Name under which our writes appear in managedFields. */
export const FIELD_MANAGER = 'kubeadm-bootstrap-operator';

/** What every client of this process says it is. */
export const USER_AGENT = `${FIELD_MANAGER}/${VERSION.version} (${process.platform}/${process.arch}) cluster.x-k8s.io/${VERSION.commit}`;

/** What a management client is made of. */
export interface ManagementOptions {
  readonly config: Pick<OperatorConfig, 'kubeconfig' | 'kubeApiQps' | 'kubeApiBurst'>;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly gate?: WriteGate;
}

/** Finds the cluster and opens a client. A kubeconfig that cannot be used is one clear line. */
export async function openManagementClient(
  options: ManagementOptions,
): Promise<{ readonly client: FullApiClient; readonly access: ServerAccess }> {
  const { clock, environment, config, metrics, log } = options;
  try {
    const access = await findManagementAccess({
      kubeconfig: config.kubeconfig,
      environment,
      clock,
      parseYaml: (text) => parse(text) as unknown,
    });
    const transport = createHttpsTransport({ access, clock, environment });
    const client = createApiClient({
      transport,
      clock,
      userAgent: USER_AGENT,
      fieldManager: FIELD_MANAGER,
      timeoutMs: API_CALL_TIMEOUT_MS,
      limiter: createRateLimiter({ qps: config.kubeApiQps, burst: config.kubeApiBurst, clock }),
      ...(options.gate === undefined ? {} : { gate: options.gate }),
      observer: {
        onAnswer: ({ code, method, host }) => metrics?.requests.inc({ code, method, host }),
        onWarning: (text) => {
          if (!/finalizer name|is deprecated/.test(text)) log?.info('Warning of the API server', { text });
        },
      },
    });
    return { client, access };
  } catch (error) {
    if (error instanceof AccessError) throw new CommandFailure(error.message);
    throw error;
  }
}
