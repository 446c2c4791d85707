// What a person sees when the operator cannot start, and how two of them share a Lease, on a real kube-apiserver.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { installDefinitions } from './definitions.js';

let server: EnvtestServer;
let folder: string;
const running: OperatorProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kbo-startup-'));
  server = await startApiServer({ audit: true, users: [{ name: 'operator' }, { name: 'limited' }] });
}, 90_000);

afterEach(async () => {
  for (const process of running.splice(0)) await process.kill();
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(kubeconfig: string, flags: readonly string[] = []): OperatorProcess {
  const process = startOperatorProcess(kubeconfig, flags);
  running.push(process);
  return process;
}

/** Exit code and lines of a start that fails. */
async function failedStart(
  kubeconfig: string,
): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
  const process = run(kubeconfig);
  const code = await process.exited;
  return {
    code,
    lines: process
      .output()
      .split('\n')
      .filter((line) => line !== '' && !/^[IW]\d{4} /.test(line)),
  };
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The rules of the ClusterRole that is shipped. */
function shippedRules(): readonly Rule[] {
  const documents = parseAllDocuments(readFileSync('deploy/bootstrap-components.yaml', 'utf8'));
  const objects = documents.map((document) => document.toJS() as { kind?: string; rules?: readonly Rule[] } | null);
  return objects.find((object) => object?.kind === 'ClusterRole')?.rules ?? [];
}

/** Gives a user the shipped rules, changed by `drop`, and Leases. */
async function allow(user: string, drop: (rule: Rule) => Rule = (rule) => rule): Promise<void> {
  const path = '/apis/rbac.authorization.k8s.io/v1';
  const metadata = { name: user };
  const rules = shippedRules().map(drop);
  const leases = {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  };
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules: [...rules, leases] };
  expect((await server.call('POST', `${path}/clusterroles`, role)).status).toBe(201);
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
  };
  expect((await server.call('POST', `${path}/clusterrolebindings`, binding)).status).toBe(201);
}

describe('start that fails', () => {
  test('kubeconfig that is not there, and one that is none -> exit 1 and one line that names it', async () => {
    const missing = await failedStart(join(folder, 'missing'));
    expect([missing.code, missing.lines.length, missing.lines[0]]).toEqual([
      1,
      1,
      expect.stringMatching(/missing: no such file/),
    ]);
    const broken = join(folder, 'broken');
    writeFileSync(broken, 'a: [');
    const result = await failedStart(broken);
    expect([result.code, result.lines.length, result.lines[0]]).toEqual([
      1,
      1,
      expect.stringMatching(/broken is not a kubeconfig/),
    ]);
  });

  test('server that is not there -> exit 1 and one line', async () => {
    const file = join(folder, 'nowhere');
    writeFileSync(file, server.kubeconfig('operator').replace(`:${server.port}`, ':1'));
    const { code, lines } = await failedStart(file);
    expect([code, lines.length, lines[0]]).toEqual([
      1,
      1,
      expect.stringMatching(/cannot reach the API server at 127\.0\.0\.1:1: connection refused/),
    ]);
  });

  test('credentials that nobody knows -> exit 1 and one line', async () => {
    const file = join(folder, 'stranger');
    writeFileSync(file, server.kubeconfig('operator').replace('token-operator', 'token-nobody'));
    const { code, lines } = await failedStart(file);
    expect([code, lines.length, lines[0]]).toEqual([1, 1, expect.stringMatching(/Unauthorized/)]);
  });

  test('definitions that are not installed -> exit 1, each named', async () => {
    const { code, lines } = await failedStart(server.kubeconfigFile('admin'));
    expect(code).toBe(1);
    for (const name of [
      'kubeadmconfigs.bootstrap.cluster.x-k8s.io',
      'machines.cluster.x-k8s.io',
      'clusters.cluster.x-k8s.io',
    ]) {
      expect(lines.filter((line) => line.includes(`does not serve ${name} in version v1beta2`))).toHaveLength(1);
    }
    await installDefinitions(server);
  });

  test('verbs that are forbidden -> exit 1, each named with the rule to add', async () => {
    const without = (verbs: readonly string[], dropped: string): readonly string[] =>
      verbs.filter((verb) => verb !== dropped);
    await allow('limited', (rule) => {
      if (rule.resources.includes('secrets')) return { ...rule, verbs: without(rule.verbs, 'create') };
      if (rule.resources.includes('kubeadmconfigs'))
        return { ...rule, resources: ['kubeadmconfigs'], verbs: without(rule.verbs, 'watch') };
      return rule;
    });
    const { code, lines } = await failedStart(server.kubeconfigFile('limited'));
    expect(code).toBe(1);
    const text = lines.join('\n');
    expect(text).toContain(
      'may not create secrets: add a rule with apiGroups [""], resources ["secrets"], verbs ["create"]',
    );
    expect(text).toContain(
      'may not create configmaps: add a rule with apiGroups [""], resources ["configmaps"], verbs ["create"]',
    );
    expect(text).toContain('resources ["kubeadmconfigs"], verbs ["watch"]');
    expect(text).toContain('resources ["kubeadmconfigs/status"], verbs ["patch"]');
    expect(lines).toHaveLength(4);
  });
});

describe('start with the shipped rules', () => {
  test('leader election: SIGTERM of the leader -> the standby leads within 3 s; nothing else is written', async () => {
    await allow('operator');
    await server.call('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'capi-kubeadm-bootstrap-system' },
    });
    const file = server.kubeconfigFile('operator');
    const acquired = (process: OperatorProcess): boolean => process.output().includes('Lease acquired');
    const one = run(file, [
      '--leader-elect',
      '--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields',
    ]);
    await until(
      'the first leads',
      () => one.output(),
      () => acquired(one),
    );
    const two = run(file, [
      '--leader-elect',
      '--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields',
    ]);
    await until(
      'the second waits',
      () => two.output(),
      (text) => text.includes('Waiting for the Lease'),
    );
    const startedMs = performance.now();
    expect(await one.stop()).toBe(0);
    await until(
      'the second leads',
      () => two.output(),
      () => acquired(two),
    );
    expect(performance.now() - startedMs).toBeLessThan(3_000);
    const writes = server
      .auditEntries()
      .filter(
        ({ user, verb, objectRef }) =>
          user.username === 'operator' &&
          ['create', 'update', 'patch', 'delete'].includes(verb) &&
          objectRef?.resource !== 'leases' &&
          objectRef?.apiGroup !== 'authorization.k8s.io',
      );
    expect(writes.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });
});
