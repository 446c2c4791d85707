import { describe, expect, test } from '@jest/globals';
import { readKubeconfigYaml } from '../../../src/cli/kubeconfig-yaml.js';
import { accessOfKubeconfig } from '../../../src/kube/kubeconfig.js';
import { KUBECONFIG_CHARS_MAX, SERVER_URL_CHARS_MAX } from '../../../src/limits.js';

const certificate = Buffer.from(`-----BEGIN CERTIFICATE-----\n${'QUJD'.repeat(400)}\n-----END CERTIFICATE-----\n`);

const kubeconfig = (bundle: string): string => `apiVersion: v1
kind: Config
clusters:
- name: c
  cluster:
    certificate-authority-data: ${bundle}
    server: https://10.0.0.1:6443///
contexts:
- name: x
  context: {cluster: c, user: u}
current-context: x
preferences: {}
users:
- name: u
  user: {token: "t"}
`;

describe('kubeconfig of a Secret', () => {
  test('a bundle of seventy CA certificates -> read', async () => {
    const bundle = Buffer.concat(Array.from({ length: 70 }, () => certificate)).toString('base64');
    const text = kubeconfig(bundle);
    expect(text.length).toBeGreaterThan(150_000);
    const access = accessOfKubeconfig(readKubeconfigYaml(text));
    expect(access.server).toBe('https://10.0.0.1:6443');
    expect((await access.identity()).ca.split('BEGIN CERTIFICATE')).toHaveLength(71);
  });

  test('folded base64 -> read', async () => {
    const folded = (certificate.toString('base64').match(/.{1,76}/g) ?? []).map((line) => `      ${line}`).join('\n');
    const access = accessOfKubeconfig(readKubeconfigYaml(kubeconfig(`|\n${folded}`)));
    expect((await access.identity()).ca).toBe(certificate.toString());
  });

  test('the key __proto__ -> a member like any other', () => {
    const read = readKubeconfigYaml('__proto__: {token: a}\nb: 1') as object;
    expect(Object.keys(read)).toEqual(['__proto__', 'b']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  test.each([
    [
      'too long',
      'a'.repeat(KUBECONFIG_CHARS_MAX + 1),
      /^error parsing kubeconfig: it has 262145 characters, more than/,
    ],
    ['thousands of keys', 'k: 1\n'.repeat(8_000), /punctuation marks and lines, more than the limit/],
    ['deep lists', '- '.repeat(2_000), /nested more deeply than the limit of 64/],
    ['deep explicit keys', '? '.repeat(2_000), /nested more deeply than the limit of 64/],
    ['deep brackets', `a: ${'['.repeat(2_000)}`, /nested more deeply than the limit of 64/],
    ['deep explicit keys in brackets', '{? '.repeat(500), /nested more deeply than the limit of 64/],
    [
      'deep indentation',
      Array.from({ length: 120 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''),
      /nested more deeply than the limit of 64/,
    ],
    ['an alias', 'a: &hunter2 1\nb: *hunter2\n', /^error parsing kubeconfig: it has an alias at line 2, column 4$/],
    ['a mapping as key', '? {hunter2: 1}\n: 1', /it has a key that is no text at line 1, column 1$/],
    [
      'broken YAML',
      'token: [hunter2\nb: "}',
      /^error parsing kubeconfig: it is not YAML: [A-Z_]+ at line \d+, column \d+$/,
    ],
    ['several documents', 'a: hunter2\n---\nb: 1', /it is not YAML: MULTIPLE_DOCS at line 2, column 1$/],
  ])('%s -> refused with the place, without the content', (_, text, message) => {
    expect(() => readKubeconfigYaml(text)).toThrow(message);
    expect(() => readKubeconfigYaml(text)).not.toThrow(/hunter2/);
  });

  test.each(['server', 'proxy-url'])('%s: longer than any URL -> refused by its length', (field) => {
    const cluster = { server: 'https://10.0.0.1', [field]: `https://h${'/'.repeat(SERVER_URL_CHARS_MAX)}x` };
    const document = {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c' } }],
      clusters: [{ name: 'c', cluster }],
    };
    expect(() => accessOfKubeconfig(document)).toThrow(
      `error parsing kubeconfig: ${field} has 2058 characters, more than the limit of 2048`,
    );
  });
});
