// A real kube-apiserver on which the built components are installed, and the account that they give to the operator.
//
// Cluster API's own kinds come without conversion; everything of ours is taken from the components file as it is
// (`components.ts` says what a bare API server cannot take). The webhooks are answered from this process, as a replica would.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { coreDefinitions } from '../../src/embedded/crds.js';
import { silentLogger } from '../../src/log.js';
import { systemClock } from '../../src/system.js';
import { startWebhookServer } from '../../src/webhooks/server.js';
import {
  certificateAuthority,
  emptyFolder,
  mountCertificate,
  signedCertificate,
} from '../unit/webhooks/serving-certificate.js';
import { kubeconfigText, startApiServer, type EnvtestOptions, type EnvtestServer } from './api-server.js';
import { installComponents } from './components.js';
import { installDefinitions } from './definitions.js';

/** The components as they are shipped. */
export const COMPONENTS = 'deploy/bootstrap-components.yaml';
/** The ServiceAccount of the operator. */
export const ACCOUNT = { namespace: 'capi-kubeadm-bootstrap-system', name: 'capi-kubeadm-bootstrap-manager' } as const;
/** Its name in audit logs and role bindings. */
export const ACCOUNT_USER = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;

/** A server with the components. */
export interface InstalledServer extends EnvtestServer {
  /** A kubeconfig file with a token of the operator's own ServiceAccount. */
  readonly operatorKubeconfig: string;
  /** Verb and address of every request that the operator's account was refused so far. */
  refusals(): readonly string[];
}

/** Starts a server and installs the components on it. */
export async function startInstalledServer(options: EnvtestOptions = {}): Promise<InstalledServer> {
  const authority = certificateAuthority('ca');
  const folder = emptyFolder();
  mountCertificate(folder, 0, signedCertificate('serving', authority));
  const webhooks = await startWebhookServer({
    port: 0,
    host: '127.0.0.1',
    certificate: { folder, certificateName: 'tls.crt', keyName: 'tls.key' },
    gates: { KubeadmBootstrapFormatIgnition: true },
    timers: systemClock,
    onFault: () => undefined,
    monotonicMs: systemClock.monotonicMs,
    logger: silentLogger,
  });
  const server = await startApiServer({ audit: true, ...options });
  const stop = async (): Promise<void> => {
    await server.stop();
    await webhooks.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await installDefinitions(server, coreDefinitions);
    await installComponents(server, { url: `https://127.0.0.1:${webhooks.port}`, caPem: authority.cert }, COMPONENTS);
    await untilAdmitted(server);
    return {
      ...server,
      ca: server.ca,
      stop,
      operatorKubeconfig: await accountKubeconfig(server, ACCOUNT),
      refusals: () =>
        server
          .auditEntries()
          .filter(({ user, responseStatus }) => user.username === ACCOUNT_USER && responseStatus?.code === 403)
          .map(({ verb, requestURI }) => `${verb} ${requestURI}`),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Installs roles of a file in deploy/controllers, and the namespaces that they name. */
export async function installControllerRole(server: EnvtestServer, controller: string): Promise<void> {
  for (const name of ['capi-system', 'capi-kubeadm-control-plane-system', ACCOUNT.namespace]) {
    const { status, text } = await server.call('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
    if (status !== 201 && status !== 409) throw new Error(`namespace ${name}: ${text}`);
  }
  await installComponents(server, { url: '', caPem: '' }, `deploy/controllers/${controller}.yaml`);
}

/** Writes a kubeconfig file with a fresh token of a ServiceAccount; returns its path. `url` is a proxy without TLS. */
export async function accountKubeconfig(
  server: EnvtestServer,
  account: { readonly namespace: string; readonly name: string },
  { url = server.url, as = account.name }: { readonly url?: string; readonly as?: string } = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status, body, text } = await server.call('POST', path, request);
  if (status !== 201) throw new Error(`no token for ${account.name}: ${status} ${text}`);
  const { token } = body['status'] as { readonly token: string };
  const file = join(server.folder, `account-${as}.kubeconfig`);
  const ca = url === server.url ? server.ca : '';
  writeFileSync(file, kubeconfigText({ url, ca, user: account.name, token }), { mode: 0o600 });
  return file;
}

/** The API server needs a moment until it serves new definitions and asks new webhooks. */
async function untilAdmitted(server: EnvtestServer): Promise<void> {
  const path = '/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/default/kubeadmconfigs?dryRun=All';
  const bad = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: { name: 'bad' },
    spec: {
      files: [
        { path: '/a', content: 'a' },
        { path: '/a', content: 'b' },
      ],
    },
  };
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    const { status } = await server.call('POST', path, bad);
    if (status === 422) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the webhooks are not asked');
}
