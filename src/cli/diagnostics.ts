// The operator's endpoints with everything they need: health from the webhook server, metrics behind the cluster's reviews.

import { createCaCertificate } from '../bootstrap/certificates/ca-certificate.js';
import { generateKeyPair, privateKeyPem } from '../bootstrap/certificates/keys.js';
import { tlsSettings } from '../webhooks/tls-options.js';
import { createAccessReviewer, refusalOf, type PostReview } from './diagnostics-auth.js';
import { serveHealth, serveMetrics, type MetricsAccess } from './endpoints.js';
import { CommandFailure } from './exit.js';
import type { OperatorOptions } from './operator-options.js';
import type { RunningWebhooks } from './webhooks.js';

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
  const health = await serveHealth(config.healthAddress, () => webhooks?.problem() ?? Promise.resolve(null));
  const access = config.insecureDiagnostics ? { kind: 'insecure' as const } : await secureAccess(options, review);
  const text = async () => {
    onScrape();
    return { type: metrics.contentType, body: await metrics.text() };
  };
  const served = await serveMetrics(config.diagnosticsAddress, access, text).catch(async (error: unknown) => {
    await health?.close();
    throw error;
  });
  return {
    async close() {
      await Promise.all([health?.close(), served?.close()]);
    },
  };
}

async function secureAccess({ config, clock, log }: OperatorOptions, post: PostReview): Promise<MetricsAccess> {
  const tls = tlsSettings(config.tls.minVersion, config.tls.cipherSuites);
  if ('problem' in tls) throw new CommandFailure(tls.problem, 2);
  const reviewer = createAccessReviewer({ post, nowMs: () => clock.nowMs() });
  return {
    kind: 'secure',
    tls: { ...tls.settings, ...(await selfSigned(clock.nowMs())) },
    async isAllowed(request) {
      const path = new URL(request.url ?? '/', 'http://metrics').pathname;
      const verdict = await reviewer.ask(
        { authorization: request.headers.authorization, path, method: request.method ?? 'GET' },
        AbortSignal.timeout(10_000),
      );
      if (verdict.kind === 'failed') log.error('Metrics access could not be reviewed', { err: verdict.cause });
      return (refusalOf(verdict)?.status ?? 200) as 200 | 401 | 403 | 500;
    },
  };
}

/** A certificate for this start alone: scrapers that verify it cannot, as with the Go manager. */
async function selfSigned(nowMs: number): Promise<{ readonly key: string; readonly cert: string }> {
  const key = await generateKeyPair('ECDSA-P256');
  const cert = await createCaCertificate({ key, nowMs, validityDays: 365 });
  return { key: privateKeyPem(key), cert };
}
