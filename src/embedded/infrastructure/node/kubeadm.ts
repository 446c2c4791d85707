// kubeadm init and kubeadm join as far as they decide whether a node becomes part of a cluster.
//
//   K1. A cluster is initialised once: a second init is refused and noted.
//   K2. A node joins only with a token that exists in the workload cluster, may be used for it, and has not expired at that
//       moment, and only when the cluster's CA has one of the hashes it was given.
import { createHash, X509Certificate } from 'node:crypto';

import { parse } from 'yaml';

import { rfc3339 } from '../../core.js';
import { at, isObject, listAt, textAt, type Fields } from '../../json.js';
import type { KubeObject } from '../../../api/rest.js';
import type { WorkloadCluster } from '../ports.js';
import { configMaps, nodes, orNull, secrets, unlessExists, type ConfigMap, type Secret } from '../resources.js';
import type { NodePlan } from './bootstrap-data.js';

/** A node about to become part of a cluster. */
export interface NewNode {
  readonly name: string;
  readonly providerID: string;
  readonly version: string;
  /** `host:port` of the cluster, as its Cluster object says. */
  readonly endpoint: string;
  readonly nowMs: number;
}

/** What became of an attempt. `refused` may be tried again, `failed` never succeeds. */
export type Attempt =
  | { readonly kind: 'joined'; readonly token: string | null; readonly initialized: boolean }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

const initAnnotation = 'demo.infrastructure/initialized-by';
const caPath = '/etc/kubernetes/pki/ca.crt';
const infoNamespace = 'kube-public';

/** Initialises a cluster on its first node. */
export async function kubeadmInit(plan: NodePlan, workload: WorkloadCluster, node: NewNode): Promise<Attempt> {
  const ca = plan.files.get(caPath);
  if (ca === undefined || hashOf(ca) === null) return { kind: 'failed', why: `${caPath} is missing or no certificate` };
  const endpoint = textAt(plan.kubeadm.get('ClusterConfiguration'), 'controlPlaneEndpoint');
  if (endpoint !== '' && endpoint !== node.endpoint) {
    return { kind: 'failed', why: `controlPlaneEndpoint is ${endpoint}, the cluster's is ${node.endpoint}` };
  }
  const known = await readInfo(workload);
  const holder = known?.metadata.annotations?.[initAnnotation];
  if (holder !== undefined && holder !== node.name) {
    return { kind: 'failed', why: `the cluster was already initialised by ${holder}` };
  }
  if (known === null) await workload.client.create(configMaps, clusterInfo(workload, node, ca));
  await registerNode(workload, node, true);
  return { kind: 'joined', token: null, initialized: true };
}

function clusterInfo(workload: WorkloadCluster, node: NewNode, ca: string): object {
  const cluster = {
    server: `https://${node.endpoint}`,
    'certificate-authority-data': Buffer.from(ca).toString('base64'),
  };
  const kubeconfig = { apiVersion: 'v1', kind: 'Config', clusters: [{ name: '', cluster }] };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: workload.infoName, namespace: infoNamespace, annotations: { [initAnnotation]: node.name } },
    data: { kubeconfig: JSON.stringify(kubeconfig) },
  };
}

function readInfo(workload: WorkloadCluster): Promise<ConfigMap | null> {
  return orNull(
    workload.client.get<ConfigMap>({ resource: configMaps, namespace: infoNamespace, name: workload.infoName }),
  );
}

/** The CA that a cluster was initialised with (PEM), or null before that. */
async function clusterCa(workload: WorkloadCluster): Promise<string | null> {
  const info = await readInfo(workload);
  const kubeconfig: unknown = info === null ? null : JSON.parse(info.data?.kubeconfig ?? '{}');
  const [first] = listAt(kubeconfig, 'clusters');
  const data = textAt(first, 'cluster', 'certificate-authority-data');
  return data === '' ? null : Buffer.from(data, 'base64').toString('utf8');
}

/** Joins a node to an initialised cluster. */
export async function kubeadmJoin(plan: NodePlan, workload: WorkloadCluster, node: NewNode): Promise<Attempt> {
  const config = plan.kubeadm.get('JoinConfiguration') ?? {};
  const ca = await clusterCa(workload);
  if (ca === null) return { kind: 'refused', why: 'the control plane is not initialised' };
  const isControlPlane = isObject(at(config, 'controlPlane'));
  if (isControlPlane && plan.files.get(caPath) !== undefined && hashOf(plan.files.get(caPath) ?? '') !== hashOf(ca)) {
    return { kind: 'failed', why: 'the CA in the data is not the CA of the cluster' };
  }
  const token = at(config, 'discovery', 'bootstrapToken');
  const refusal = isObject(token)
    ? await tokenRefusal(token, workload, node, ca)
    : fileRefusal(textAt(config, 'discovery', 'file', 'kubeConfigPath'), plan, node, ca);
  if (refusal !== null) return { kind: 'refused', why: refusal };
  await registerNode(workload, node, isControlPlane);
  return { kind: 'joined', token: isObject(token) ? textAt(token, 'token') : null, initialized: false };
}

async function tokenRefusal(
  discovery: Fields,
  workload: WorkloadCluster,
  node: NewNode,
  ca: string,
): Promise<string | null> {
  const endpoint = textAt(discovery, 'apiServerEndpoint');
  if (endpoint !== node.endpoint) return `apiServerEndpoint is ${endpoint}, the cluster's is ${node.endpoint}`;
  const hashes = listAt(discovery, 'caCertHashes');
  if (discovery.unsafeSkipCAVerification !== true && !hashes.includes(hashOf(ca))) return 'no CA hash matches';
  const [id = '', secret = ''] = textAt(discovery, 'token').split('.');
  const name = `bootstrap-token-${id}`;
  const stored = await orNull(workload.client.get<Secret>({ resource: secrets, namespace: 'kube-system', name }));
  if (stored === null) return `the token ${id} does not exist`;
  const data = (key: string): string => Buffer.from(stored.data?.[key] ?? '', 'base64').toString('utf8');
  if (stored.type !== 'bootstrap.kubernetes.io/token') return `the token ${id} has the wrong type`;
  if (data('token-id') !== id || data('token-secret') !== secret) return `the token ${id} has another secret`;
  if (data('usage-bootstrap-authentication') !== 'true' || data('usage-bootstrap-signing') !== 'true') {
    return `the token ${id} may not be used to join`;
  }
  const expiration = data('expiration');
  if (expiration !== '' && !(Date.parse(expiration) > node.nowMs)) return `the token ${id} expired at ${expiration}`;
  return null;
}

function fileRefusal(path: string, plan: NodePlan, node: NewNode, ca: string): string | null {
  const text = plan.files.get(path);
  if (text === undefined) return `the discovery file ${path} is not among the files`;
  const kubeconfig: unknown = parse(text);
  const [first] = listAt(kubeconfig, 'clusters');
  const server = textAt(first, 'cluster', 'server');
  if (server !== `https://${node.endpoint}`) return `the discovery file leads to ${server}`;
  const data = textAt(first, 'cluster', 'certificate-authority-data');
  const isSame = hashOf(Buffer.from(data, 'base64').toString('utf8')) === hashOf(ca);
  return isSame ? null : 'the CA in the discovery file is not the CA of the cluster';
}

/** `sha256:<hex>` of the certificate's public key, as kubeadm counts it; null when it is no certificate. */
export function hashOf(pem: string): string | null {
  try {
    const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
    return `sha256:${createHash('sha256').update(key).digest('hex')}`;
  } catch {
    return null;
  }
}

async function registerNode(workload: WorkloadCluster, node: NewNode, isControlPlane: boolean): Promise<void> {
  const role = isControlPlane ? { 'node-role.kubernetes.io/control-plane': '' } : {};
  const object: KubeObject & { spec: object } = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: node.name, labels: { 'kubernetes.io/hostname': node.name, ...role } },
    spec: { providerID: node.providerID },
  };
  await unlessExists(workload.client.create(nodes, object));
  const lastTransitionTime = rfc3339(node.nowMs);
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastTransitionTime };
  const status = { conditions: [ready], nodeInfo: { ...nodeInfo, kubeletVersion: node.version } };
  await workload.client.mergePatch(
    { resource: nodes, namespace: '', name: node.name },
    { status },
    { subresource: 'status' },
  );
}

const nodeInfo = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: 'simulated',
  osImage: 'simulated',
  containerRuntimeVersion: 'none',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'none',
};
