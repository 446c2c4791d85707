// Every Ignition configuration we write is read by Ignition's own parser: no error, and for our own part no warning.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

import { writeIgnition } from '../../src/bootstrap/ignition-writer.js';
import type { NodeData, NodeFile } from '../../src/bootstrap/node-data.js';

const program = fileURLToPath(new URL('./ignition-validate/', import.meta.url));

interface Input {
  readonly name: string;
  readonly node: NodeData;
  /** A user's own configuration may hold what Ignition warns about. */
  readonly mayWarn: boolean;
}

const empty: NodeData = {
  kubeadm: { mode: 'init', clusterConfiguration: 'kind: A\n', initConfiguration: 'kind: B\n' },
  files: [],
  users: [],
  bootCommands: [],
  preKubeadmCommands: ['echo "<&>"'],
  postKubeadmCommands: [],
  verbosityFlag: '--v 3',
  mounts: [],
};

function golden<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../golden/ignition/${name}.json`, import.meta.url), 'utf8')) as T;
}

function inputs(): readonly Input[] {
  const nodes = golden<{
    cases: readonly {
      id: string;
      node: Pick<NodeData, 'users' | 'mounts'> & { pre: readonly string[]; files: readonly Omit<NodeFile, 'field'>[] };
    }[];
  }>('nodes').cases.map(({ id, node: { pre, files, ...rest } }) => ({
    name: id,
    node: {
      ...empty,
      ...rest,
      preKubeadmCommands: pre,
      files: files.map((file, index) => ({ field: `spec.files[${index}]`, ...file })),
    },
    mayWarn: false,
  }));
  const configs = golden<{ cases: readonly { id: string; text: string; strict: boolean }[] }>(
    'container-linux-configs',
  ).cases.map(({ id, text, strict }) => ({
    name: id,
    node: { ...empty, ignition: { containerLinuxConfig: { additionalConfig: text, strict } } },
    mayWarn: true,
  }));
  const differences: NodeData = {
    ...empty,
    files: [
      { field: 'a', path: '/appended', append: true, content: '  indented\nx\n' },
      { field: 'b', path: '/without-permissions', content: '' },
    ],
    diskSetup: { filesystems: [{ device: '/dev/sdb1', filesystem: 'ext4', label: 'data' }] },
    mounts: [
      ['data', '/var/lib/my-data', 'defaults'],
      ['data', '/'],
    ],
  };
  return [...nodes, ...configs, { name: 'where upstream is wrong', node: differences, mayWarn: false }];
}

describe('ignition: the real parser', () => {
  test('configurations of all kinds -> accepted', () => {
    const written = inputs().flatMap((input) => {
      const answer = writeIgnition(input.node);
      return answer.kind === 'written' ? [{ ...input, bytes: Buffer.from(answer.bytes).toString() }] : [];
    });
    expect(written.length).toBeGreaterThan(250);
    const run = spawnSync('go', ['run', '.'], {
      cwd: program,
      input: `${written.map(({ bytes }) => bytes).join('\n')}\n`,
      encoding: 'utf8',
      maxBuffer: 64 * 2 ** 20,
    });
    if (run.error !== undefined || run.status !== 0) {
      const reason = run.error?.message ?? run.stderr.trim().split('\n').at(-1);
      process.stdout.write(`ignition-validate was not run: ${reason}\n`);
      // Without Go there is nothing to ask; with it, the program must work.
      expect((run.error as NodeJS.ErrnoException | undefined)?.code).toBe('ENOENT');
      return;
    }
    const verdicts = run.stdout.trimEnd().split('\n');
    expect(verdicts).toHaveLength(written.length);
    const refused = written.flatMap(({ name, mayWarn }, index) => {
      const verdict = verdicts[index] ?? '';
      return verdict === 'ok' || (mayWarn && !verdict.includes('error')) ? [] : [`${name}: ${verdict}`];
    });
    expect(refused).toEqual([]);
  });
});
