// The operator's endpoints with everything they need: health from the webhook server, metrics behind the cluster's reviews.

import { requestTarget } from '../http/request-target.js';
import { createAccessReviewer, refusalOf, type PostReview } from './diagnostics-auth.js';
import { serveHealth, serveMetrics, type MetricsAccess } from './endpoints.js';
import { endpointFaults } from './endpoint-faults.js';
import type { OperatorOptions } from './operator-options.js';
import { selfSignedTls } from './self-signed.js';
import { checkedTls, type RunningWebhooks } from './webhooks.js';

/** Running endpoints. */
export interface Diagnostics {
  close(): Promise<void>;
}

/** Starts /healthz, /readyz and /metrics. */
export async function startDiagnostics(
  options: OperatorOptions,
  {
    webhooks,
    review,
    onScrape,
  }: {
    readonly webhooks: RunningWebhooks | null;
    readonly review: PostReview;
    /** Brings gauges up to date before they are shown. */
    readonly onScrape: () => void;
  },
): Promise<Diagnostics> {
  const { config, metrics } = options;
  const onFault = endpointFaults(options);
  const checks = { live: () => webhooks?.live() ?? NO_PROBLEM, ready: () => webhooks?.ready() ?? NO_PROBLEM };
  const health = await serveHealth(config.healthAddress, checks, onFault);
  const text = async () => {
    onScrape();
    return { type: metrics.contentType, body: await metrics.text() };
  };
  try {
    const access = config.insecureDiagnostics ? { kind: 'insecure' as const } : await secureAccess(options, review);
    const served = await serveMetrics(config.diagnosticsAddress, access, { metrics: text, onFault });
    return {
      async close() {
        await Promise.all([health?.close(), served?.close()]);
      },
    };
  } catch (error) {
    await health?.close();
    throw error;
  }
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
