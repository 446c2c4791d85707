// When and how the webhook server runs: with `--webhook-port` given, or when a certificate is there.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { webhookMetrics } from '../webhooks/observe.js';
import { startWebhookServer } from '../webhooks/server.js';
import { tlsSettings } from '../webhooks/tls-options.js';
import { CommandFailure } from './exit.js';
import type { OperatorOptions } from './operator-options.js';

/** A running webhook server. */
export interface RunningWebhooks {
  readonly port: number;
  /** Null when it answers over TLS, otherwise what is wrong. */
  problem(): Promise<string | null>;
  stop(): Promise<void>;
}

/** Starts the server where it is wanted; says which. Shadow mode opens none. */
export async function startWebhooks({ config, clock, log, metrics }: OperatorOptions): Promise<RunningWebhooks | null> {
  const { webhook } = config;
  const hasCertificate = existsSync(join(webhook.certDir, webhook.certName));
  if (config.shadow || (!webhook.portGiven && !hasCertificate) || !config.controllers.includes('kubeadmconfig')) {
    log.info('Webhook server is off', {
      reason: config.shadow ? 'shadow mode' : `no ${webhook.certName} in ${webhook.certDir} and no --webhook-port`,
    });
    return null;
  }
  const tls = tlsSettings(config.tls.minVersion, config.tls.cipherSuites);
  if ('problem' in tls) throw new CommandFailure(tls.problem, 2);
  const server = await startWebhookServer({
    port: webhook.port,
    certificate: { folder: webhook.certDir, certificateName: webhook.certName, keyName: webhook.keyName },
    tls: tls.settings,
    gates: { KubeadmBootstrapFormatIgnition: config.featureGates.KubeadmBootstrapFormatIgnition },
    timers: clock,
    monotonicMs: () => clock.monotonicMs(),
    logger: log,
    observer: webhookMetrics(metrics),
  }).catch((error: unknown) => {
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  });
  log.info('Webhook server is on', {
    port: server.port,
    reason: webhook.portGiven ? '--webhook-port is given' : `${webhook.certName} is in ${webhook.certDir}`,
  });
  return {
    port: server.port,
    problem: () =>
      server.check().then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    stop: () => server.stop(),
  };
}
