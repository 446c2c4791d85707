// When and how the webhook server runs: in a pod always, elsewhere with `--webhook-port` given or when a certificate is there.
//
// In a pod a missing certificate is waited for, and the pod is not ready meanwhile: its Secret may come later than the pod does.
// Elsewhere the same is an error, because nobody would see that it waits.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { isInCluster } from '../kube/in-cluster.js';
import { webhookMetrics } from '../webhooks/observe.js';
import { startWebhookServer, type WebhookServer } from '../webhooks/server.js';
import { tlsSettings, type TlsSettings } from '../webhooks/tls-options.js';
import type { OperatorConfig } from './config.js';
import type { HealthChecks } from './endpoints.js';
import { endpointFaults } from './endpoint-faults.js';
import { CommandFailure } from './exit.js';
import type { OperatorOptions } from './operator-options.js';

/** A running webhook server, or one that waits for its certificate. */
export interface RunningWebhooks extends HealthChecks {
  stop(): Promise<void>;
}

/** Starts the server where it is wanted; says which. Shadow mode opens none. */
export async function startWebhooks(options: OperatorOptions): Promise<RunningWebhooks | null> {
  const { config, clock, log, metrics } = options;
  const { webhook } = config;
  const wanted = reasonToServe(options);
  if ('off' in wanted) {
    log.info('Webhook server is off', { reason: wanted.off });
    return null;
  }
  const server = await startWebhookServer({
    port: webhook.port,
    certificate: { folder: webhook.certDir, certificateName: webhook.certName, keyName: webhook.keyName },
    tls: checkedTls(config),
    gates: { KubeadmBootstrapFormatIgnition: config.featureGates.KubeadmBootstrapFormatIgnition },
    timers: clock,
    monotonicMs: () => clock.monotonicMs(),
    logger: log,
    observer: webhookMetrics(metrics),
    onFault: endpointFaults(options),
    waitForCertificate: isInPod(options),
  }).catch((error: unknown) => {
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  });
  log.info('Webhook server is on', { port: webhook.port, reason: wanted.on });
  return running(server);
}

function running(server: WebhookServer): RunningWebhooks {
  // Probes that come at once share one connection to the server: strangers may ask as often as they like.
  let asked: Promise<string | null> | null = null;
  const answers = (): Promise<string | null> => {
    asked ??= server
      .check()
      .then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        asked = null;
      });
    return asked;
  };
  return {
    hasWebhook: () => true,
    // What waits for a certificate is not mended by a restart, and neither is a process that has so much to do that a handshake
    // takes its time: a restart helps only where the port is gone.
    live: () =>
      Promise.resolve(
        server.waitsFor() === null && !server.isListening() ? 'webhook server does not listen any more' : null,
      ),
    ready: answers,
    stop: () => server.stop(),
  };
}

function reasonToServe(options: OperatorOptions): { readonly on: string } | { readonly off: string } {
  const { config } = options;
  const { portGiven, certDir, certName } = config.webhook;
  if (config.shadow) return { off: 'shadow mode' };
  if (!config.controllers.includes('kubeadmconfig')) return { off: 'no controller of KubeadmConfigs runs' };
  if (portGiven) return { on: '--webhook-port is given' };
  if (existsSync(join(certDir, certName))) return { on: `${certName} is in ${certDir}` };
  if (isInPod(options)) return { on: 'this is a pod: its API server asks the webhooks' };
  return { off: `no ${certName} in ${certDir} and no --webhook-port` };
}

/** With a kubeconfig of its own it may be the operator of another cluster: nobody's webhooks lead here. */
function isInPod({ config, environment }: OperatorOptions): boolean {
  return config.kubeconfig === '' && (environment['KUBECONFIG'] ?? '') === '' && isInCluster(environment);
}

/** The TLS settings of the flags. Throws CommandFailure for what no server can be started with. */
export function checkedTls(config: Pick<OperatorConfig, 'tls'>): TlsSettings {
  const tls = tlsSettings(config.tls.minVersion, config.tls.cipherSuites);
  if ('problem' in tls) throw new CommandFailure(tls.problem, 2);
  try {
    createSecureContext(tls.settings);
  } catch (error) {
    const { code = 'no reason given' } = error as { readonly code?: string };
    throw new CommandFailure(`--tls-cipher-suites, --tls-min-version: TLS refuses these settings (${code})`, 2);
  }
  return tls.settings;
}
