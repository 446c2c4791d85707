// The programs that read bootstrap data on a node accept it: cloud-init's schema check and kubeadm's own validation.
//
// The inputs are the recorded ones, as if the node ran the Kubernetes version of the kubeadm at hand. A program that is not
// there is named in one line and nothing is checked with it.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { KubernetesObject } from '../../src/api/core.js';
import { evaluate, vectors, type Vector } from '../golden/bootstrap-vector.js';
import { binaryFolder, isNightly } from '../test-size.js';

const inputsMin = 60;
const atOnce = 2;
const timeoutMs = 300_000;

/** Recorded inputs whose data, upstream's bytes, the program does not accept, and why. */
const notForCloudInit: Readonly<Record<string, string>> = {
  'kc-vec-039': 'file content that is not UTF-8',
  'kc-vec-066': 'inactive as a boolean, where the schema wants a text',
  'kc-vec-072': 'inactive as a boolean, where the schema wants a text',
  'kc-vec-093': 'no NTP server',
  'kc-vec-099': 'no filesystem',
  'kc-vec-100': 'no partition',
  'kc-vec-104': 'no partition',
  'kc-vec-315': 'paths that are not YAML',
  'kc-vec-505': 'a Jinja expression where YAML starts a map',
  'kc-vec-511': 'values that are not YAML',
  'kc-vec-513': 'a Jinja expression where YAML starts a map',
  'kc-vec-537': 'a Jinja expression where YAML starts a map',
  'kc-vec-541': 'values that are not YAML',
  'kc-vec-563': 'values that YAML reads as something else',
  'kc-vec-575': 'values that YAML reads as something else',
};
const notForKubeadm: Readonly<Record<string, string>> = {
  'kc-vec-135': 'feature gates that no kubeadm knows',
  'kc-vec-136': 'feature gates that no kubeadm knows',
  'kc-vec-145': 'feature gates that no kubeadm knows',
  'kc-vec-195': 'a token with both ttl and expires',
  'kc-vec-196': 'a token with both ttl and expires',
  'kc-vec-234': 'an endpoint in two pairs of brackets',
  'kc-vec-252': 'token and file discovery together',
  'kc-vec-315': 'names that are none',
  'kc-vec-402': 'a feature gate that this kubeadm has no more',
  'kc-vec-505': 'names that are none',
  'kc-vec-511': 'names that are none',
  'kc-vec-513': 'names that are none',
  'kc-vec-523': 'feature gates that no kubeadm knows',
  'kc-vec-525': 'names that are none',
  'kc-vec-541': 'feature gates that no kubeadm knows',
  'kc-vec-551': 'names that are none',
  'kc-vec-571': 'names that are none',
};

interface Rendered {
  readonly id: string;
  readonly text: string;
}

interface Run {
  readonly status: number;
  readonly output: string;
}

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'consumers-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(program, args, { encoding: 'utf8' }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ status, output: `${stdout}${stderr}`.trim() });
    });
  });
}

function withVersion(vector: Vector, version: string): Vector {
  const { machine, machinePool } = vector.input;
  const change = (object: KubernetesObject | undefined, isPool: boolean): KubernetesObject | undefined => {
    if (object === undefined) return undefined;
    const { spec } = object as unknown as { readonly spec: { readonly template?: { readonly spec: object } } };
    const template = isPool
      ? { template: { ...spec.template, spec: { ...spec.template?.spec, version } } }
      : { version };
    return { ...object, spec: { ...spec, ...template } } as unknown as KubernetesObject;
  };
  const changed = { machine: change(machine, false), machinePool: change(machinePool, true) };
  const given = Object.fromEntries(Object.entries(changed).filter(([, object]) => object !== undefined));
  return { ...vector, input: { ...vector.input, ...given } };
}

async function rendered(version: string, except: Readonly<Record<string, string>>): Promise<readonly Rendered[]> {
  const texts: Rendered[] = [];
  for (const vector of vectors) {
    const isCloudConfig = vector.expected.format === 'cloud-config' && vector.deviation === undefined;
    if (!isCloudConfig || except[vector.id] !== undefined) continue;
    const result = await evaluate(withVersion(vector, version));
    if (result.kind === 'data') texts.push({ id: vector.id, text: Buffer.from(result.bytes).toString() });
  }
  // Every second one is enough, unless there is time.
  return isNightly ? texts : texts.filter((_, index) => index % 2 === 0);
}

async function rejected(
  texts: readonly Rendered[],
  check: (text: Rendered) => Promise<Run>,
): Promise<readonly string[]> {
  const waiting = [...texts];
  const problems: string[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { status, output } = await check(next);
      if (status !== 0 || output.includes('unknown field')) problems.push(`${next.id}: ${output}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return problems.sort();
}

/** The content of kubeadm's configuration file, without its margin. */
function kubeadmConfig(text: string): string {
  const [, content = ''] =
    /\n- {3}path: \/run\/kubeadm\/[^\n]*\n(?: {4}[^\n]*\n)*? {4}content: \|\n((?: {6}[^\n]*\n)*)/.exec(text) ?? [];
  return content.replace(/^ {6}/gm, '');
}

/** cloud-init has filled in the host name, and the discovery file is there. */
function asOnNode(config: string, existingFile: string): string {
  return config.replace(/'?\{\{[^}]*\}\}'?/g, 'node').replace(/kubeConfigPath: .*/, `kubeConfigPath: ${existingFile}`);
}

function accepted(program: string, texts: readonly Rendered[]): void {
  process.stdout.write(`consumers: ${program} accepted ${texts.length} inputs\n`);
}

function cannotBeHad(program: string, why: string): void {
  process.stdout.write(`consumers: nothing was checked with ${program}: ${why}\n`);
}

describe('consumers of bootstrap data', () => {
  test(
    'cloud-init schema: recorded inputs -> accepted',
    async () => {
      const { status } = await run('cloud-init', ['--version']);
      if (status !== 0) return cannotBeHad('cloud-init', 'it is not installed');
      const texts = await rendered('v1.36.0', notForCloudInit);
      expect(texts.length).toBeGreaterThanOrEqual(inputsMin);
      const problems = await rejected(texts, ({ id, text }) => {
        const file = join(folder, `${id}.cfg`);
        // Older cloud-init does not look behind the template header here; on a node it does.
        writeFileSync(file, text.replace('## template: jinja\n', ''));
        return run('cloud-init', ['schema', '-c', file]);
      });
      expect(problems).toEqual([]);
      accepted('cloud-init', texts);
    },
    timeoutMs,
  );

  test(
    'kubeadm config validate: recorded inputs -> accepted',
    async () => {
      const kubeadm = join(binaryFolder ?? '', 'kubeadm');
      if (binaryFolder === undefined || !existsSync(kubeadm)) {
        return cannotBeHad('kubeadm', 'it is not in $KUBEBUILDER_ASSETS');
      }
      const version = (await run(kubeadm, ['version', '-o', 'short'])).output;
      const texts = await rendered(version, notForKubeadm);
      expect(texts.length).toBeGreaterThanOrEqual(inputsMin);
      const problems = await rejected(texts, ({ id, text }) => {
        const file = join(folder, `${id}.yaml`);
        writeFileSync(file, asOnNode(kubeadmConfig(text), file));
        return run(kubeadm, ['config', 'validate', '--config', file]);
      });
      expect(problems).toEqual([]);
      accepted('kubeadm', texts);
    },
    timeoutMs,
  );
});
