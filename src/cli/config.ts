// The operator's configuration: read once (flag, then environment, then default) into one frozen value.

import { checkAddresses } from './addresses.js';
import { parseFeatureGates, type FeatureGates } from './feature-gates.js';
import { flagText, parseBool, parseDurationMs, readFlags, splitList, UsageError, type FlagSpec } from './flag-types.js';
import { CONTROLLER_NAMES, RUN_FLAGS, type ControllerName } from './run-flags.js';

/** Everything that `run` can be told. Durations are milliseconds. */
export interface OperatorConfig {
  readonly leaderElect: boolean;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly namespace: string;
  readonly watchFilter: string;
  readonly kubeadmConfigConcurrency: number;
  readonly skipCrdMigrationPhases: readonly string[];
  readonly kubeApiQps: number;
  readonly kubeApiBurst: number;
  readonly workloadQps: number;
  readonly workloadBurst: number;
  readonly tokenTtlMs: number;
  readonly webhook: {
    readonly port: number;
    readonly portGiven: boolean;
    readonly certDir: string;
    readonly certName: string;
    readonly keyName: string;
  };
  readonly healthAddress: string;
  readonly tls: { readonly minVersion: string; readonly cipherSuites: readonly string[] };
  readonly diagnosticsAddress: string;
  readonly insecureDiagnostics: boolean;
  readonly featureGates: FeatureGates;
  readonly kubeconfig: string;
  readonly logLevel: number;
  readonly loggingFormat: 'text' | 'json';
  readonly controllers: readonly ControllerName[];
  readonly conditionReasons: 'table' | 'upstream';
  readonly recreateLostTokens: boolean;
  readonly snapshotStore: 'status' | 'annotation' | 'configmap' | 'none';
  readonly inspector: {
    readonly bindAddress: string;
    readonly protocols: readonly string[];
    readonly auth: 'none' | 'token' | 'kubernetes';
    readonly tokenFile: string;
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
    readonly history: number;
  };
  readonly bootstrapDataSizeLimit: number;
  readonly shadow: boolean;
  /** Flags and gates that were set although they change nothing here: logged once. */
  readonly withoutEffect: readonly string[];
  /** Every flag with its value, for the log at V(1). */
  readonly flagValues: readonly (readonly [string, string])[];
}

/** More than any server answers. */
const QPS_WITHOUT_LIMIT = 1e9;

/** Reads a command line. Throws UsageError with one line that names the flag and what would be right. */
export function parseConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): OperatorConfig {
  const given = readFlags(RUN_FLAGS, args);
  const texts = new Map(RUN_FLAGS.map((spec) => [spec.name, flagText(spec, given, environment)]));
  const text = (name: string): string => texts.get(name) ?? '';
  const bool = (name: string): boolean => parseBool(text(name)) === true;
  const int = (name: string): number => Number(text(name));
  const qps = (name: string): number => (int(name) < 0 ? QPS_WITHOUT_LIMIT : int(name));
  const durationMs = (name: string): number => parseDurationMs(text(name)) ?? 0;
  const list = (name: string): readonly string[] => splitList(text(name));

  const { gates, withoutEffect } = parseFeatureGates(list('feature-gates'));
  const config: OperatorConfig = {
    leaderElect: bool('leader-elect'),
    leaseDurationMs: durationMs('leader-elect-lease-duration'),
    renewDeadlineMs: durationMs('leader-elect-renew-deadline'),
    retryPeriodMs: durationMs('leader-elect-retry-period'),
    namespace: text('namespace'),
    watchFilter: text('watch-filter'),
    kubeadmConfigConcurrency: int('kubeadmconfig-concurrency'),
    skipCrdMigrationPhases: list('skip-crd-migration-phases'),
    kubeApiQps: qps('kube-api-qps'),
    kubeApiBurst: int('kube-api-burst'),
    workloadQps: qps('clustercache-client-qps'),
    workloadBurst: int('clustercache-client-burst'),
    tokenTtlMs: durationMs('bootstrap-token-ttl'),
    webhook: {
      port: int('webhook-port'),
      portGiven: given.has('webhook-port'),
      certDir: text('webhook-cert-dir'),
      certName: text('webhook-cert-name'),
      keyName: text('webhook-key-name'),
    },
    healthAddress: text('health-addr'),
    tls: { minVersion: text('tls-min-version'), cipherSuites: list('tls-cipher-suites') },
    diagnosticsAddress: text('diagnostics-address'),
    insecureDiagnostics: bool('insecure-diagnostics'),
    featureGates: gates,
    kubeconfig: text('kubeconfig'),
    logLevel: int('v'),
    loggingFormat: text('logging-format') as OperatorConfig['loggingFormat'],
    controllers: controllersOf(list('controllers')),
    conditionReasons: text('condition-reasons') as OperatorConfig['conditionReasons'],
    recreateLostTokens: bool('recreate-lost-tokens'),
    snapshotStore: text('snapshot-store') as OperatorConfig['snapshotStore'],
    inspector: {
      bindAddress: text('inspector-bind-address'),
      protocols: list('inspector-protocols'),
      auth: text('inspector-auth') as OperatorConfig['inspector']['auth'],
      tokenFile: text('inspector-token-file'),
      allowedHosts: list('inspector-allowed-hosts'),
      allowedOrigins: list('inspector-allowed-origins'),
      history: int('inspector-history'),
    },
    bootstrapDataSizeLimit: int('bootstrap-data-size-limit'),
    shadow: bool('shadow'),
    withoutEffect: [...setWithoutEffect(RUN_FLAGS, given), ...withoutEffect.map((gate) => `feature gate ${gate}`)],
    flagValues: [...texts],
  };
  checkConfig(config);
  return Object.freeze(config);
}

function setWithoutEffect(specs: readonly FlagSpec[], given: ReadonlyMap<string, string>): readonly string[] {
  return specs.filter((spec) => spec.effect === 'none' && given.has(spec.name)).map((spec) => `--${spec.name}`);
}

function controllersOf(words: readonly string[]): readonly ControllerName[] {
  if (words.includes('all')) return CONTROLLER_NAMES;
  if (words.length === 0) throw new UsageError(`--controllers: want at least one of ${CONTROLLER_NAMES.join(', ')}`);
  return CONTROLLER_NAMES.filter((name) => words.includes(name));
}

function checkConfig(config: OperatorConfig): void {
  if (config.tokenTtlMs <= 0) throw new UsageError('--bootstrap-token-ttl: want a duration above 0, such as 15m');
  const positive: readonly (readonly [string, number])[] = [
    ['kubeadmconfig-concurrency', config.kubeadmConfigConcurrency],
    ['kube-api-burst', config.kubeApiBurst],
    ['clustercache-client-burst', config.workloadBurst],
    ['inspector-history', config.inspector.history],
  ];
  for (const [name, value] of positive)
    if (value < 1) throw new UsageError(`--${name}: want a number above 0, got ${value}`);
  const rates = [
    ['kube-api-qps', config.kubeApiQps],
    ['clustercache-client-qps', config.workloadQps],
  ] as const;
  for (const [name, value] of rates)
    if (value === 0) throw new UsageError(`--${name}: want a number above 0, or -1 for no limit, got 0`);
  if (config.bootstrapDataSizeLimit < 0)
    throw new UsageError('--bootstrap-data-size-limit: want 0 (no limit) or a number of bytes');
  if (config.webhook.port < 0 || config.webhook.port > 65_535) throw new UsageError('--webhook-port: want 0 to 65535');
  const phases = ['StorageVersionMigration', 'CleanupManagedFields'];
  const phase = config.skipCrdMigrationPhases.find((word) => !phases.includes(word));
  if (phase !== undefined)
    throw new UsageError(`Invalid phase ${phase} specified in SkipCRDMigrationPhases: want ${phases.join(' or ')}`);
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
