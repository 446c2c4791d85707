// A management cluster in memory with the simulated infrastructure, and bootstrap data written by hand.
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { createHandleClient } from '../../../src/embedded/client.js';
import { createEmbeddedWorkloads, type EmbeddedWorkloads } from '../../../src/embedded/clusters.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import { createSimulatedInfrastructure } from '../../../src/embedded/infrastructure/infrastructure.js';
import type { KubeObject } from '../../../src/api/rest.js';
import type {
  InfrastructureClient,
  InfrastructureOptions,
  SimulatedInfrastructure,
} from '../../../src/embedded/infrastructure/ports.js';
import {
  clusters,
  kubeadmConfigs,
  machinePools,
  machines,
  secrets,
} from '../../../src/embedded/infrastructure/resources.js';
import type { EmbeddedApiServer, EmbeddedApiServerOptions } from '../../../src/embedded/types.js';
import { createTestClock, fixedRandom, type TestClock } from '../kube/test-clock.js';

/** A certificate authority. */
export const ca = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBXzCCAQagAwIBAgICAQEwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLc2NlbmFy',
  'aW8tY2EwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBYxFDASBgNV',
  'BAMMC3NjZW5hcmlvLWNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8S7xZn21',
  '6ajahpjyQ5BCs43vyg1e+xq9/kl/HBzFiVujPUpWscgmYOiOhxswcXVc1kNWIzpa',
  'lsFnpGCDianKBaNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAqQw',
  'HQYDVR0OBBYEFCyvCPh+GmNmFjEjti1a3uufHIW4MAoGCCqGSM49BAMCA0cAMEQC',
  'IFYpcoZK9cc93WzFe1kVHegwtEOybuGoNFIeaVE3t8ixAiB5m4mOwPsJ3UwQWVcJ',
  'ezITYTC8oqn8N3/I9zgjkCammQ==',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

/** Another one. */
export const otherCa = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBajCCARCgAwIBAgICAQQwCgYIKoZIzj0EAwIwGzEZMBcGA1UEAwwQc2NlbmFy',
  'aW8tZXRjZC1jYTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGzEZ',
  'MBcGA1UEAwwQc2NlbmFyaW8tZXRjZC1jYTBZMBMGByqGSM49AgEGCCqGSM49AwEH',
  'A0IABGxGZ2Lk0jBpfNEimjYtES7vAvm8Pnnd8Gv38tooHfiv8PB0GTXTZJAF5FUR',
  'TxsGFU+RAt8IXZHAChJzI/nNQo2jQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0P',
  'AQH/BAQDAgKkMB0GA1UdDgQWBBTkHNIMzG8WvjtR82vmw4rtV43MOjAKBggqhkjO',
  'PQQDAgNIADBFAiArCT1A0uKzW2fJmAbcPKMvSX/uimNLemNRWUpbpxjv8gIhAPUu',
  'UHESpVK8BsPjeRtBXx0/20V1gZU7jL0j5hmEVJBp',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

/** Seeded, so that a failing run can be repeated. */
export function seededRandom(seed: number): { next(): number } {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** A server with the Cluster API kinds. */
export function testServer(clock: TestClock, options: Partial<EmbeddedApiServerOptions> = {}): EmbeddedApiServer {
  return createEmbeddedApiServer({
    clock,
    random: seededRandom(1),
    crds: [...coreDefinitions, ...bootstrapDefinitions],
    ...options,
  });
}

/** Everything a test of the infrastructure needs. */
export interface TestWorld {
  readonly clock: TestClock;
  readonly server: EmbeddedApiServer;
  readonly client: InfrastructureClient;
  readonly workloads: EmbeddedWorkloads;
  readonly infrastructure: SimulatedInfrastructure;
  apply(object: object): Promise<KubeObject>;
  /** Stores bootstrap data and reports it in the KubeadmConfig's status, as the operator does. */
  store(config: string, value: string, format?: string): Promise<void>;
  stop(): Promise<void>;
}

const resources = {
  Cluster: clusters,
  Machine: machines,
  MachinePool: machinePools,
  KubeadmConfig: kubeadmConfigs,
  Secret: secrets,
};

/** Starts a world. */
export async function startWorld(options: Partial<InfrastructureOptions> = {}): Promise<TestWorld> {
  const clock = createTestClock();
  const server = testServer(clock);
  const client = createHandleClient(server.handle);
  const workloads = createEmbeddedWorkloads({ clock, random: seededRandom(2), listen: false });
  const infrastructure = createSimulatedInfrastructure({ client, workloads, clock, random: fixedRandom(), ...options });
  const started = infrastructure.start();
  await clock.settle();
  await started;
  return {
    clock,
    server,
    client,
    workloads,
    infrastructure,
    async apply(object) {
      const { kind } = object as { kind: keyof typeof resources };
      return await client.create(resources[kind], object);
    },
    async store(config, value, format = 'cloud-config') {
      const data = { format: Buffer.from(format).toString('base64'), value: Buffer.from(value).toString('base64') };
      await client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: config, namespace: 'default' },
        data,
      });
      const status = { dataSecretName: config, initialization: { dataSecretCreated: true } };
      await client.mergePatch(
        { resource: kubeadmConfigs, namespace: 'default', name: config },
        { status },
        { subresource: 'status' },
      );
    },
    async stop() {
      await infrastructure.stop();
      await server.close();
      await workloads.close();
    },
  };
}

/** A Machine of cluster `c` and its KubeadmConfig. */
export function machineAndConfig(name: string): [object, object] {
  const ref = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name };
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name };
  return [
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: { name, namespace: 'default' },
      spec: { clusterName: 'c', version: 'v1.36.0', bootstrap: { configRef: ref }, infrastructureRef },
    },
    {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfig',
      metadata: { name, namespace: 'default' },
    },
  ];
}

/** Cluster `c`. */
export const clusterC = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'default' },
  spec: { infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoCluster', name: 'c' } },
};

/** The endpoint that the infrastructure gives to cluster `c`. */
export const endpoint = 'c.default.cluster.internal:6443';

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n');
}

function cloudConfig(files: Readonly<Record<string, string>>, command: string): string {
  const list = Object.entries(files).map(
    ([path, content]) => `-   path: ${path}\n    content: |\n${indented(content)}`,
  );
  return `## template: jinja\n#cloud-config\n\nwrite_files:\n${list.join('\n')}\nruncmd:\n  - ${command}\n`;
}

/** Data of a first control plane. */
export function initData(caPem = ca): string {
  const kubeadm = `---\napiVersion: kubeadm.k8s.io/v1beta4\ncontrolPlaneEndpoint: ${endpoint}\nkind: ClusterConfiguration\n---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration`;
  const files = { '/etc/kubernetes/pki/ca.crt': caPem, '/run/kubeadm/kubeadm.yaml': kubeadm };
  return cloudConfig(files, "'kubeadm init --config /run/kubeadm/kubeadm.yaml  && echo success > /run/done'");
}

/** Data of a worker. */
export function joinData(token: string, hash: string, at = endpoint): string {
  const kubeadm = `---\napiVersion: kubeadm.k8s.io/v1beta4\ndiscovery:\n  bootstrapToken:\n    apiServerEndpoint: ${at}\n    caCertHashes:\n    - ${hash}\n    token: ${token}\nkind: JoinConfiguration`;
  return cloudConfig(
    { '/run/kubeadm/kubeadm-join-config.yaml': kubeadm },
    'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > /run/done',
  );
}

/** A bootstrap token Secret as the operator writes it. */
export function tokenSecret(token: string, expiration: string): object {
  const [id = '', secret = ''] = token.split('.');
  const stringData = {
    'token-id': id,
    'token-secret': secret,
    expiration,
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': 'true',
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    stringData,
  };
}
