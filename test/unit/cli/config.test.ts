import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/cli/config.js';
import { parseDemo } from '../../../src/cli/demo-flags.js';
import { flagMarkdown } from '../../../src/cli/flag-help.js';
import { parseDurationMs, UsageError } from '../../../src/cli/flag-types.js';
import { RUN_FLAGS } from '../../../src/cli/run-flags.js';

const message = (args: readonly string[]): string => {
  try {
    parseConfig(args, {});
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('flags', () => {
  test('defaults: no argument -> the upstream manager’s values', () => {
    const config = parseConfig([], {});
    expect(config.tokenTtlMs).toBe(900_000);
    expect([config.kubeApiQps, config.kubeApiBurst, config.workloadQps, config.workloadBurst]).toEqual([
      100, 200, 20, 30,
    ]);
    expect(config.controllers).toEqual(['kubeadmconfig']);
    expect(config.leaderElect).toBe(false);
    expect(config.healthAddress).toBe(':9440');
    expect(config.diagnosticsAddress).toBe(':8443');
    expect(config.featureGates.MachinePool).toBe(true);
    expect(config.featureGates.KubeadmBootstrapFormatIgnition).toBe(false);
    expect(config.logLevel).toBe(2);
  });

  test('pflag forms: upstream’s manifest arguments -> understood', () => {
    const config = parseConfig(
      [
        '--leader-elect',
        '--diagnostics-address=:8443',
        '--insecure-diagnostics=false',
        '--feature-gates=MachinePool=true,KubeadmBootstrapFormatIgnition=true,PriorityQueue=true,ReconcilerRateLimiting=true',
        '--bootstrap-token-ttl=30m',
        '--kube_api_qps',
        '7',
        '-v=5',
      ],
      {},
    );
    expect(config.leaderElect).toBe(true);
    expect(config.tokenTtlMs).toBe(1_800_000);
    expect(config.kubeApiQps).toBe(7);
    expect(config.logLevel).toBe(5);
    expect(config.featureGates.KubeadmBootstrapFormatIgnition).toBe(true);
    expect(config.withoutEffect).toEqual(['feature gate PriorityQueue', 'feature gate ReconcilerRateLimiting']);
  });

  test.each([[['-v=5']], [['-v', '5']], [['-v5']], [['--v=5']], [['--v', '5']]])('pflag forms: %j -> 5', (args) => {
    expect(parseConfig(args, {}).logLevel).toBe(5);
  });

  test('requests per second: fractions, and -1 as in client-go -> taken; 0 and words -> not', () => {
    const rates = (qps: string): readonly number[] => {
      const config = parseConfig([`--kube-api-qps=${qps}`, `--clustercache-client-qps=${qps}`], {});
      return [config.kubeApiQps, config.workloadQps];
    };
    expect([rates('20.5'), rates('1e2'), rates('.5')]).toEqual([
      [20.5, 20.5],
      [100, 100],
      [0.5, 0.5],
    ]);
    for (const rate of rates('-1')) expect(rate).toBeGreaterThan(100_000);
    expect(message(['--kube-api-qps=0'])).toBe('--kube-api-qps: want a number above 0, or -1 for no limit, got 0');
    expect(message(['--kube-api-qps=many'])).toBe('invalid argument "many" for --kube-api-qps: want a number');
  });

  test('demo: short names of flags in every form -> understood; a gate of one’s own leaves the demo’s on', () => {
    for (const args of [
      ['-f', 'x', '-o', 'json'],
      ['-f=x', '-o=json'],
      ['-fx', '-ojson'],
      ['--filename=x', '--output=json'],
    ])
      expect(parseDemo(args)).toMatchObject({ file: 'x', output: 'json' });
    const { featureGates } = parseConfig(parseDemo(['--feature-gates=MachineTaintPropagation=true']).runArgs, {});
    expect(featureGates).toMatchObject({ KubeadmBootstrapFormatIgnition: true, MachineTaintPropagation: true });
  });

  test('precedence: flag, then environment, then default', () => {
    const environment = { KUBEADM_BOOTSTRAP_KUBE_API_QPS: '11', KUBEADM_BOOTSTRAP_KUBE_API_BURST: '12' };
    const config = parseConfig(['--kube-api-qps=10'], environment);
    expect([config.kubeApiQps, config.kubeApiBurst]).toEqual([10, 12]);
  });

  test.each([
    [['--kube-api-qbs=1'], 'unknown flag: --kube-api-qbs (did you mean --kube-api-qps?)'],
    [
      ['--bootstrap-token-ttl=soon'],
      'invalid argument "soon" for --bootstrap-token-ttl: want a duration such as 15m or 30s',
    ],
    [['--bootstrap-token-ttl=0'], '--bootstrap-token-ttl: want a duration above 0, such as 15m'],
    [['--controllers=machines'], /"machines" is not one of .*\(did you mean machine\?\)/],
    [['--feature-gates=MachinePol=true'], /unrecognized feature gate: MachinePol \(did you mean MachinePool\?\)/],
    [['--feature-gates=PriorityQueue=false'], /feature gate PriorityQueue must be enabled as well/],
    [['--leader-elect=maybe'], 'invalid argument "maybe" for --leader-elect: want true or false'],
    [['-n', 'x'], /^unknown flag: -n$/],
    [['-leader-elect'], /^unknown flag: -leader-elect \(did you mean --leader-elect\?\)$/],
    [['--feature-gates=toString=true'], '--feature-gates: unrecognized feature gate: toString'],
    [['--namespace'], 'flag needs an argument: --namespace'],
    [['extra'], 'unexpected argument "extra": this command takes flags only'],
    [['--leader-elect', '--leader-elect-lease-duration=5s'], /want more than --leader-elect-renew-deadline/],
    [['--skip-crd-migration-phases=All'], /Invalid phase All specified in SkipCRDMigrationPhases/],
    [['--health-addr=localhost'], /^--health-addr: want host:port or :port, got "localhost"$/],
    [['--diagnostics-address=:99999'], /^--diagnostics-address: want host:port or :port, got ":99999"$/],
    [['--inspector-bind-address=8090'], /^--inspector-bind-address: want host:port or :port, got "8090"$/],
    [
      ['--inspector-bind-address=0.0.0.0:8090'],
      /^--inspector-bind-address: an address that is not loopback needs --inspector-auth=token or kubernetes$/,
    ],
    [['--snapshot-store=file'], /is not one of status, annotation, configmap, none/],
  ])('bad input: %j -> one line that says what is right', (args, expected) => {
    expect(message(args)).toMatch(expected);
  });

  test('addresses: off, every interface, IPv6, guarded -> accepted', () => {
    const off = ['--health-addr=', '--diagnostics-address=0', '--inspector-bind-address='];
    const open = ['--health-addr=[::]:9440', '--inspector-bind-address=:8090', '--inspector-auth=token'];
    for (const args of [off, open]) expect(message(args)).toBe('accepted');
  });

  test('a flag without effect: set -> accepted and reported once', () => {
    expect(parseConfig(['--sync-period=5m', '--contention-profiling'], {}).withoutEffect).toEqual([
      '--contention-profiling',
      '--sync-period',
    ]);
  });

  test.each([
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['1.5s', 1500],
    ['0', 0],
    ['15', null],
    ['', null],
    ['m', null],
  ])('durations: %s -> %s', (text, expected) => {
    expect(parseDurationMs(text)).toBe(expected);
  });

  test('documentation: the flag table -> every flag once', () => {
    const markdown = flagMarkdown(RUN_FLAGS);
    for (const flag of RUN_FLAGS)
      expect(markdown.split(`\`${flag.name.length === 1 ? '-' : '--'}${flag.name}\` |`)).toHaveLength(2);
  });
});
