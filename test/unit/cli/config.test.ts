import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/cli/config.js';
import { parseDemo } from '../../../src/cli/demo-flags.js';
import { flagHelp, flagMarkdown } from '../../../src/cli/flag-help.js';
import { parseDurationMs, parseInteger, UsageError } from '../../../src/cli/flag-types.js';
import { machineSettings } from '../../../src/cli/modules/machine.js';
import { RUN_FLAGS } from '../../../src/cli/run-flags.js';
import { tlsSettings } from '../../../src/webhooks/tls-options.js';

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

  test('requests per second: fractions, 0 and -1 as in client-go -> taken; words -> not', () => {
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
    expect(rates('0')).toEqual([5, 5]);
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
    [
      ['--feature-gates=InPlaceUpdates=true', '--controllers=kubeadmconfig,machine'],
      /--feature-gates: InPlaceUpdates=true with --controllers=machine: .* carries out no updates in place/,
    ],
    [['--feature-gates=PriorityQueue=false'], /feature gate PriorityQueue must be enabled as well/],
    [['--leader-elect=maybe'], 'invalid argument "maybe" for --leader-elect: want true or false'],
    [['-n', 'x'], /^unknown flag: -n$/],
    [['-leader-elect'], /^unknown flag: -leader-elect \(did you mean --leader-elect\?\)$/],
    [['--feature-gates=toString=true'], '--feature-gates: unrecognized feature gate: toString'],
    [['--namespace'], 'flag needs an argument: --namespace'],
    [['--=x'], 'bad flag syntax: --=x'],
    [['--kube-api-burst=-1'], '--kube-api-burst: want a number above 0, got -1'],
    [['--kube-api-burst=0x'], 'invalid argument "0x" for --kube-api-burst: want a whole number'],
    [['--remote-conditions-grace-period=119s'], '--remote-conditions-grace-period must be at least 2m'],
    [
      ['--additional-sync-machine-labels=ok,(x'],
      'invalid argument "(x" for --additional-sync-machine-labels: want regular expressions in Go’s syntax: missing closing )',
    ],
    [
      ['--additional-sync-machine-annotations=(?=x)'],
      'invalid argument "(?=x)" for --additional-sync-machine-annotations: want regular expressions in Go’s syntax: invalid or unsupported Perl syntax: (?=',
    ],
    [
      ['--additional-sync-machine-labels="x'],
      'invalid argument "\\"x" for --additional-sync-machine-labels: a double quote is not closed',
    ],
    [['--tls-cipher-suites=TLS_NULL'], /^--tls-cipher-suites: cipher suite TLS_NULL is not supported: want of TLS_/],
    [['--profiler-address=6060'], /^--profiler-address: want host:port or :port, got "6060"$/],
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
    expect(parseConfig(['--vmodule=x=1', '--contention-profiling'], {}).withoutEffect).toEqual([
      '--contention-profiling',
      '--vmodule',
    ]);
  });

  test('a flag without effect: set by the environment -> reported, too', () => {
    const environment = { KUBEADM_BOOTSTRAP_CONTENTION_PROFILING: 'true' };
    expect(parseConfig([], environment).withoutEffect).toEqual(['--contention-profiling']);
  });

  test('webhook port: given by flag or by environment -> given; by default -> not', () => {
    expect([
      parseConfig(['--webhook-port=9443'], {}).webhook.portGiven,
      parseConfig([], { KUBEADM_BOOTSTRAP_WEBHOOK_PORT: '9443' }).webhook.portGiven,
      parseConfig([], {}).webhook.portGiven,
    ]).toEqual([true, true, false]);
  });

  test('words that pflag puts aside -> ignored, and reported; a switch stays on', () => {
    const config = parseConfig(['--leader-elect', 'false', '--v=3', '--', '--namespace=x'], {});
    expect(config).toMatchObject({ leaderElect: true, logLevel: 3, namespace: '' });
    expect(config.withoutEffect).toEqual(['argument "false"', 'argument "--namespace=x"']);
    expect(() => parseDemo(['--exit', 'false'])).toThrow('unexpected argument "false": this command takes flags only');
  });

  test.each([
    ['16', 16],
    ['0x10', 16],
    ['0X1F', 31],
    ['017', 15],
    ['0o17', 15],
    ['0b11', 3],
    ['1_000', 1000],
    ['0', 0],
    ['-0x2', -2],
    ['+5', 5],
    ['08', null],
    ['1__0', null],
    ['0x', null],
    ['1.0', null],
    ['', null],
  ])('integers: %s -> %s, as strconv.ParseInt', (text, expected) => {
    expect(parseInteger(text)).toBe(expected);
  });

  test('numbers that mean a default of client-go or controller-runtime -> that default', () => {
    const names = ['kube-api-burst', 'clustercache-client-burst', 'kubeadmconfig-concurrency', 'machine-concurrency'];
    const config = parseConfig(
      names.map((name) => `--${name}=0`),
      {},
    );
    expect(config).toMatchObject({
      kubeApiBurst: 10,
      workloadBurst: 10,
      kubeadmConfigConcurrency: 1,
      machineConcurrency: 1,
    });
    expect(parseConfig(['--kubeadmconfig-concurrency=-5'], {}).kubeadmConfigConcurrency).toBe(1);
  });

  test('flags of the Machine controller: none given -> upstream’s defaults', () => {
    expect(machineSettings(parseConfig([], {}))).toMatchObject({
      remoteConditionsGraceMs: 300_000,
      additionalSyncLabels: [],
      additionalSyncAnnotations: [],
      considerVolumeAttachments: true,
    });
    expect(parseConfig([], {}).machineConcurrency).toBe(100);
  });

  test('flags of the Machine controller: given -> they reach its settings', () => {
    const config = parseConfig(
      [
        '--additional-sync-machine-labels=^a{1}$,"x{1,2}\\.example"',
        '--additional-sync-machine-labels=zone',
        '--additional-sync-machine-annotations=(?i)NOTE',
        '--remote-conditions-grace-period=2m',
        '--machine-concurrency=7',
        '--feature-gates=MachineWaitForVolumeDetachConsiderVolumeAttachments=false',
      ],
      {},
    );
    const settings = machineSettings(config);
    const labels = ['a', 'aa', 'xx.example', 'topology.kubernetes.io/zone', 'other'];
    expect(labels.filter((key) => settings.additionalSyncLabels.some((each) => each.test(key)))).toEqual([
      'a',
      'xx.example',
      'topology.kubernetes.io/zone',
    ]);
    expect(settings.additionalSyncAnnotations.map((each) => each.test('my-note'))).toEqual([true]);
    expect(settings).toMatchObject({ remoteConditionsGraceMs: 120_000, considerVolumeAttachments: false });
    expect(config.machineConcurrency).toBe(7);
  });

  test('cipher suites of Go that this OpenSSL does not have -> accepted, reported, left out', () => {
    const names = ['TLS_RSA_WITH_RC4_128_SHA', 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256'];
    const { tls, withoutEffect } = parseConfig([`--tls-cipher-suites=${names.join(',')}`], {});
    expect(withoutEffect).toEqual(['cipher suite TLS_RSA_WITH_RC4_128_SHA']);
    expect(tlsSettings(tls.minVersion, tls.cipherSuites)).toMatchObject({
      settings: { ciphers: 'ECDHE-RSA-AES128-SHA256' },
    });
    expect(tlsSettings('VersionTLS12', names.slice(0, 1))).toEqual({ settings: { minVersion: 'TLSv1.3' } });
  });

  test('every cipher suite name of Go’s crypto/tls -> accepted', () => {
    const goNames = [
      ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
      ...['RSA', 'ECDHE_RSA', 'ECDHE_ECDSA'].flatMap((exchange) =>
        [
          'RC4_128_SHA',
          'AES_128_CBC_SHA',
          'AES_256_CBC_SHA',
          'AES_128_CBC_SHA256',
          'AES_128_GCM_SHA256',
          'AES_256_GCM_SHA384',
        ].map((cipher) => `TLS_${exchange}_WITH_${cipher}`),
      ),
      ...['RSA', 'ECDHE_RSA'].map((exchange) => `TLS_${exchange}_WITH_3DES_EDE_CBC_SHA`),
      ...['ECDHE_RSA', 'ECDHE_ECDSA'].flatMap((exchange) =>
        ['CHACHA20_POLY1305', 'CHACHA20_POLY1305_SHA256'].map((cipher) => `TLS_${exchange}_WITH_${cipher}`),
      ),
    ];
    expect(message([`--tls-cipher-suites=${goNames.join(',')}`])).toBe('accepted');
  });

  test('sync period: 10m as upstream; 0 and less -> off', () => {
    expect(['10m', '0', '-1s'].map((text) => parseConfig([`--sync-period=${text}`], {}).syncPeriodMs)).toEqual([
      600_000, 0, 0,
    ]);
    expect(parseConfig([], {}).syncPeriodMs).toBe(600_000);
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

  test('documentation: every row of a table -> three cells', () => {
    const rows = flagMarkdown(RUN_FLAGS)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(rows.length).toBeGreaterThan(RUN_FLAGS.length);
    for (const row of rows) expect(row.split(/(?<!\\)\|/)).toHaveLength(5);
  });

  test('documentation and help: a flag with choices -> names each of them', () => {
    for (const page of [flagMarkdown(RUN_FLAGS), flagHelp('run', RUN_FLAGS)]) {
      for (const { name, choices = [] } of RUN_FLAGS) {
        const line =
          page.split('\n').find((each) => each.includes(`--${name}\``) || each.includes(`  --${name} `)) ?? '';
        const list = /(?:One|Any) of ([^.]*)\./.exec(line)?.[1]?.replaceAll('`', '').split(', ') ?? [];
        expect(list).toEqual(choices);
      }
    }
  });
});
