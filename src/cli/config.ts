// The operator's configuration: read once (flag, then environment, then default) into one frozen value.

import { checkConfig } from './config-rules.js';
import { suitesWithoutEffect } from '../webhooks/tls-options.js';
import { parseFeatureGates } from './feature-gates.js';
import {
  flagText,
  isSet,
  parseBool,
  parseDurationMs,
  parseInteger,
  readFlags,
  splitCsv,
  splitList,
  UsageError,
} from './flag-types.js';
import { compileGoRegExp, type GoRegExp } from './go-regexp.js';
import type { OperatorConfig } from './operator-config.js';
import { CONTROLLER_NAMES, RUN_FLAGS, type ControllerName } from './run-flags.js';

export type { OperatorConfig } from './operator-config.js';

/** More than any server answers. */
const QPS_WITHOUT_LIMIT = 1e9;
/** What client-go takes for 0. */
const CLIENT_GO_QPS = 5;
const CLIENT_GO_BURST = 10;

/** Reads a command line. Throws UsageError with one line that names the flag and what would be right. */
export function parseConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): OperatorConfig {
  const { values, words } = readFlags(RUN_FLAGS, args);
  const texts = new Map(RUN_FLAGS.map((spec) => [spec.name, flagText(spec, values, environment)]));
  const read = typedFlags(texts);
  const isGiven = (name: string): boolean =>
    RUN_FLAGS.some((spec) => spec.name === name && isSet(spec, values, environment));

  const { gates, withoutEffect } = parseFeatureGates(read.list('feature-gates'));
  const tls = { minVersion: read.text('tls-min-version'), cipherSuites: read.list('tls-cipher-suites') };
  const config: OperatorConfig = {
    ...leaseFlags(read),
    ...clientFlags(read),
    ...machineFlags(read),
    namespace: read.text('namespace'),
    watchFilter: read.text('watch-filter'),
    kubeadmConfigConcurrency: read.concurrency('kubeadmconfig-concurrency'),
    skipCrdMigrationPhases: read.list('skip-crd-migration-phases'),
    syncPeriodMs: Math.max(0, read.durationMs('sync-period')),
    tokenTtlMs: read.durationMs('bootstrap-token-ttl'),
    webhook: {
      port: read.int('webhook-port'),
      portGiven: isGiven('webhook-port'),
      certDir: read.text('webhook-cert-dir'),
      certName: read.text('webhook-cert-name'),
      keyName: read.text('webhook-key-name'),
    },
    healthAddress: read.text('health-addr'),
    tls,
    diagnosticsAddress: read.text('diagnostics-address'),
    profilerAddress: read.text('profiler-address'),
    insecureDiagnostics: read.bool('insecure-diagnostics'),
    featureGates: gates,
    kubeconfig: read.text('kubeconfig'),
    logLevel: read.int('v'),
    loggingFormat: read.text('logging-format') as OperatorConfig['loggingFormat'],
    controllers: controllersOf(read.list('controllers')),
    conditionReasons: read.text('condition-reasons') as OperatorConfig['conditionReasons'],
    recreateLostTokens: read.bool('recreate-lost-tokens'),
    snapshotStore: read.text('snapshot-store') as OperatorConfig['snapshotStore'],
    inspector: inspectorFlags(read),
    bootstrapDataSizeLimit: read.int('bootstrap-data-size-limit'),
    shadow: read.bool('shadow'),
    withoutEffect: [
      ...RUN_FLAGS.filter(({ name, effect }) => effect === 'none' && isGiven(name)).map(({ name }) => `--${name}`),
      ...withoutEffect.map((gate) => `feature gate ${gate}`),
      ...suitesWithoutEffect(tls.cipherSuites).map((suite) => `cipher suite ${suite}`),
      ...words.map((word) => `argument ${JSON.stringify(word)}`),
    ],
    flagValues: [...texts],
  };
  checkConfig(config);
  return Object.freeze(config);
}

/** Flags by name, as values; the texts are checked already. */
interface TypedFlags {
  text(name: string): string;
  bool(name: string): boolean;
  int(name: string): number;
  /** Work at the same time, with controller-runtime's least. */
  concurrency(name: string): number;
  /** Requests per second, with client-go's meaning of 0 and below. */
  qps(name: string): number;
  burst(name: string): number;
  durationMs(name: string): number;
  list(name: string): readonly string[];
  regexps(name: string): readonly GoRegExp[];
}

function typedFlags(texts: ReadonlyMap<string, string>): TypedFlags {
  const text = (name: string): string => texts.get(name) ?? '';
  const int = (name: string): number => parseInteger(text(name)) ?? 0;
  return {
    text,
    int,
    bool: (name) => parseBool(text(name)) === true,
    concurrency: (name) => Math.max(1, int(name)),
    qps(name) {
      const qps = Number(text(name));
      return qps === 0 ? CLIENT_GO_QPS : qps < 0 ? QPS_WITHOUT_LIMIT : qps;
    },
    burst: (name) => (int(name) === 0 ? CLIENT_GO_BURST : int(name)),
    durationMs: (name) => parseDurationMs(text(name)) ?? 0,
    list: (name) => splitList(text(name)),
    regexps: (name) => regexpsOf(name, text(name)),
  };
}

function regexpsOf(name: string, text: string): readonly GoRegExp[] {
  const wrong = (value: string, why: string): UsageError =>
    new UsageError(`invalid argument ${JSON.stringify(value)} for --${name}: ${why}`);
  const values = splitCsv(text);
  if (values === null) throw wrong(text, 'a double quote is not closed');
  return values.map((value) => {
    try {
      return compileGoRegExp(value);
    } catch (error) {
      throw wrong(value, `want regular expressions in Go’s syntax: ${error instanceof Error ? error.message : ''}`);
    }
  });
}

function leaseFlags(
  read: TypedFlags,
): Pick<OperatorConfig, 'leaderElect' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'> {
  return {
    leaderElect: read.bool('leader-elect'),
    leaseDurationMs: read.durationMs('leader-elect-lease-duration'),
    renewDeadlineMs: read.durationMs('leader-elect-renew-deadline'),
    retryPeriodMs: read.durationMs('leader-elect-retry-period'),
  };
}

function clientFlags(
  read: TypedFlags,
): Pick<OperatorConfig, 'kubeApiQps' | 'kubeApiBurst' | 'workloadQps' | 'workloadBurst'> {
  return {
    kubeApiQps: read.qps('kube-api-qps'),
    kubeApiBurst: read.burst('kube-api-burst'),
    workloadQps: read.qps('clustercache-client-qps'),
    workloadBurst: read.burst('clustercache-client-burst'),
  };
}

function machineFlags(
  read: TypedFlags,
): Pick<
  OperatorConfig,
  'machineConcurrency' | 'remoteConditionsGraceMs' | 'additionalSyncLabels' | 'additionalSyncAnnotations'
> {
  return {
    machineConcurrency: read.concurrency('machine-concurrency'),
    remoteConditionsGraceMs: read.durationMs('remote-conditions-grace-period'),
    additionalSyncLabels: read.regexps('additional-sync-machine-labels'),
    additionalSyncAnnotations: read.regexps('additional-sync-machine-annotations'),
  };
}

function inspectorFlags(read: TypedFlags): OperatorConfig['inspector'] {
  return {
    bindAddress: read.text('inspector-bind-address'),
    protocols: read.list('inspector-protocols'),
    auth: read.text('inspector-auth') as OperatorConfig['inspector']['auth'],
    tokenFile: read.text('inspector-token-file'),
    allowedHosts: read.list('inspector-allowed-hosts'),
    allowedOrigins: read.list('inspector-allowed-origins'),
    history: read.int('inspector-history'),
  };
}

function controllersOf(words: readonly string[]): readonly ControllerName[] {
  if (words.includes('all')) return CONTROLLER_NAMES;
  if (words.length === 0) throw new UsageError(`--controllers: want at least one of ${CONTROLLER_NAMES.join(', ')}`);
  return CONTROLLER_NAMES.filter((name) => words.includes(name));
}
