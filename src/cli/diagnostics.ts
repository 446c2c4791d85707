// The operator's endpoints with everything they need: health from the webhook server, metrics behind the cluster's reviews.
//
// Health opens before anything else: until the webhook server has started the process lives and is not ready. Readiness waits for no
// list: lists may need our own conversion webhook, and that is reached when the pod is ready.

import { requestTarget } from '../http/request-target.js';
import { createAccessReviewer, refusalOf, type PostReview } from './diagnostics-auth.js';
import { logLevelPage, profilePages, type DebugPages } from './debug-pages.js';
import { serveHealth, serveMetrics, servePages, type HealthChecks, type MetricsAccess } from './endpoints.js';
import { endpointFaults } from './endpoint-faults.js';
import type { OperatorOptions } from './operator-options.js';
import { selfSignedTls } from './self-signed.js';
import { checkedTls, type RunningWebhooks } from './webhooks.js';

/** Running endpoints. */
export interface Diagnostics {
  close(): Promise<void>;
}

/** /healthz and /readyz, before there is anything to say. */
export interface Health {
  /** What it says from now on; null for no webhook server. */
  follow(webhooks: RunningWebhooks | null): void;
  close(): Promise<void>;
}

/** Starts /healthz and /readyz. */
export async function startHealth(options: OperatorOptions): Promise<Health> {
  let checks: HealthChecks = {
    hasWebhook: () => false,
    live: () => NO_PROBLEM,
    ready: () => Promise.resolve('the start is under way'),
  };
  const current: HealthChecks = {
    hasWebhook: () => checks.hasWebhook(),
    live: () => checks.live(),
    ready: () => checks.ready(),
  };
  const endpoint = await serveHealth(options.config.healthAddress, current, endpointFaults(options));
  return {
    follow(webhooks) {
      checks = webhooks ?? { hasWebhook: () => false, live: () => NO_PROBLEM, ready: () => NO_PROBLEM };
    },
    close: () => endpoint?.close() ?? Promise.resolve(),
  };
}

/** Starts /metrics and /debug, and the profiles of `--profiler-address`. */
export async function startDiagnostics(
  options: OperatorOptions,
  {
    review,
    onScrape,
  }: {
    readonly review: PostReview;
    /** Brings gauges up to date before they are shown. */
    readonly onScrape: () => void;
  },
): Promise<Diagnostics> {
  const { config, metrics } = options;
  const text = async () => {
    onScrape();
    return { type: metrics.contentType, body: await metrics.text() };
  };
  const access = config.insecureDiagnostics ? { kind: 'insecure' as const } : await secureAccess(options, review);
  const onFault = endpointFaults(options);
  const profiles = profilePages(options.clock);
  const pages = { ...profiles, ...levelPage(options) };
  const served = await serveMetrics(config.diagnosticsAddress, access, { metrics: text, pages, onFault });
  const profiler = { address: config.profilerAddress, flag: 'profiler-address', name: 'profiler' };
  const open = await servePages(profiler, profiles, onFault).catch(async (error: unknown) => {
    await served?.close();
    throw error;
  });
  return {
    async close() {
      await Promise.all([served?.close(), open?.close()]);
    },
  };
}

function levelPage({ logLevel, log }: OperatorOptions): DebugPages {
  if (logLevel === undefined) return {};
  return logLevelPage(logLevel, (level) => log.info('Log level changed', { level }));
}

const NO_PROBLEM = Promise.resolve(null);

async function secureAccess({ config, clock, log }: OperatorOptions, post: PostReview): Promise<MetricsAccess> {
  const reviewer = createAccessReviewer({ post, nowMs: () => clock.nowMs() });
  return {
    kind: 'secure',
    tls: { ...checkedTls(config), ...(await selfSignedTls(clock.nowMs(), config.diagnosticsAddress)) },
    async isAllowed(request) {
      const { path } = requestTarget(request.url);
      const verdict = await reviewer.ask(
        { authorization: request.headers.authorization, path, method: request.method ?? 'GET' },
        AbortSignal.timeout(10_000),
      );
      if (verdict.kind === 'failed') log.error('Metrics access could not be reviewed', { err: verdict.cause });
      return (refusalOf(verdict)?.status ?? 200) as 200 | 401 | 403 | 500;
    },
  };
}
