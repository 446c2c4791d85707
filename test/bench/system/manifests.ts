// The world of the system bench: clusters with one control plane and some workers, as Cluster API's other controllers leave them.
//
// Every KubeadmConfig has one file and one command. CAs and kubeconfigs are there already unless a run is about making CAs: then the
// provider spends no time on keys. Pure but for the CAs, which are made once and shared.
import { resources } from '../../../src/api/names.js';
import { certificateSet } from '../../../src/bootstrap/certificates/certificate-sets.js';
import { generateCertificates } from '../../../src/bootstrap/certificates/generate-certificates.js';
import { createKeyPool } from '../../../src/bootstrap/certificates/key-pool.js';
import { generateKeyPair } from '../../../src/bootstrap/certificates/keys.js';

/** Where the world lives. */
export const namespace = 'bench';

/** One cluster's names. */
export interface ClusterNames {
  readonly cluster: string;
  readonly controlPlane: string;
  readonly workers: readonly string[];
}

/** Data of CA Secrets by purpose. */
export type CaData = ReadonlyMap<string, Readonly<Record<string, string>>>;

const clusterLabel = 'cluster.x-k8s.io/cluster-name';

/** Names of so many clusters with so many workers each. */
export function namesOf(clusters: number, workers: number): readonly ClusterNames[] {
  return Array.from({ length: clusters }, (_, index) => {
    const cluster = `c${String(index).padStart(4, '0')}`;
    return {
      cluster,
      controlPlane: `${cluster}-cp`,
      workers: Array.from({ length: workers }, (_, worker) => `${cluster}-w${worker}`),
    };
  });
}

/** One set of CAs. */
export async function makeCas(): Promise<CaData> {
  const made = await generateCertificates({
    wants: certificateSet('initialControlPlane', { name: 'any' }, undefined),
    settings: undefined,
    owner: 'bench/any',
    pool: createKeyPool({ generate: generateKeyPair }),
    nowMs: Date.now(),
    signal: new AbortController().signal,
  });
  if (made.kind !== 'generated') throw new Error('the CAs of the bench cannot be made');
  return new Map(
    made.made.map(({ want, cert, key }) => [want.purpose, { 'tls.crt': base64(cert), 'tls.key': base64(key) }]),
  );
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const metadata = (cluster: string, name: string, labels: Readonly<Record<string, string>> = {}): object => ({
  name,
  namespace,
  labels: { [clusterLabel]: cluster, ...labels },
});

/** The Cluster, with its endpoint: the load balancer is there before the machines are. */
export function clusterOf({ cluster }: ClusterNames): object {
  return {
    apiVersion: resources.Cluster.apiVersion,
    kind: 'Cluster',
    metadata: metadata(cluster, cluster),
    spec: {
      clusterNetwork: {
        pods: { cidrBlocks: ['10.244.0.0/16'] },
        services: { cidrBlocks: ['10.96.0.0/12'] },
        serviceDomain: 'cluster.local',
      },
      controlPlaneEndpoint: { host: `${cluster}.bench.internal`, port: 6443 },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'BenchCluster', name: cluster },
    },
  };
}

/** Secrets that others make: the kubeconfig of the workload cluster, and CAs. */
export function secretsOf(
  { cluster }: ClusterNames,
  uid: string,
  made: { readonly cas: CaData | null; readonly kubeconfig: string },
): readonly object[] {
  const owner = { apiVersion: resources.Cluster.apiVersion, kind: 'Cluster', name: cluster, uid };
  const secret = (purpose: string, data: Readonly<Record<string, string>>): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'cluster.x-k8s.io/secret',
    metadata: { ...metadata(cluster, `${cluster}-${purpose}`), ownerReferences: [owner] },
    data,
  });
  return [
    secret('kubeconfig', { value: base64(made.kubeconfig) }),
    ...[...(made.cas ?? [])].map(([purpose, data]) => secret(purpose, data)),
  ];
}

/** A Machine. */
export function machineOf(cluster: string, name: string, isControlPlane: boolean): object {
  return {
    apiVersion: resources.Machine.apiVersion,
    kind: 'Machine',
    metadata: metadata(cluster, name, isControlPlane ? { 'cluster.x-k8s.io/control-plane': '' } : {}),
    spec: {
      clusterName: cluster,
      version: 'v1.34.1',
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name } },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'BenchMachine', name },
    },
  };
}

/** The KubeadmConfig of a Machine. */
export function configOf(cluster: string, name: string, machineUid: string, isControlPlane: boolean): object {
  const registration = { nodeRegistration: { kubeletExtraArgs: [{ name: 'cloud-provider', value: 'external' }] } };
  return {
    apiVersion: resources.KubeadmConfig.apiVersion,
    kind: 'KubeadmConfig',
    metadata: {
      ...metadata(cluster, name),
      ownerReferences: [
        { apiVersion: resources.Machine.apiVersion, kind: 'Machine', name, uid: machineUid, controller: true },
      ],
    },
    spec: {
      ...(isControlPlane
        ? {
            clusterConfiguration: { apiServer: { certSANs: [`${cluster}.bench.internal`] } },
            initConfiguration: registration,
          }
        : {}),
      joinConfiguration: registration,
      files: [{ path: '/etc/motd', owner: 'root:root', permissions: '0644', content: `A node of ${cluster}.\n` }],
      preKubeadmCommands: ['hostname'],
    },
  };
}
