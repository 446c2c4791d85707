// Command lines as people type them: every form that pflag takes, help, and what is no command line.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { explainCommand } from '../../../src/cli/explain.js';
import { UsageError } from '../../../src/cli/flag-types.js';
import { pflagWords } from '../../../src/cli/pflag-words.js';
import { renderCommand } from '../../../src/cli/render.js';
import { visualizeCommand } from '../../../src/cli/visualize.js';
import { bundle } from '../../worlds/operator-process.js';

const folder = mkdtempSync(join(tmpdir(), 'command-line-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ran = (...args: readonly string[]): { status: number | null; stdout: string; stderr: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
};

describe('pflag forms of subcommands with options of their own', () => {
  test.each([
    [
      ['-o=json', '-f=x.yaml'],
      ['--output=json', '--filename=x.yaml'],
    ],
    [
      ['-o', 'json', '-f', '-'],
      ['-o', 'json', '-f', '-'],
    ],
    [['-ojson'], ['-ojson']],
    [
      ['--feature_gates', 'a_b=true'],
      ['--feature-gates', 'a_b=true'],
    ],
    [['--feature_gates=a_b=true'], ['--feature-gates=a_b=true']],
    [
      ['--token', '--feature_gates'],
      ['--token', '--feature_gates'],
    ],
    [
      ['--', '-o=json'],
      ['--', '-o=json'],
    ],
    [
      ['--un_known=1', '-x=1'],
      ['--un_known=1', '-x=1'],
    ],
  ])('render: %j -> %j', (args, words) => {
    expect(pflagWords(renderCommand(), args)).toEqual(words);
  });

  test('explain: the namespace in short, behind what it belongs to -> understood', () => {
    expect(pflagWords(explainCommand(), ['kubeadmconfig/a_b', '-n=x'])).toEqual(['kubeadmconfig/a_b', '--namespace=x']);
  });

  test('visualize: a switch with a value -> on, off, or an error', () => {
    const words = (value: string): readonly string[] => pflagWords(visualizeCommand(), [`--check=${value}`]);
    expect([words('true'), words('false'), words('1')]).toEqual([['--check'], [], ['--check']]);
    expect(() => words('maybe')).toThrow(UsageError);
  });
});

describe('the program', () => {
  test.each([
    [['version', '-o=json'], 0, /^\{\n {2}"version": /, /^$/],
    [['help'], 0, /^Usage: kubeadm-bootstrap-operator \[options\] \[command\]/, /^$/],
    [['help', 'render'], 0, /^Usage: kubeadm-bootstrap-operator render /, /^$/],
    [['help', 'run'], 0, /^Usage: kubeadm-bootstrap-operator run \[flags\]/, /^$/],
    [['help', 'rendr'], 2, /^$/, /^error: unknown command 'rendr'/],
    [[], 2, /^$/, /^Usage: kubeadm-bootstrap-operator /],
    [['--leader-elct'], 2, /^$/, /^error: unknown flag: --leader-elct \(did you mean --leader-elect\?\)\n$/],
  ])('%j -> %d', (args, status, stdout, stderr) => {
    expect(ran(...args)).toEqual({
      status,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
  });

  test.each([
    ['nothing', [], 1, /Version: [\s\S]*error: no cluster to work with/],
    ['flags alone', ['--leader-elect', '-v=0'], 1, /Version: [\s\S]*error: no cluster to work with/],
    ['a subcommand', ['render'], 2, /^error: required option/],
  ])('/manager of the image, with %s -> what the Go manager does, or the subcommand', (_, args, status, stderr) => {
    const manager = join(folder, 'manager');
    const text = readFileSync('deploy/image/manager', 'utf8');
    writeFileSync(manager, text.replace('/operator/kubeadm-bootstrap-operator.js', pathToFileURL(bundle).href));
    const { KUBECONFIG: _kubeconfig, ...env } = process.env;
    const done = spawnSync(process.execPath, [manager, ...args], { encoding: 'utf8', env: { ...env, HOME: folder } });
    expect([done.status, done.stdout, done.stderr]).toEqual([status, '', expect.stringMatching(stderr)]);
  });

  test.each([
    ['visualize', ['--out', join(folder, 'piped')]],
    ['demo', ['--exit', '--workers=0', '--inspector-bind-address=']],
  ])(
    '%s: its reader goes away -> it ends without a word, and leaves nothing behind',
    async (command, args) => {
      const temporary = join(folder, `temporary-of-${command}`);
      mkdirSync(temporary);
      const env = { ...process.env, TMPDIR: temporary };
      const child = spawn(process.execPath, [bundle, command, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let stderr = '';
      child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
      child.stdout.once('data', () => child.stdout.destroy());
      const status = await new Promise((resolve) => child.once('close', resolve));
      expect({ status, stderr, left: readdirSync(temporary) }).toEqual({ status: 0, stderr: '', left: [] });
    },
    60_000,
  );

  test('visualize: fresh, then a picture of no machine, then a file in the way -> said in one line', () => {
    const out = join(folder, 'diagrams');
    expect(ran('visualize', '--out', out)).toMatchObject({ status: 0, stderr: '' });
    expect(ran('visualize', '--check', `--out=${out}`)).toMatchObject({ status: 0, stderr: '' });
    const orphan = join(out, 'gone.svg');
    writeFileSync(orphan, '');
    const checked = { status: 1, stdout: '', stderr: `error: ${orphan}: no machine makes this file\n` };
    expect(ran('visualize', '--check', `--out=${out}`)).toEqual(checked);
    const written = { status: 1, stdout: '', stderr: `error: cannot write ${orphan}: is a file\n` };
    expect(ran('visualize', `--out=${orphan}`)).toEqual(written);
  });
});
