// Clients of the management cluster: one for the work, throttled and gated, and one for Leases, which nothing may hold up.

import type { Clock } from '../host/contract.js';
import { API_CALL_TIMEOUT_MS } from '../limits.js';
import type { ServerAccess } from './access.js';
import { createApiClient, type FullApiClient } from './client.js';
import type { ClientObserver, WriteGate } from './exchange.js';
import { createHttpsTransport } from './https-transport.js';
import { createRateLimiter } from './rate-limiter.js';

/** What both have in common. */
export interface ManagementClientOptions {
  readonly access: ServerAccess;
  readonly clock: Clock;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly fieldManager: string;
  readonly observer?: ClientObserver;
}

/** The client for the work. */
export function createManagementClient(
  options: ManagementClientOptions & {
    readonly qps: number;
    readonly burst: number;
    readonly gate?: WriteGate;
    readonly onThrottled?: (waitedMs: number) => void;
  },
): FullApiClient {
  const { qps, burst, gate, onThrottled, ...rest } = options;
  const limiter = createRateLimiter({
    qps,
    burst,
    clock: options.clock,
    ...(onThrottled === undefined ? {} : { onWait: onThrottled }),
  });
  return clientOf(rest, { timeoutMs: API_CALL_TIMEOUT_MS, limiter, ...(gate === undefined ? {} : { gate }) });
}

/** The client for Leases: connections of its own, no throttle, and calls that end in time for another try. */
export function createLeaseClient(
  options: ManagementClientOptions & { readonly renewDeadlineMs: number },
): FullApiClient {
  const { renewDeadlineMs, ...rest } = options;
  return clientOf(rest, { timeoutMs: renewDeadlineMs / 2 });
}

type Rest = Partial<Parameters<typeof createApiClient>[0]> & { readonly timeoutMs: number };

function clientOf(
  { access, clock, environment, userAgent, fieldManager, observer }: ManagementClientOptions,
  more: Rest,
): FullApiClient {
  return createApiClient({
    transport: createHttpsTransport({ access, clock, environment }),
    clock,
    userAgent,
    fieldManager,
    ...(observer === undefined ? {} : { observer }),
    ...more,
  });
}
