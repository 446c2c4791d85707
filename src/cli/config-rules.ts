// What must hold between and beyond single values of the configuration: checked before anything is started.

import { REMOTE_CONDITIONS_GRACE_MIN_MS } from '../limits.js';
import { tlsSettings } from '../webhooks/tls-options.js';
import { checkAddresses } from './addresses.js';
import type { OperatorConfig } from './operator-config.js';
import { UsageError } from './flag-types.js';

/** Throws UsageError with one line that names the flag and what would be right. */
export function checkConfig(config: OperatorConfig): void {
  if (config.tokenTtlMs <= 0) throw new UsageError('--bootstrap-token-ttl: want a duration above 0, such as 15m');
  const positive: readonly (readonly [string, number])[] = [
    ['kube-api-burst', config.kubeApiBurst],
    ['clustercache-client-burst', config.workloadBurst],
    ['inspector-history', config.inspector.history],
  ];
  for (const [name, value] of positive)
    if (value < 1) throw new UsageError(`--${name}: want a number above 0, got ${value}`);
  if (config.bootstrapDataSizeLimit < 0)
    throw new UsageError('--bootstrap-data-size-limit: want 0 (no limit) or a number of bytes');
  if (config.webhook.port < 0 || config.webhook.port > 65_535) throw new UsageError('--webhook-port: want 0 to 65535');
  const phases = ['StorageVersionMigration', 'CleanupManagedFields'];
  const phase = config.skipCrdMigrationPhases.find((word) => !phases.includes(word));
  if (phase !== undefined)
    throw new UsageError(`Invalid phase ${phase} specified in SkipCRDMigrationPhases: want ${phases.join(' or ')}`);
  // More than the time after which a silent workload cluster counts as unreachable, with room, as upstream demands.
  if (config.remoteConditionsGraceMs < REMOTE_CONDITIONS_GRACE_MIN_MS)
    throw new UsageError('--remote-conditions-grace-period must be at least 2m');
  const tls = tlsSettings(config.tls.minVersion, config.tls.cipherSuites);
  if ('problem' in tls) throw new UsageError(`--tls-cipher-suites: ${tls.problem}`);
  if (config.featureGates.InPlaceUpdates && config.controllers.includes('machine')) {
    throw new UsageError(
      '--feature-gates: InPlaceUpdates=true with --controllers=machine: the Machine controller here carries out no updates in place; leave the gate off, here and in the other managers, or leave machine out',
    );
  }
  checkAddresses(config);
  if (config.leaderElect) checkLease(config);
}

function checkLease(config: OperatorConfig): void {
  if (config.leaseDurationMs <= config.renewDeadlineMs) {
    throw new UsageError('--leader-elect-lease-duration: want more than --leader-elect-renew-deadline');
  }
  if (config.renewDeadlineMs <= config.retryPeriodMs * 1.2) {
    throw new UsageError('--leader-elect-renew-deadline: want more than 1.2 times --leader-elect-retry-period');
  }
}
