// Counts what the webhook server does, under controller-runtime's names.

import type { Metrics } from '../metrics.js';
import { CONVERSION_PATH } from './endpoints.js';
import type { WebhookObserver } from './server.js';

/** An observer that feeds the metrics of the process. The label `webhook` is the path. */
export function webhookMetrics(metrics: Metrics): WebhookObserver {
  return {
    onStart: (webhook) => metrics.webhookInFlight.inc({ webhook }),
    onAnswer(webhook, code, seconds) {
      metrics.webhookInFlight.dec({ webhook });
      metrics.webhookRequests.inc({ webhook, code: String(code) });
      metrics.webhookSeconds.observe({ webhook }, seconds);
    },
    onPanic: (webhook) => (webhook === CONVERSION_PATH ? metrics.conversionPanics : metrics.webhookPanics).inc(),
    onCertificateRead: (isUsable) => (isUsable ? metrics.certificateReads : metrics.certificateReadErrors).inc(),
  };
}
