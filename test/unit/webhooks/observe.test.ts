import { describe, expect, test } from '@jest/globals';
import { createMetrics } from '../../../src/metrics.js';
import { webhookMetrics } from '../../../src/webhooks/observe.js';

describe('webhook metrics', () => {
  test('a request, a bug of each kind, certificate reads -> counted under their names', async () => {
    const metrics = createMetrics();
    const observer = webhookMetrics(metrics);
    observer.onStart?.('/convert');
    observer.onAnswer?.('/convert', 200, 0.25);
    observer.onPanic?.('/convert');
    observer.onPanic?.('/other');
    observer.onCertificateRead?.(true);
    observer.onCertificateRead?.(false);
    const text = await metrics.text();
    for (const line of [
      'controller_runtime_webhook_requests_in_flight{webhook="/convert"} 0',
      'controller_runtime_webhook_requests_total{webhook="/convert",code="200"} 1',
      'controller_runtime_webhook_latency_seconds_sum{webhook="/convert"} 0.25',
      'controller_runtime_conversion_webhook_panics_total 1',
      'controller_runtime_webhook_panics_total 1',
      'certwatcher_read_certificate_total 1',
      'certwatcher_read_certificate_errors_total 1',
    ]) {
      expect(text).toContain(line);
    }
  });
});
