import { describe, expect, test } from '@jest/globals';

import { convertAdditionalConfig } from '../../src/bootstrap/ignition/additional-config.js';
import { writeIgnition } from '../../src/bootstrap/ignition-writer.js';
import type { NodeData, NodeFile } from '../../src/bootstrap/node-data.js';

const empty: NodeData = {
  kubeadm: { mode: 'workerJoin', joinConfiguration: 'kind: JoinConfiguration\n' },
  files: [],
  users: [],
  bootCommands: [],
  preKubeadmCommands: [],
  postKubeadmCommands: [],
  verbosityFlag: '',
  mounts: [],
};

interface Written {
  readonly storage: {
    readonly files: readonly { readonly path: string; readonly contents: { readonly source: string } }[];
    readonly filesystems?: readonly unknown[];
    readonly disks?: readonly unknown[];
  };
  readonly systemd: { readonly units: readonly { readonly name: string; readonly contents?: string }[] };
  readonly passwd: { readonly users?: readonly unknown[] };
}

function write(change: Partial<NodeData>): Written {
  const answer = writeIgnition({ ...empty, ...change });
  if (answer.kind === 'invalid') throw new Error(answer.message);
  return JSON.parse(Buffer.from(answer.bytes).toString()) as Written;
}

function refusal(change: Partial<NodeData>): string {
  const answer = writeIgnition({ ...empty, ...change });
  return answer.kind === 'invalid' ? answer.message : 'written';
}

const file = (change: Partial<NodeFile>): NodeFile => ({
  field: 'spec.files[0]',
  path: '/a',
  permissions: '0640',
  content: 'x\n',
  ...change,
});
const firstFile = (change: Partial<NodeFile>) => write({ files: [file(change)] }).storage.files[0];
const content = (change: Partial<NodeFile>) =>
  decodeURIComponent(firstFile(change)?.contents.source.slice('data:,'.length) ?? '');

describe('ignition: where upstream is wrong', () => {
  test('file: append true -> Ignition appends; append false -> nothing', () => {
    expect(firstFile({ append: true })).toMatchObject({ append: true, mode: 0o640 });
    expect(firstFile({ append: false })).not.toHaveProperty('append');
  });

  test('file: no permissions -> 0644', () => {
    const { permissions: _permissions, ...rest } = file({});
    expect(write({ files: [rest] }).storage.files[0]).toMatchObject({ mode: 0o644 });
  });

  test('file: indented content -> the indent is kept, also when later lines have less', () => {
    expect(content({ content: '  a\n    b\n  c\n' })).toBe('  a\n    b\n  c\n');
    expect(content({ content: '    a\nb\n' })).toBe('    a\nb\n');
    expect(content({ content: '  a\n# b' })).toBe('  a\n# b\n');
    expect(content({ content: '   \nfoo' })).toBe('   \nfoo\n');
  });

  test('filesystem: no overwrite -> not wiped', () => {
    const diskSetup = { filesystems: [{ device: '/dev/sdb1', filesystem: 'ext4', label: 'data' }] };
    expect(write({ diskSetup }).storage.filesystems).toEqual([
      { mount: { device: '/dev/sdb1', format: 'ext4', label: 'data' }, name: 'data' },
    ]);
  });

  test('disk: diskLayout -> refused by name', () => {
    const diskSetup = { partitions: [{ device: '/dev/sdb', diskLayout: [{ percentage: 100 }] }] };
    expect(refusal({ diskSetup })).toMatch(/^spec\.diskSetup\.partitions\[0\]\.diskLayout: Ignition cannot/);
  });

  test.each([
    ['label', ['LABEL=a\nb', '/mnt'], 'spec.mounts[0][0]'],
    ['mount point', ['LABEL=a', '/mnt\nExecStart=/bin/sh'], 'spec.mounts[0][1]'],
    ['first option', ['LABEL=a', '/mnt', 'ro\n[Service]'], 'spec.mounts[0][2]'],
    ['later option', ['LABEL=a', '/mnt', 'ro', 'x\nExecStart=/bin/sh'], 'spec.mounts[0][3]'],
  ])('mount: a line break in the %s -> refused by its field', (_, mount, field) => {
    expect(refusal({ mounts: [mount] })).toBe(`${field}: it must not have line breaks`);
  });

  test('mount: a line break in the device of its filesystem -> refused by its field', () => {
    const diskSetup = { filesystems: [{ label: 'a', device: '/dev/sdb\n[Service]', filesystem: 'ext4' }] };
    expect(refusal({ mounts: [['a', '/mnt']], diskSetup })).toMatch(/line breaks|spec\.diskSetup\.filesystems/);
  });

  test.each([
    ['a long value', { name: 'u', gecos: '"'.repeat(5_000) }, 'it has 5000 characters, more than the limit of 4096'],
  ])('users: %s that YAML must read -> refused by the limit', (_, user, message) => {
    expect(refusal({ users: [user] })).toContain(message);
  });

  test('users: many values that YAML must read -> refused by the limit of all', () => {
    const users = Array.from({ length: 40 }, (_, index) => ({ name: `u${index}`, gecos: `"${'x'.repeat(2_000)}"` }));
    expect(refusal({ users })).toMatch(
      /^spec\.users\[\d+\].*: with it, values have more characters than the limit of 65536$/,
    );
  });

  test.each([
    ['lists', '- '.repeat(2_000)],
    ['explicit keys', '? '.repeat(2_000)],
    ['brackets', `a: ${'['.repeat(10_000)}`],
  ])('additional config: deep %s -> refused, not a crash', (_, text) => {
    expect(convertAdditionalConfig(text, false)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('exceeded max depth') as unknown,
    });
  });

  test('additional config: longer than its limit -> refused by the limit', () => {
    expect(convertAdditionalConfig('#'.repeat(524_289), false)).toMatchObject({
      message: expect.stringContaining('it has 524289 characters, more than the limit of 524288') as unknown,
    });
  });

  test.each([
    ['/var/lib/my-data', 'var-lib-my\\x2ddata.mount'],
    ['/mnt/', 'mnt.mount'],
    ['/', '-.mount'],
    ['/a b/é', 'a\\x20b-\\xc3\\xa9.mount'],
    ['/.hidden', '\\x2ehidden.mount'],
    ['/var//lib', 'var-lib.mount'],
    ['/var/lib', 'var-lib.mount'],
  ])('mount: %s -> the unit that systemd looks for, %s', (mountPoint, name) => {
    expect(write({ mounts: [['l', mountPoint]] }).systemd.units[1]?.name).toBe(name);
  });

  test('mount: a mount point with .. -> refused by name', () => {
    expect(refusal({ mounts: [['l', '/a/../b']] })).toMatch(/^spec\.mounts\[0\]\[1\]: systemd/);
  });
});

describe('ignition: refusals', () => {
  test.each([
    ['path', { path: '/a: b' }, /^spec\.files\[0\]\.path: it cannot stand in a line of YAML/],
    ['path that adds keys', { path: '/a\n      mode: 0777' }, /^spec\.files\[0\]\.path: .*more than one value/],
    ['relative path', { path: 'a' }, /^spec\.files\[0\]\.path: path not absolute/],
    ['permissions that are no number', { permissions: 'rw' }, /^spec\.files\[0\]\.permissions: /],
    ['permissions too large', { permissions: '99999' }, /^spec\.files\[0\]\.permissions: illegal file mode/],
    ['bad base64', { encoding: 'base64', content: '!' }, /^spec\.files\[0\]\.content: it is not valid base64/],
    ['tab first', { content: '\ta' }, /^spec\.files\[0\]\.content: the first line starts with a tab/],
    ['lone CR', { content: 'a\rb' }, /^spec\.files\[0\]\.content: a lone CR/],
    ['control character', { content: 'a\u0007' }, /^spec\.files\[0\]\.content: the control character U\+0007/],
    ['not UTF-8', { content: 'a\udcff' }, /^spec\.files\[0\]\.content: it is not valid UTF-8/],
  ])('file: %s -> the field is named', (_name, change, message) => {
    expect(refusal({ files: [file(change)] })).toMatch(message);
  });

  test('password from a Secret: not plain YAML -> refused without showing it', () => {
    for (const passwd of ['*topsecret', '!!int topsecret', 'topsecret: x', '[topsecret', '&a topsecret: b']) {
      const message = refusal({ users: [{ name: 'a', passwd }] });
      expect(message).toMatch(/^spec\.users\[0\]\.passwd: it cannot stand in a line of YAML/);
      expect(message).not.toContain('topsecret');
    }
  });

  test('commands, servers, sudo with line ends of other kinds -> the field is named', () => {
    expect(refusal({ preKubeadmCommands: ['ok', 'a\rb'] })).toMatch(/^spec\.preKubeadmCommands\[1\]: a lone CR/);
    expect(refusal({ postKubeadmCommands: ['a\u2028b'] })).toMatch(/^spec\.postKubeadmCommands\[0\]: /);
    expect(refusal({ ntp: { enabled: true, servers: ['a\nb'] } })).toMatch(/^spec\.ntp\.servers\[0\]: /);
    expect(refusal({ users: [{ name: 'a', sudo: 'ALL\nb ALL' }] })).toMatch(/^spec\.users\[0\]\.sudo: /);
  });

  test('mount with one element -> refused', () => {
    expect(refusal({ mounts: [['a']] })).toMatch(/^spec\.mounts\[0\]: a mount needs/);
  });

  test('filesystems: two of one name, a label too long, an unknown format -> the field is named', () => {
    const of = (...filesystems: { label: string; filesystem?: string }[]) =>
      refusal({
        diskSetup: { filesystems: filesystems.map((fs) => ({ device: '/dev/b', filesystem: 'ext4', ...fs })) },
      });
    expect(of({ label: 'a' }, { label: 'a' })).toMatch(/^spec\.diskSetup\.filesystems: Filesystem "a" shadows/);
    expect(of({ label: 'a'.repeat(17) })).toMatch(
      /^spec\.diskSetup\.filesystems\[0\]\.label: filesystem labels cannot/,
    );
    expect(of({ label: 'a', filesystem: 'zfs' })).toMatch(/^spec\.diskSetup\.filesystems\[0\]\.filesystem: invalid/);
  });
});

describe('ignition: additional configuration', () => {
  const withConfig = (additionalConfig: string, strict?: boolean): Partial<NodeData> => ({
    ignition: { containerLinuxConfig: { additionalConfig, ...(strict === undefined ? {} : { strict }) } },
  });
  const unit =
    'systemd:\n  units:\n  - name: kubeadm.service\n    dropins:\n    - name: 10.conf\n      contents: "[Service]"\n';

  test('merge: same unit name -> a second entry behind ours', () => {
    const { units } = write(withConfig(unit)).systemd;
    expect(units.map(({ name }) => name)).toEqual(['kubeadm.service', 'kubeadm.service']);
    expect(units[1]).not.toHaveProperty('contents');
  });

  test('warnings: not strict -> returned beside the data; strict -> refused with the field', () => {
    const answer = writeIgnition({ ...empty, ...withConfig('foo: 1\n') });
    expect(answer).toMatchObject({
      kind: 'written',
      warnings: ['warning at line 1, column 1\nConfig has unrecognized key: foo'],
    });
    expect(refusal(withConfig('foo: 1\n', true))).toBe(
      'spec.ignition.containerLinuxConfig.additionalConfig: building Ignition config: converting additional CLC to Ignition: ' +
        'error parsing Container Linux Config: warning at line 1, column 1\nConfig has unrecognized key: foo',
    );
    expect(refusal(withConfig('# nothing\n', true))).toContain('warning: Configuration is empty');
    expect(refusal(withConfig('# nothing\n'))).toBe('written');
  });

  test('YAML: anchors, merge keys, several documents, CRLF -> understood', () => {
    const text =
      'x: &d {name: a.service, mask: true}\r\nsystemd:\r\n  units:\r\n  - <<: *d\r\n    name: b.service\r\n  - *d\r\n---\r\n[';
    const answer = convertAdditionalConfig(text, false);
    expect(answer.kind === 'converted' && answer.config.systemdUnits.map(({ name, mask }) => [name, mask])).toEqual([
      ['b.service', true],
      ['a.service', true],
    ]);
  });

  test.each([
    [
      'alias bomb',
      `a0: &a0 [x]\n${Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n},*a${n},*a${n},*a${n}]\n`).join('')}docker: {flags: *a20}\n`,
    ],
    ['node that contains itself', 'docker: &a\n  flags: *a\n  x: &b [*b]\n'],
    ['list that contains itself', 'docker:\n  flags: &a [*a]\n'],
    ['merge with itself', 'update: &a\n  <<: *a\n'],
    ['deep nesting', '['.repeat(30_000)],
    ['unknown alias', 'docker: *x\n'],
    ['repeated key', 'docker: {}\ndocker: {}\n'],
    ['prototype names', '__proto__: {a: 1}\nconstructor: 1\nstorage:\n  __proto__: 1\n  toString: 2\n'],
  ])('YAML: %s -> an answer, at once', (_name, text) => {
    expect(['converted', 'refused']).toContain(convertAdditionalConfig(text, false).kind);
    expect(convertAdditionalConfig(text, true).kind).toBe('refused');
  });
});
