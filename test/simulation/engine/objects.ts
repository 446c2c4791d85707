// The objects of a simulated world: what users create, and the certificates that are there already.
import { generateKeyPairSync } from 'node:crypto';
import { createCaCertificate } from '../../../src/bootstrap/certificates/ca-certificate.js';
import { privateKeyPem, publicKeyPem } from '../../../src/bootstrap/certificates/keys.js';
import type { GeneratedKey } from '../../../src/bootstrap/certificates/types.js';
import { sampleCluster } from '../../../src/embedded/sample-world.js';
import type { WorldPlan } from './plan.js';
import { EPOCH_MS } from './virtual-time.js';

/** The namespace of every simulated world. */
export const NAMESPACE = 'world';
/** The token that a user wrote into a KubeadmConfig; it has no expiry. */
export const USER_TOKEN = 'usertk.0123456789abcdef';
/** The Lease of each controller. */
export const LEASES = {
  kubeadmconfig: 'kubeadm-bootstrap-manager-leader-election-capi',
  machine: 'controller-leader-election-capi',
} as const;
/** The controller of a Secret that is not ours. */
export const FOREIGN_OWNER = 'somebody-else';

/** Keys and certificates, made once a process: they decide nothing. */
export interface Material {
  readonly keys: readonly GeneratedKey[];
  readonly pairs: readonly { readonly purpose: string; readonly cert: string; readonly key: string }[];
}

let material: Promise<Material> | null = null;

/** The material of this process. */
export function materialOfProcess(): Promise<Material> {
  material ??= makeMaterial();
  return material;
}

async function makeMaterial(): Promise<Material> {
  const keys = Array.from({ length: 4 }, (): GeneratedKey => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return { algorithm: 'RSA-2048', ...pair };
  });
  const purposes = ['ca', 'etcd', 'proxy', 'sa'];
  const pairs = [];
  for (const [index, purpose] of purposes.entries()) {
    const key = keys[index] as GeneratedKey;
    const cert =
      purpose === 'sa' ? publicKeyPem(key) : await createCaCertificate({ key, nowMs: EPOCH_MS, validityDays: 3650 });
    pairs.push({ purpose, cert, key: privateKeyPem(key) });
  }
  return { keys, pairs };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Names of the clusters of a world. */
export function clusterNames({ clusters }: WorldPlan): readonly string[] {
  return Array.from({ length: clusters }, (_, index) => `c${index + 1}`);
}

/** Name of the worker with something special, or null. */
export function specialWorker(plan: WorldPlan): string | null {
  return plan.workers === 0 ? null : `c1-worker-${plan.workers - 1}`;
}

/** Everything that users create, in their order. */
export function manifestsOf(plan: WorldPlan, { pairs }: Material): readonly Manifest[] {
  const size = {
    clusters: plan.clusters,
    controlPlanes: plan.controlPlanes,
    workers: plan.workers,
    poolReplicas: plan.poolReplicas,
    version: 'v1.34.0',
    namespace: NAMESPACE,
    ignition: false,
    demoMachines: plan.machines,
  };
  const special = specialWorker(plan);
  return clusterNames(plan).flatMap((cluster) => [
    ...(plan.certificates === 'given' ? pairs.map((pair) => certificateSecret(cluster, pair)) : []),
    ...(plan.foreignSecretUntilMs !== null && cluster === 'c1' && special !== null
      ? foreignObjects(special, plan.foreignSecret)
      : []),
    ...(plan.contentsFromSecrets === true && cluster === 'c1' ? [contentSecret()] : []),
    ...(sampleCluster(cluster, size) as readonly Manifest[]).map((manifest) => {
      if (manifest.kind !== 'KubeadmConfig') return manifest;
      const whole = plan.contentsFromSecrets === true ? withContents(manifest) : manifest;
      return plan.userToken && manifest.metadata.name === special ? withUserToken(whole) : whole;
    }),
  ]);
}

/** A certificate of a cluster, as its user stores it. */
export function certificateSecret(cluster: string, { purpose, cert, key }: Material['pairs'][number]): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${cluster}-${purpose}`, namespace: NAMESPACE, labels: clusterLabel(cluster) },
    type: 'cluster.x-k8s.io/secret',
    data: { 'tls.crt': base64(cert), 'tls.key': base64(key) },
  } as Manifest;
}

function withUserToken(manifest: Manifest): Manifest {
  const join = (manifest.spec?.['joinConfiguration'] ?? {}) as object;
  return {
    ...manifest,
    spec: { ...manifest.spec, joinConfiguration: { ...join, discovery: { bootstrapToken: { token: USER_TOKEN } } } },
  };
}

/** What is in the Secret of files and passwords: it looks like nothing that a scrubber knows. */
export const CONTENT_MARKS: readonly string[] = ['content mark Zq7&/+=?', 'password mark Zq7&/+=?'];
/** Name of that Secret. */
export const CONTENT_SECRET = 'contents';

function contentSecret(): Manifest {
  const [content = '', password = ''] = CONTENT_MARKS;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: CONTENT_SECRET, namespace: NAMESPACE },
    data: { content: base64(content), password: base64(password) },
  } as Manifest;
}

function withContents(manifest: Manifest): Manifest {
  const from = (key: string): object => ({ secret: { name: CONTENT_SECRET, key } });
  const files = (manifest.spec?.['files'] ?? []) as readonly object[];
  const more = [
    { path: '/etc/content', contentFrom: from('content') },
    { path: '/etc/template', contentFrom: from('content'), contentFormat: 'Template' },
  ];
  const users = [{ name: 'admin', passwdFrom: from('password') }];
  return { ...manifest, spec: { ...manifest.spec, files: [...files, ...more], users } };
}

/**
 * A Secret in the place of somebody's data: one that looks like data, and who controls it, created with its uid by the world;
 * or one that nobody controls, of another type, which no cache of labelled Secrets shows.
 */
function foreignObjects(name: string, kind: WorldPlan['foreignSecret']): readonly Manifest[] {
  if (kind === 'plain') {
    const data = { value: base64('not yours'), password: base64('somebody’s') };
    return [
      { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name, namespace: NAMESPACE }, data } as Manifest,
    ];
  }
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: FOREIGN_OWNER, namespace: NAMESPACE } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'cluster.x-k8s.io/secret',
      metadata: { name, namespace: NAMESPACE, labels: clusterLabel('c1') },
      data: { value: base64('not yours'), format: base64('cloud-config') },
    } as Manifest,
  ];
}

function clusterLabel(cluster: string): object {
  return { 'cluster.x-k8s.io/cluster-name': cluster };
}

/** Text in base64. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A Secret's value as text. */
export function decoded(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}

const PLURALS: Readonly<Record<string, string>> = {
  Secret: 'secrets',
  ConfigMap: 'configmaps',
  Namespace: 'namespaces',
  Cluster: 'clusters',
  Machine: 'machines',
  MachinePool: 'machinepools',
  KubeadmConfig: 'kubeadmconfigs',
  DemoMachine: 'demomachines',
};

/** The path of an object, or of its collection without a name. */
export function pathOf(
  { apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>,
  name = '',
  subresource = '',
): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const parts = [root, 'namespaces', NAMESPACE, PLURALS[kind] ?? kind, name, subresource];
  return parts.filter((part) => part !== '').join('/');
}
