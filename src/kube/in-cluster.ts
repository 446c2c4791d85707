// The account of the pod: token and CA of the mounted service account, address from the environment.
//
// Does not load the Kubernetes client library: it costs 30 MB and 90 ms, and an operator in a cluster needs none of it.

import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../host/contract.js';
import { CREDENTIALS_AGE_MAX_MS } from '../limits.js';
import { AccessError, cachedIdentity, type ServerAccess } from './access.js';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where Kubernetes mounts the account. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Options of the access. */
export interface InClusterOptions {
  readonly environment: Environment;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly folder?: string;
}

/** True when Kubernetes told this process where its API server is. */
export function isInCluster(environment: Environment): boolean {
  return (environment['KUBERNETES_SERVICE_HOST'] ?? '') !== '' && (environment['KUBERNETES_SERVICE_PORT'] ?? '') !== '';
}

/** The address of the API server of the cluster in which this process runs. */
export function inClusterServer(environment: Environment): string {
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '';
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The CA of that API server. */
export function inClusterCa(folder = SERVICE_ACCOUNT_FOLDER): Promise<string> {
  return readAccountFile(folder, 'ca.crt');
}

/** The namespace of the pod, or null outside of one. */
export async function inClusterNamespace(folder = SERVICE_ACCOUNT_FOLDER): Promise<string | null> {
  const text = await readFile(join(folder, 'namespace'), 'utf8').catch(() => '');
  return text.trim() === '' ? null : text.trim();
}

/** Access with the pod's account. Token and CA are read again every minute and after a 401. */
export function inClusterAccess({
  environment,
  clock,
  folder = SERVICE_ACCOUNT_FOLDER,
}: InClusterOptions): ServerAccess {
  return Object.freeze({
    server: inClusterServer(environment),
    tlsServerName: '',
    insecureSkipTlsVerify: false,
    proxyUrl: '',
    ...cachedIdentity(
      async () => {
        const [token, ca] = await Promise.all([readAccountFile(folder, 'token'), inClusterCa(folder)]);
        return { headers: { authorization: `Bearer ${token.trim()}` }, ca, clientCertificate: '', clientKey: '' };
      },
      { monotonicMs: () => clock.monotonicMs(), ageMaxMs: CREDENTIALS_AGE_MAX_MS },
    ),
  });
}

async function readAccountFile(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'unreadable';
    throw new AccessError(
      `cannot read the service account file ${file} (${code}): give --kubeconfig, or set automountServiceAccountToken: true on the pod`,
    );
  }
}
