// The real kubectl against the embedded server and against a real one: the same commands, the same words.
//
// Ages, uids, resourceVersions and addresses are replaced before the outputs are compared.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { createEmbeddedApiServer } from '../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../src/embedded/crds.js';
import type { EmbeddedApiServer } from '../../src/embedded/types.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { installDefinitions } from './definitions.js';

const kubectl = join(process.env.KUBEBUILDER_ASSETS ?? '', 'kubectl');

const manifests = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: m1, labels: {role: worker}}
spec:
  clusterName: c1
  version: v1.36.0
  bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfig, name: m1}}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DemoMachine, name: m1}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfig
metadata: {name: m1, labels: {cluster.x-k8s.io/cluster-name: c1}}
spec: {format: cloud-config, verbosity: 5}
---
apiVersion: v1
kind: Secret
metadata: {name: s1}
stringData: {a: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c1}
data: {a: b}
`;

const pool = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: {name: p1}
spec:
  clusterName: c1
  replicas: 2
  template:
    spec:
      clusterName: c1
      bootstrap: {dataSecretName: x}
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DemoMachinePool, name: p1}
`;

const changed = manifests.replace('verbosity: 5', 'verbosity: 7').replace('data: {a: b}\n', 'data: {a: c, d: e}\n');
const misspelt = manifests.replace('verbosity', 'verbositi');

interface Server {
  readonly kubeconfig: string;
  run(args: string, input?: string): Promise<string>;
}

/** Asynchronous, because the embedded server answers in this process. */
function run(args: readonly string[], env: Readonly<Record<string, string>>, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(kubectl, args, { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.once('error', reject);
    child.once('close', () => resolve(stdout + stderr));
    child.stdin.end(input);
  });
}

function normal(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replace(/(resourceVersion[\\"]*: ?[\\"]*|Resource Version:\s+)\d+/gi, '$1<rv>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/\b\d+(s|m\d*s?)\b(?!:)/g, '<age>')
    .replace(/(LIVE|MERGED)-\d+/g, '$1')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/g, '<time>')
    .replace(/[ \t]+/g, ' ')
    .replace(/ +$/gm, '')
    .replace(/'[^']*kbo-kubectl-[^/]*/g, "'<folder>")
    .replace(/"[^"]*kbo-kubectl-[^/]*/g, '"<folder>');
}

describe('kubectl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kbo-kubectl-'));
  let real: EnvtestServer;
  let embedded: EmbeddedApiServer;
  let servers: { real: Server; embedded: Server };

  const server = (name: string, kubeconfig: string): Server => {
    const file = join(folder, `${name}.kubeconfig`);
    writeFileSync(file, kubeconfig);
    const env = { PATH: process.env.PATH ?? '', HOME: join(folder, name), KUBECONFIG: file };
    return {
      kubeconfig: file,
      run: (args, input) => run(args.split(' '), env, input ?? ''),
    };
  };

  /** Runs a command on both and expects the same output. */
  const same = async (args: string, input?: string): Promise<string> => {
    const [wanted, found] = await Promise.all([servers.real.run(args, input), servers.embedded.run(args, input)]);
    expect(normal(found)).toBe(normal(wanted));
    return wanted;
  };

  beforeAll(async () => {
    real = await startApiServer();
    await installDefinitions(real);
    embedded = createEmbeddedApiServer({
      clock: systemClock,
      random: systemRandom,
      crds: [...coreDefinitions, ...bootstrapDefinitions],
    });
    await embedded.listen();
    servers = { real: server('real', real.kubeconfig()), embedded: server('embedded', embedded.kubeconfig()) };
  }, 120_000);
  afterAll(async () => {
    await real.stop();
    await embedded.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('apply: new, unchanged, changed and misspelt manifests -> the same words', async () => {
    expect(await same('apply -f -', manifests)).toContain('kubeadmconfig.bootstrap.cluster.x-k8s.io/m1 created');
    expect(await same('apply -f -', manifests)).toContain('machine.cluster.x-k8s.io/m1 unchanged');
    expect(await same('apply -f -', changed)).toContain('kubeadmconfig.bootstrap.cluster.x-k8s.io/m1 configured');
    expect(await same('apply -f -', misspelt)).toMatch(/unknown field "spec\.verbositi"/);
    await same('apply -f -', changed);
    expect(await same('diff -f -', manifests)).toContain('verbosity');
  });

  test('get: lists, wide, all namespaces, labels, names, JSON and YAML -> the same tables', async () => {
    await same('get kubeadmconfigs -A');
    await same('get machines -o wide');
    await same('get machines,kubeadmconfigs,secrets,configmaps');
    await same('get ma -l role=worker --show-labels');
    await same('get secret s1 -o name');
    await same('get machine m1 -o yaml');
    await same('get configmap c1 -o jsonpath={.data.a}');
    await same('get kubeadmconfig nothing');
    await same('get nothings');
    await same('get namespaces');
    await same('get machines --chunk-size=1 --field-selector metadata.name=m1');
  });

  test('describe: objects with and without events -> the same text', async () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e1', namespace: 'default' },
      involvedObject: {
        apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
        kind: 'KubeadmConfig',
        namespace: 'default',
        name: 'm1',
      },
      reason: 'Waiting',
      message: 'for a test',
      type: 'Warning',
      source: { component: 'test' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
    };
    for (const each of Object.values(servers)) await each.run('create -f -', JSON.stringify(event));
    await same('describe machine m1');
    await same('describe secret s1');
    const { uid } = JSON.parse(await servers.embedded.run('get kubeadmconfig m1 -o json')).metadata as { uid: string };
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await servers.embedded.run('get events')).toMatch(/Warning\s+Waiting\s+kubeadmconfig\/m1\s+for a test/);
    expect(await servers.embedded.run('describe kubeadmconfig m1')).toMatch(/Name:\s+m1[\s\S]*Verbosity:\s+7/);
  });

  test('edit by command: label, annotate, patch, replace, server-side apply -> the same words', async () => {
    await same('label machine m1 a=b');
    await same('label machine m1 a=c');
    await same('annotate kubeadmconfig m1 note=x');
    await same('patch machine m1 --type merge -p {"spec":{"version":"v1.37.0"}}');
    await same('patch machine m1 --type json -p [{"op":"remove","path":"/spec/version"}]');
    await same('patch machine m1 --subresource=status --type merge -p {"status":{"phase":"Running"}}');
    await same('patch configmap c1 -p {"data":{"f":"g"}}');
    await same('apply --server-side -f -', changed);
    await same('apply --server-side --force-conflicts -f -', changed);
    await same('get machine m1 -o yaml --show-managed-fields');
    await same('explain kubeadmconfig.spec.ntp');
  });

  test('create, scale, wait and can-i: bodies in protobuf and subresources -> the same words', async () => {
    await same('create namespace n1 --dry-run=server -o name');
    await same('create namespace n1');
    await same('create namespace n1');
    await same('create secret generic s2 --from-literal=a=b -n n1 -o jsonpath={.data}');
    await same('create configmap c2 --from-literal=a=b -n n1 -o jsonpath={.data}{.metadata.namespace}');
    await same('create serviceaccount sa -n n1');
    await same('auth can-i list secrets');
    await same('auth can-i get /metrics');
    await same('apply -f -', pool);
    await same('scale machinepool p1 --replicas=4');
    await same('scale machinepool p1 --replicas=5 --current-replicas=3');
    await same('get machinepool p1 -o jsonpath={.spec.replicas}');
    await same('wait machine/m1 --for=jsonpath={.spec.clusterName}=c1 --timeout=5s');
    await same('delete machinepool p1');
  });

  test('get -w: a change and a deletion -> a line for each', async () => {
    const watching = spawn(kubectl, ['get', 'machines', '-w', '--no-headers'], {
      env: { PATH: process.env.PATH ?? '', HOME: folder, KUBECONFIG: servers.embedded.kubeconfig },
    });
    let output = '';
    const until = async (wanted: RegExp): Promise<void> => {
      for await (const chunk of watching.stdout) {
        output += String(chunk);
        if (wanted.test(output)) return;
      }
    };
    const done = until(/Running[\s\S]*Deleting[\s\S]*Deleting/);
    await new Promise((resolve) => watching.stdout.once('readable', resolve));
    await servers.embedded.run('patch machine m1 --subresource=status --type merge -p {"status":{"phase":"Deleting"}}');
    await servers.embedded.run('delete machine m1');
    await done;
    watching.kill('SIGKILL');
    expect(output.trim().split('\n').length).toBeGreaterThanOrEqual(3);
  });

  test('delete: by file, by label and what is not there -> the same words', async () => {
    await servers.real.run('delete machine m1');
    await same('delete secret,configmap -l nothing=here');
    await same('delete kubeadmconfig m1');
    await same('delete kubeadmconfig m1');
    await same('delete secret s1 --wait=true');
    await same('get kubeadmconfigs,machines,secrets');
  });
});
