import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { inClusterAccess, inClusterNamespace } from '../../../src/kube/in-cluster.js';
import { accessOfKubeconfig } from '../../../src/kube/kubeconfig.js';
import { findManagementAccess } from '../../../src/kube/management-access.js';
import { createTestClock } from './test-clock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kbo-access-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const base64 = Buffer.from(pem).toString('base64');
const kubeconfig = (cluster: object, user: object): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'x',
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://example:6443', ...cluster } }],
  users: [{ name: 'u', user }],
});

describe('kubeconfig of a workload cluster', () => {
  test('embedded credentials -> server, TLS settings and identity', async () => {
    const access = accessOfKubeconfig(
      kubeconfig(
        {
          'certificate-authority-data': base64,
          'tls-server-name': 'api',
          'proxy-url': 'http://proxy:3128',
          server: 'https://example:6443/',
        },
        { 'client-certificate-data': base64, 'client-key-data': base64 },
      ),
    );
    expect(access).toMatchObject({
      server: 'https://example:6443',
      tlsServerName: 'api',
      proxyUrl: 'http://proxy:3128',
      insecureSkipTlsVerify: false,
    });
    expect(await access.identity()).toEqual({
      headers: {},
      impersonation: [],
      ca: pem,
      clientCertificate: pem,
      clientKey: pem,
    });
  });

  test('token, or user name and password -> the authorization header', async () => {
    const token = await accessOfKubeconfig(kubeconfig({}, { token: 'abc' })).identity();
    const basic = await accessOfKubeconfig(kubeconfig({}, { username: 'u', password: 'p' })).identity();
    expect([token.headers, basic.headers]).toEqual([{ authorization: 'Bearer abc' }, { authorization: 'Basic dTpw' }]);
  });

  test.each([
    ['exec', { exec: { command: 'id' } }, {}, 'ExecProvider is not supported in ClusterCache'],
    ['auth-provider', { 'auth-provider': { name: 'gcp' } }, {}, 'AuthProvider is not supported in ClusterCache'],
    ['a token file', { tokenFile: '/etc/passwd' }, {}, /tokenFile names a file/],
    ['a certificate file', { 'client-certificate': '/etc/passwd' }, {}, /client-certificate names a file/],
    ['a CA file', {}, { 'certificate-authority': '/etc/passwd' }, /certificate-authority names a file/],
    ['a server that is no URL', {}, { server: 'file:///etc/passwd' }, /is neither an https URL nor host:port/],
    ['no server', {}, { server: '' }, /the cluster has no server/],
    [
      'a CA that is no base64 of PEM',
      {},
      { 'certificate-authority-data': 'AAAA' },
      /certificate-authority-data is not base64 of PEM/,
    ],
  ])('%s -> refused with the reason', (_, user, cluster, message) => {
    expect(() => accessOfKubeconfig(kubeconfig(cluster, user))).toThrow(message);
  });

  test.each([
    ['example:6443', {}, 'http://example:6443'],
    ['example', {}, 'http://example'],
    ['10.0.0.1:6443/', {}, 'http://10.0.0.1:6443'],
    ['[fd00::1]:6443', {}, 'http://[fd00::1]:6443'],
    ['example:6443', { 'certificate-authority-data': base64 }, 'https://example:6443'],
    ['example:6443', { 'insecure-skip-tls-verify': true }, 'https://example:6443'],
    ['HTTPS://Example:6443/path/', {}, 'HTTPS://Example:6443/path'],
  ])('server %s with %j -> as client-go takes it: %s', (server, cluster, expected) => {
    expect(accessOfKubeconfig(kubeconfig({ ...cluster, server }, {})).server).toBe(expected);
  });

  test('server without a scheme and a client certificate -> https', () => {
    const access = accessOfKubeconfig(kubeconfig({ server: 'example:6443' }, { 'client-certificate-data': base64 }));
    expect(access.server).toBe('https://example:6443');
  });

  test.each([
    'example:6443/path',
    'https:example:6443',
    'https:///example',
    'example:port',
    '//',
    'ftp://example',
    ' ',
  ])('server %j, which client-go cannot use -> refused', (server) => {
    expect(() => accessOfKubeconfig(kubeconfig({ server }, {}))).toThrow(/server ".*" is neither an https URL nor/);
  });

  test('server that cannot be used and has a login -> the login is not quoted', () => {
    const refused = (): unknown => accessOfKubeconfig(kubeconfig({ server: 'https://user:hidden@[bad' }, {}));
    expect(refused).toThrow(/is neither an https URL nor/);
    expect(refused).not.toThrow(/hidden/);
  });

  test.each([
    ['nothing', null],
    ['a text', 'hello'],
    ['a list', []],
    ['no context', {}],
    ['a context without cluster', { 'current-context': 'x', contexts: [{ name: 'x', context: {} }] }],
  ])('%s -> one line', (_, document) => {
    expect(() => accessOfKubeconfig(document)).toThrow(/^error parsing kubeconfig: [^\n]+$/);
  });
});

describe('account of the pod', () => {
  test('token and CA -> read again after a minute and after a 401', async () => {
    const clock = createTestClock();
    file('token', 'one\n');
    file('ca.crt', pem);
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const access = inClusterAccess({ environment, clock, folder });
    const token = async (): Promise<string | undefined> => (await access.identity()).headers['authorization'];
    expect(access.server).toBe('https://[fd00::1]:443');
    expect(await token()).toBe('Bearer one');
    file('token', 'two');
    await clock.advance(59_000);
    expect(await token()).toBe('Bearer one');
    await clock.advance(1_000);
    expect(await token()).toBe('Bearer two');
    file('token', 'three');
    access.forget();
    expect(await token()).toBe('Bearer three');
  });

  test('missing file -> one line with the remedy, and another try the next time', async () => {
    const access = inClusterAccess({ environment: {}, clock: createTestClock(), folder });
    file('ca.crt', pem);
    await expect(access.identity()).rejects.toThrow(
      /cannot read the service account file .*token \(ENOENT\): give --kubeconfig/,
    );
    file('token', 'late');
    expect((await access.identity()).headers['authorization']).toBe('Bearer late');
  });

  test('namespace -> of the pod, null outside', async () => {
    expect(await inClusterNamespace(folder)).toBeNull();
    file('namespace', 'capi\n');
    expect(await inClusterNamespace(folder)).toBe('capi');
  });
});

describe('management cluster', () => {
  const clock = createTestClock();
  const find = (kubeconfigFlag: string, environment: Record<string, string> = {}) =>
    findManagementAccess({
      kubeconfig: kubeconfigFlag,
      environment,
      clock,
      parseYaml: (text) => parse(text) as unknown,
    });

  test('flag, then environment, then pod -> the first that is there', async () => {
    const one = file('one', JSON.stringify(kubeconfig({ server: 'https://one:1' }, { token: 'a' })));
    const two = file('two', JSON.stringify(kubeconfig({ server: 'https://two:2' }, { token: 'b' })));
    expect((await find(one, { KUBECONFIG: two })).server).toBe('https://one:1');
    expect((await find('', { KUBECONFIG: two })).server).toBe('https://two:2');
    await expect(find('')).rejects.toThrow(
      'no cluster to work with: give --kubeconfig FILE, set KUBECONFIG, put a file at ~/.kube/config, or run in a pod with a service account',
    );
  });

  test('nothing is given, and no pod -> the file in the home folder, as Go’s clients', async () => {
    await expect(find('', { HOME: folder })).rejects.toThrow('no cluster to work with');
    mkdirSync(join(folder, '.kube'));
    file('.kube/config', JSON.stringify(kubeconfig({ server: 'https://home:3' }, { token: 'a' })));
    expect((await find('', { HOME: folder })).server).toBe('https://home:3');
  });

  test('several files in $KUBECONFIG -> the first one wins, later ones fill in', async () => {
    const one = file(
      'one',
      JSON.stringify({
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
        clusters: [],
        users: [],
      }),
    );
    const two = file('two', JSON.stringify(kubeconfig({ server: 'https://two:2' }, { token: 'b' })));
    const access = await find('', { KUBECONFIG: `${one}:${two}` });
    expect([access.server, (await access.identity()).headers['authorization']]).toEqual(['https://two:2', 'Bearer b']);
    expect(access.namespace).toBe('team');
  });

  test('one of several files in $KUBECONFIG is not there -> the others are read, as kubectl reads them; none -> said', async () => {
    const two = file('two', JSON.stringify(kubeconfig({ server: 'https://two:2' }, { token: 'b' })));
    const access = await find('', { KUBECONFIG: `/does/not/exist:${two}` });
    expect([access.server, access.namespace]).toEqual(['https://two:2', '']);
    await expect(find('', { KUBECONFIG: '/not/here:/nor/here' })).rejects.toThrow(
      'cannot read /not/here: no such file',
    );
  });

  test('certificates and tokens in files beside the kubeconfig -> read, and read again when they change', async () => {
    file('ca.pem', pem);
    file('token', 'first\n');
    const path = file(
      'config',
      JSON.stringify(kubeconfig({ 'certificate-authority': 'ca.pem' }, { tokenFile: 'token' })),
    );
    const access = await find(path);
    expect(await access.identity()).toMatchObject({ ca: pem, headers: { authorization: 'Bearer first' } });
    file('token', 'second');
    access.forget();
    expect((await access.identity()).headers['authorization']).toBe('Bearer second');
    file('config', JSON.stringify(kubeconfig({}, { token: 'third' })));
    utimesSync(path, 1, 1);
    await clock.advance(60_000);
    expect((await access.identity()).headers['authorization']).toBe('Bearer third');
  });

  test('credential plugin -> its token, asked once for many requests and again after a 401', async () => {
    const program = file(
      'plugin',
      '#!/bin/sh\necho x >> "$0.calls"\necho "{\\"status\\":{\\"token\\":\\"t$(wc -l < "$0.calls" | tr -d " ")\\"}}"\n',
    );
    chmodSync(program, 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: program };
    const access = await find(file('config', JSON.stringify(kubeconfig({}, { exec }))));
    const tokens = await Promise.all([access.identity(), access.identity()]);
    expect(tokens.map(({ headers }) => headers['authorization'])).toEqual(['Bearer t1', 'Bearer t1']);
    access.forget();
    expect((await access.identity()).headers['authorization']).toBe('Bearer t2');
  });

  test('plain http -> allowed', async () => {
    expect(
      (await find(file('config', JSON.stringify(kubeconfig({ server: 'http://127.0.0.1:8080' }, {}))))).server,
    ).toBe('http://127.0.0.1:8080');
  });

  test.each([
    ['no such file', '', /^--kubeconfig: cannot read .*\/missing: no such file$/],
    ['empty', '', /^--kubeconfig: .*config is not a kubeconfig: it is empty$/],
    [
      'several documents',
      'a: 1\n---\nb: 2\n',
      /^--kubeconfig: .*config is not a kubeconfig: it has several documents$/,
    ],
    ['not YAML', 'a: [', /^--kubeconfig: .*config is not a kubeconfig: [^\n]+$/],
    [
      'another document',
      '{"a":1}',
      /^--kubeconfig: .*config has no current-context: run kubectl config use-context NAME$/,
    ],
    [
      'unknown context',
      JSON.stringify({ ...kubeconfig({}, {}), 'current-context': 'y' }),
      /current-context "y" is not among its contexts$/,
    ],
    [
      'unknown cluster',
      JSON.stringify({ ...kubeconfig({}, {}), clusters: [] }),
      /context "x" names the unknown cluster "c"$/,
    ],
    ['unknown user', JSON.stringify({ ...kubeconfig({}, {}), users: [] }), /context "x" names the unknown user "u"$/],
    ['no server', JSON.stringify(kubeconfig({ server: undefined }, {})), /clusters\[0\]\.cluster\.server is missing$/],
    [
      'missing certificate',
      JSON.stringify(kubeconfig({ 'certificate-authority': 'none.pem' }, {})),
      /cannot get credentials: ENOENT: no such file or directory, open '.*none\.pem'$/,
    ],
    [
      'missing token file',
      JSON.stringify(kubeconfig({}, { tokenFile: 'none' })),
      /tokenFile: cannot read .*none: no such file$/,
    ],
    [
      'missing plugin',
      JSON.stringify(kubeconfig({}, { exec: { command: '/no/such/plugin', apiVersion: 'v1' } })),
      /cannot get credentials: \/no\/such\/plugin: no such program$/,
    ],
  ])('kubeconfig with a mistake: %s -> one line that names it', async (title, text, message) => {
    const path = title === 'no such file' ? join(folder, 'missing') : file('config', text);
    await expect(find(path)).rejects.toThrow(message);
  });
});
