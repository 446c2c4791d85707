// The judges of the stack can fail: each is shown a world in which something is wrong.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Call } from '../bench/system/audit-tail.js';
import { ACCOUNT_USER } from '../envtest/installed.js';
import { parseStack } from './arguments.js';
import { namespace, type Api, type Kind, type Seen } from './api.js';
import { differences } from './left-behind.js';
import { clusterLabel, type Wanted } from './manifests.js';
import type { ProviderLife } from './provider.js';
import { missing, type Look } from './state.js';
import { startWitness, type Witness } from './witness.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const meta = (name: string, more: object = {}): Seen['metadata'] => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { [clusterLabel]: 'c0' },
  ...more,
});
const owner = (kind: string, name: string): object => ({ kind, name, uid: `uid-${name}` });
const conditions = [
  { type: 'Ready', status: 'True' },
  { type: 'DataSecretAvailable', status: 'True' },
  { type: 'CertificatesAvailable', status: 'True' },
  { type: 'Paused', status: 'False' },
];

const machine = (name: string): Seen => ({ metadata: meta(name) });
const config = (name: string): Seen => ({
  metadata: meta(name, { ownerReferences: [owner('Machine', name)] }),
  status: { conditions, dataSecretName: name, initialization: { dataSecretCreated: true } },
});
const data = (name: string, text: string): Seen => ({
  metadata: meta(name, { uid: `uid-data-${name}`, ownerReferences: [owner('KubeadmConfig', name)] }),
  data: { value: base64(text), format: base64('cloud-config') },
});

const call = (more: Partial<Call>): Call => ({
  user: ACCOUNT_USER,
  verb: 'create',
  resource: 'configmaps',
  namespace,
  name: 'c0-lock',
  code: 201,
  uri: '',
  receivedMs: 0,
  doneMs: 0,
  ...more,
});

describe('judges of the stack', () => {
  let witness: Witness | undefined;
  afterEach(() => witness?.stop());

  const judging = (objects: Partial<Record<Kind, Seen[]>>, calls: readonly Call[] = []): Witness => {
    const list = (kind: Kind): Promise<readonly Seen[]> => Promise.resolve(objects[kind] ?? []);
    const api: Pick<Api, 'get' | 'list' | 'listMetadata'> = {
      get: () => Promise.resolve(null),
      list,
      listMetadata: list,
    };
    const provider: Pick<ProviderLife, 'logs' | 'program'> = { logs: [], program: null };
    return (witness = startWitness({
      api: api as Api,
      audit: { calls: () => calls },
      provider: provider as ProviderLife,
    }));
  };
  const init = 'kind: InitConfiguration';

  test('a world in order -> nothing is wrong', async () => {
    const objects = { Machine: [machine('a')], KubeadmConfig: [config('a')], Secret: [data('a', init)] };
    const calls = [call({}), call({ verb: 'delete', code: 200 }), call({}), call({ verb: 'delete', code: 200 })];
    expect(await judging(objects, calls).judge(['c0'])).toEqual([]);
  });

  test('init data twice -> named, once', async () => {
    const names = ['a', 'b'];
    const objects = {
      Machine: names.map(machine),
      KubeadmConfig: names.map(config),
      Secret: names.map((name) => data(name, init)),
    };
    const judge = judging(objects);
    expect(await judge.judge(['c0'])).toEqual(['c0 has init data twice: a and b']);
    expect(await judge.judge(['c0'])).toEqual([]);
  });

  test('a join without a token of its own -> told', async () => {
    const objects = { Machine: [machine('a')], KubeadmConfig: [config('a')], Secret: [data('a', 'kubeadm join')] };
    expect(await judging(objects).judge(['c0'])).toEqual(['0 tokens for 1 joins and 0 rotations']);
  });

  test('data that changes -> rewritten', async () => {
    const objects = { Machine: [machine('a')], KubeadmConfig: [config('a')], Secret: [data('a', init)] };
    const judge = judging(objects);
    await judge.judge(['c0']);
    objects.Secret = [data('a', `${init}\n`)];
    expect(await judge.judge(['c0'])).toEqual(['data Secret a was rewritten']);
  });

  test('a condition that is missing, an owner that is gone, a lock that is held -> told', async () => {
    const objects = {
      KubeadmConfig: [{ ...config('a'), status: { conditions: conditions.slice(1), dataSecretName: 'a' } }],
      Secret: [data('a', init)],
      ConfigMap: [{ metadata: meta('c0-lock') }],
    };
    expect(await judging(objects).judge([])).toEqual([
      'KubeadmConfig a: Ready is missing, want True',
      'KubeadmConfig a: no Machine and no MachinePool owns it',
      'the init lock c0-lock is held at rest',
    ]);
  });

  test('a lock that is taken while it is held, and a refusal -> told', async () => {
    const calls = [call({}), call({}), call({ verb: 'list', resource: 'nodes', name: '', code: 403 })];
    expect(await judging({}, calls).judge([])).toEqual([
      'the init lock c0-lock was taken twice',
      'the account may not list nodes',
    ]);
  });

  test('objects of a deleted world -> left', async () => {
    expect(await judging({ Secret: [data('a', init)] }).leftovers()).toEqual(['Secret a is left']);
  });

  test('differences: a condition of the other provider alone -> a line of both objects', () => {
    const left = (lines: readonly string[]): { what: string; lines: readonly string[] }[] => [{ what: 'K', lines }];
    expect(differences(left(['.a = 1']), left(['.a = 1']))).toEqual([]);
    expect(differences(left(['.a = 1']), left(['.a = 2']))).toEqual(['K: ours .a = 1 | theirs .a = 2']);
    expect(differences(left(['.a = 1']), [])).toEqual(['K: 1 of ours, 0 of theirs']);
  });

  test('missing: a Machine of the old version -> the roll-out has not arrived', () => {
    const wanted: Wanted = {
      name: 'c0',
      hasTopology: false,
      hasPool: false,
      controlPlanes: 0,
      workers: 1,
      controlPlaneVersion: 'v1',
      workerVersion: 'v2',
      poolConfig: '',
    };
    const counts = (count: number): Seen => ({
      metadata: { ...meta('any'), generation: 1 },
      status: { observedGeneration: 1, replicas: count, readyReplicas: count, upToDateReplicas: count },
    });
    const worker = (version: string): Seen => ({
      metadata: meta('w'),
      spec: { version },
      status: { nodeRef: { name: 'w' } },
    });
    const look = (version: string): Look => ({
      clusters: [],
      configs: [config('w')],
      pools: [],
      machines: [worker(version)],
      controlPlanes: [counts(0)],
      deployments: [counts(1)],
    });
    expect(missing(look('v2'), [wanted])).toEqual([]);
    expect(missing(look('v1'), [wanted])).toEqual(['workers of c0: 1 machines, 0 up at v2, want 1']);
  });

  test('command line: an unknown phase -> told which there are', () => {
    expect(() => parseStack(['--phases', 'create,destroy'])).toThrow('--phases: no destroy; want some of create, ');
    expect(parseStack(['--short']).phases).toEqual(['create', 'pool', 'restart', 'delete']);
  });
});
