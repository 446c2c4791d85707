// `render` as a user calls it: the recorded inputs as manifests, and what its flags and mistakes do.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { parse, stringify } from 'yaml';

import type { Secret } from '../../src/api/core.js';
import { convert } from '../../src/api/kubeadmconfig/conversion.js';
import type { JsonObject } from '../../src/api/wire.js';
import { exitCodeOf } from '../../src/cli/exit.js';
import { renderCommand } from '../../src/cli/render.js';
import { objectsOf, vector, vectors, type Vector } from './bootstrap-vector.js';

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly problem: string;
}

let folder = '';
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'render-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(text: string): string {
  count += 1;
  const file = join(folder, `${count}.yaml`);
  writeFileSync(file, text);
  return file;
}

/** Runs the command and takes what it writes. */
async function render(...args: readonly string[]): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'] as const;
  const originals = streams.map((name) => process[name].write.bind(process[name]));
  for (const name of streams) {
    process[name].write = ((chunk: string | Uint8Array) => {
      written[name] += Buffer.from(chunk).toString('latin1');
      return true;
    }) as typeof process.stdout.write;
  }
  const ran = (exitCode: number, problem: string): Ran => ({
    exitCode,
    problem,
    stdout: Buffer.from(written.stdout, 'latin1').toString(),
    stderr: Buffer.from(written.stderr, 'latin1').toString(),
  });
  try {
    const command = renderCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    await command.parseAsync(args, { from: 'user' });
    return ran(0, '');
  } catch (error) {
    const exitCode = error instanceof CommanderError ? 2 : exitCodeOf(error);
    return ran(exitCode, error instanceof Error ? error.message : String(error));
  } finally {
    streams.forEach((name, index) => {
      const original = originals[index];
      if (original !== undefined) process[name].write = original;
    });
  }
}

function manifests(of: Vector): string {
  return objectsOf(of)
    .map((object) => JSON.stringify(object))
    .join('\n---\n');
}

function tokenOf({ input }: Vector): readonly string[] {
  return input.mintedToken === undefined ? [] : ['--token', input.mintedToken];
}

const followed = vectors.filter(({ deviation, expected }) => deviation === undefined && expected.valueBase64 !== undefined);
const withoutData = vectors.filter(
  ({ deviation, expected, id }) => deviation === undefined && expected.valueBase64 === undefined && id !== 'kc-vec-500',
);

describe('render', () => {
  test.each(followed.map((each) => [each.id, each.title, each] as const))(
    'render: %s %s -> the bytes and the spec of the Go provider',
    async (_id, _title, each) => {
      const { exitCode, stdout, problem } = await render('-f', fileWith(manifests(each)), '-o', 'json', ...tokenOf(each));
      expect(problem).toBe('');
      expect(exitCode).toBe(0);
      const { format, value, specAfter, sizes } = JSON.parse(stdout) as Record<string, unknown>;
      expect({ format, value }).toEqual({ format: each.expected.format, value: each.expected.valueBase64 });
      expect(specAfter).toEqual(each.expected.specAfter ?? each.input.kubeadmConfig.spec ?? {});
      expect(sizes).toMatchObject({ raw: Buffer.from(String(value), 'base64').length, base64: String(value).length });
    },
  );

  test.each(withoutData.map((each) => [each.id, each.title, each] as const))(
    'render: %s %s -> exit 1, one line, nothing on stdout',
    async (_id, _title, each) => {
      const { exitCode, stdout, problem } = await render('-f', fileWith(manifests(each)), ...tokenOf(each));
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(problem).toMatch(/^KubeadmConfig default\/\S+: (waiting|refused): [^\n]+$/);
    },
  );

  test('refusal: a missing Secret -> condition, reason, message, cause and field', async () => {
    const { problem } = await render('-f', fileWith(manifests(vector('kc-vec-347'))));
    expect(problem).toBe(
      'KubeadmConfig default/cp-0: refused: DataSecretAvailable=False, NotAvailable: ' +
        'Failed to read password from secrets for spec.users: ' +
        'failed to resolve passwd source: secret not found: default/nope: secrets "nope" not found: ' +
        'field spec.users[0].passwdFrom.secret',
    );
  });

  test('data stored already: render -> renders all the same', async () => {
    const { exitCode, stdout } = await render('-f', fileWith(manifests(vector('kc-vec-500'))), '--as', 'init');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('kubeadm init');
  });

  test('output: raw -> the exact bytes; secret -> the whole Secret', async () => {
    const each = vector('kc-vec-151');
    const file = fileWith(manifests(each));
    expect(Buffer.from((await render('-f', file)).stdout).toString('base64')).toBe(each.expected.valueBase64);
    const secret = parse((await render('-f', file, '-o', 'secret')).stdout) as Secret;
    expect(secret).toMatchObject({ kind: 'Secret', type: 'cluster.x-k8s.io/secret', metadata: { name: 'cp-0' } });
    expect(secret.data?.['value']).toBe(each.expected.valueBase64);
  });

  test('output: secret of a join and of an init -> the id of the token in the data, as the operator stores it', async () => {
    const annotations = async (id: string) =>
      (parse((await render('-f', fileWith(manifests(vector(id))), '-o', 'secret')).stdout) as Secret).metadata.annotations;
    const { stdout } = await render('-f', fileWith(manifests(vector('kc-vec-222'))), '--token', 'abcdef.0123456789abcdef', '-o', 'secret');
    expect((parse(stdout) as Secret).metadata.annotations).toEqual({ 'kubeadm-bootstrap-operator/token': 'abcdef' });
    expect(await annotations('kc-vec-151')).toBeUndefined();
  });

  test('input: the same objects as YAML, as a List and in v1beta1 -> the same bytes', async () => {
    const each = vector('kc-vec-404');
    const [config] = objectsOf(each).filter(({ kind }) => kind === 'KubeadmConfig');
    const old = convert(config as unknown as JsonObject, 'bootstrap.cluster.x-k8s.io/v1beta1');
    const inOldVersion = objectsOf(each).map((object) => (object === config && 'object' in old ? old.object : object));
    const list = { apiVersion: 'v1', kind: 'List', items: objectsOf(each) };
    for (const text of [
      objectsOf(each).map((object) => stringify(object, { version: '1.1' })).join('---\n'),
      JSON.stringify(list),
      inOldVersion.map((object) => stringify(object, { version: '1.1' })).join('---\n'),
    ]) {
      const { stdout } = await render('-f', fileWith(text), ...tokenOf(each));
      expect(Buffer.from(stdout).toString('base64')).toBe(each.expected.valueBase64);
    }
  });

  test('input: objects that never were in a cluster -> owner by configRef, namespace default, stringData', async () => {
    const text = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c}
spec: {controlPlaneEndpoint: {host: h, port: 6443}}
status: {initialization: {infrastructureProvisioned: true}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: m, labels: {cluster.x-k8s.io/control-plane: ""}}
spec: {clusterName: c, version: v1.34.1, bootstrap: {configRef: {kind: KubeadmConfig, name: k}}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfig
metadata: {name: k}
spec: {files: [{path: /f, contentFrom: {secret: {name: s, key: k}}}], users: null}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {k: hello}
`;
    const { exitCode, stdout } = await render('-f', fileWith(text), '--name', 'k');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('-   path: /f\n    content: |\n      hello\n');
    expect(stdout).toContain('-   path: /etc/kubernetes/pki/ca.key\n');
    const again = await render('-f', fileWith(text), '--as', 'join');
    expect(again.problem).toContain('CertificatesAvailable=Unknown, InternalError');
  });

  test('input: a field that the API does not know -> data, and a warning that names it', async () => {
    const text = manifests(vector('kc-vec-404')).replace('"joinConfiguration":{', '"joinConfiguration":{"nodeRegistraton":{},');
    const { exitCode, stderr } = await render('-f', fileWith(text));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'warning: spec.joinConfiguration.nodeRegistraton: unknown field, ignored\n',
    });
  });

  test('input: a word that the API does not take -> data as for the default, and a warning that names field and words', async () => {
    const text = manifests(vector('kc-vec-404')).replace('"joinConfiguration":{', '"format":"CloudConfig","joinConfiguration":{');
    const { exitCode, stdout, stderr } = await render('-f', fileWith(text));
    expect(stdout).toContain('#cloud-config');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'warning: spec.format: Unsupported value: "CloudConfig": supported values: "cloud-config", "ignition"\n',
    });
  });

  test('input: the objects in several files -> the same bytes as in one', async () => {
    const each = vector('kc-vec-151');
    const files = objectsOf(each).map((object) => ['-f', fileWith(JSON.stringify(object))]);
    expect(files.length).toBeGreaterThan(2);
    const { exitCode, stdout } = await render(...files.flat());
    expect([exitCode, Buffer.from(stdout).toString('base64')]).toEqual([0, each.expected.valueBase64]);
  });

  test('token: none given -> a random one', async () => {
    const file = fileWith(manifests(vector('kc-vec-222')));
    const tokens = [await render('-f', file), await render('-f', file)];
    const [one, two] = tokens.map(({ stdout }) => /token: ([a-z0-9]{6}\.[a-z0-9]{16})/.exec(stdout)?.[1]);
    expect(one).toMatch(/./);
    expect(one).not.toBe(two);
  });

  test.each([
    ['no file', [], 2, 'required option'],
    ['a file that is not there', ['-f', '/does/not/exist'], 1, 'cannot read /does/not/exist'],
    ['an unknown mode', ['-f', '-', '--as', 'x'], 2, 'Allowed choices are init, join'],
    ['a malformed token', ['-f', '-', '--token', 'x'], 2, '--token must be'],
    ['an unknown feature gate', ['-f', '-', '--feature-gates', 'X=true'], 2, 'unrecognized feature gate: X'],
  ] as const)('usage: %s -> said in one line', async (_, args, exitCode, problem) => {
    const ran = await render(...args);
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.problem).toContain(problem);
  });

  const config = 'apiVersion: bootstrap.cluster.x-k8s.io/v1beta2\nkind: KubeadmConfig\nmetadata: {name: NAME}\n';
  test.each([
    ['no KubeadmConfig', 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}', [], 1, 'there is no KubeadmConfig'],
    ['several', `${config}---\n${config.replace('NAME', 'b')}`, [], 2, '--name: default/NAME, default/b'],
    ['another name', config, ['--name', 'x/y'], 1, 'there is no KubeadmConfig x/y in the input, but: default/NAME'],
    ['broken YAML', `${config}---\na: [`, [], 1, 'document 2: '],
    ['no object', '- a', [], 1, 'document 1: is not a Kubernetes object'],
    ['no kind', 'a: 1', [], 1, 'document 1: apiVersion and kind are required'],
    ['no name', 'apiVersion: v1\nkind: Secret', [], 1, 'document 1: Secret has no metadata.name'],
    ['a version that does not exist', config.replace('v1beta2', 'v9'), [], 1, 'document 1: cannot convert KubeadmConfig'],
  ] as const)('input: %s -> said in one line', async (_, text, args, exitCode, problem) => {
    const ran = await render('-f', fileWith(text), ...args);
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.problem).toContain(problem);
    expect(ran.problem).not.toContain('\n');
  });
});
