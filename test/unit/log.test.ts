import { describe, expect, test } from '@jest/globals';
import { createLogger, type LoggerOptions } from '../../src/log.js';
import { scrubSecrets } from '../../src/scrub.js';

function lines(format: LoggerOptions['format'], level = 2): { log: ReturnType<typeof createLogger>; lines: string[] } {
  const written: string[] = [];
  const log = createLogger({ format, level, nowMs: () => 1_700_000_000_123, write: (line) => void written.push(line) });
  return { log, lines: written };
}

describe('logger', () => {
  test('text: message with fields -> one klog line', () => {
    const { log, lines: written } = lines('text');
    log
      .with({ logger: 'kube' })
      .info('Connected', { Cluster: { namespace: 'default', name: 'c1' }, tries: 2, ok: true, why: 'a "b"\nc' });
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(
      /^I\d{4} \d\d:\d\d:\d\d\.123000 +\d+ kube:1\] "Connected" Cluster="default\/c1" tries=2 ok=true why="a \\"b\\"\\nc"\n$/,
    );
  });

  test('json: info, warning and error -> Kubernetes fields', () => {
    const { log, lines: written } = lines('json');
    log.info('Started', { controller: 'kubeadmconfig' });
    log.error('Failed', { err: new Error('boom') });
    expect(JSON.parse(written[0] ?? '')).toEqual({
      severity: 'info',
      ts: 1_700_000_000_123,
      v: 0,
      controller: 'kubeadmconfig',
      msg: 'Started',
    });
    expect(JSON.parse(written[1] ?? '')).toEqual({
      severity: 'error',
      ts: 1_700_000_000_123,
      err: 'boom',
      msg: 'Failed',
    });
  });

  test('levels: above the threshold -> nothing is written', () => {
    const { log, lines: written } = lines('text', 2);
    log.verbose(4, 'Detail');
    log.verbose(2, 'Shown');
    expect(written).toHaveLength(1);
    expect([log.enabled(2), log.enabled(3)]).toEqual([true, false]);
  });

  test('severity: warnings and errors -> their klog letters', () => {
    const { log, lines: written } = lines('text');
    log.warning('Careful');
    log.error('Broken');
    expect(written.map((line) => line[0])).toEqual(['W', 'E']);
  });

  test.each(['text', 'json'] as const)('secrets: in any field of a %s line -> removed', (format) => {
    const { log, lines: written } = lines(format);
    log.info('Rendered', {
      token: 'abcdef.0123456789abcdef',
      nested: { list: ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'] },
      err: new Error('Authorization: Bearer abcdefghijk'),
      bytes: new Uint8Array(3),
    });
    expect(written[0]).not.toMatch(/0123456789abcdef|MIIE|abcdefghijk/);
    expect(written[0]).toContain('abcdef.[removed]');
  });

  test('fields: cycles, getters that throw and odd values -> a line or nothing, never an exception', () => {
    const { log, lines: written } = lines('text');
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    log.info('Odd', { cycle, big: 1n, fn: () => 1, none: undefined });
    expect(() =>
      log.info('Throws', {
        get bad(): string {
          throw new Error('no');
        },
      }),
    ).not.toThrow();
    expect(written[0]).toContain('"Odd"');
    expect(written[0]).not.toContain('none=');
  });
});

describe('scrubSecrets', () => {
  test.each([
    ['proxy credentials', 'http://user:pass@proxy:8080', 'http://[removed]@proxy:8080'],
    ['service account token', 'token eyJhbGciOiJSUzI1.eyJpc3MiOiJrdWJl.c2ln', 'token [removed]'],
    ['client key', 'client-key-data: LS0tLS1CRUdJTi', 'client-key-data: [removed]'],
    ['CA hash', `sha256:${'a'.repeat(64)}`, `sha256:${'a'.repeat(64)}`],
    ['ordinary text', 'secret default/c1-kubeconfig not found', 'secret default/c1-kubeconfig not found'],
  ])('text: %s -> as expected', (_title, text, clean) => {
    expect(scrubSecrets(text)).toBe(clean);
  });
});
