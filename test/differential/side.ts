// One of the two worlds: an API server with the built components, and a provider that any command line starts.
//
//   DS1. The webhooks of a side are answered by its own provider: conversion and admission are compared as well.
//   DS2. The provider is a process of its own. While it starts again, acts of users wait.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { coreDefinitions } from '../../src/embedded/crds.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { startProvider, type Provider } from '../bench/system/provider.js';
import { startApiServer, kubeconfigText, type EnvtestServer } from '../envtest/api-server.js';
import { installComponents } from '../envtest/components.js';
import { installDefinitions } from '../envtest/definitions.js';
import { ACCOUNT, accountKubeconfig, COMPONENTS } from '../envtest/installed.js';
import {
  certificateAuthority,
  emptyFolder,
  mountCertificate,
  signedCertificate,
} from '../unit/webhooks/serving-certificate.js';
import { pause } from '../worlds/operator-process.js';
import { clientOf } from '../worlds/world.js';
import { FILTER, SHORT_TTL_SECONDS, type Manner } from './history.js';
import { startMirror, type Mirror } from './mirror.js';

/** A world. */
export interface Side {
  readonly name: 'ours' | 'theirs';
  readonly server: EnvtestServer;
  readonly client: FullApiClient;
  readonly mirror: Mirror;
  /** Kubeconfig of the workload cluster: the same server as another user. */
  readonly workloadKubeconfig: string;
  readonly unreachableKubeconfig: string;
  readonly log: string;
  /** Uids of what was created, by `namespace Kind/name`. */
  readonly uids: Map<string, string>;
  /** Starts the provider as a manner asks, ending the one that runs. */
  start(manner: Manner): Promise<void>;
  /** Kills the provider and starts it again; those who ask at the same time share one restart. */
  restart(): Promise<void>;
  /** Resolves while the provider runs; throws when it has ended by itself. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const WORKLOAD_USER = 'workload';
const WEBHOOKS_WITHIN_MS = 90_000;

/** Starts a world without a provider. */
export async function startSide(name: Side['name'], command: string, folder: string): Promise<Side> {
  const server = await startApiServer({
    users: [{ name: WORKLOAD_USER, groups: ['system:masters'] }],
    extraFlags: ['--max-requests-inflight=1000', '--max-mutating-requests-inflight=1000'],
  });
  const authority = certificateAuthority('ca');
  const certificates = emptyFolder();
  mountCertificate(certificates, 0, signedCertificate('serving', authority));
  const port = await freePort();
  await installDefinitions(server, coreDefinitions);
  await installComponents(server, { url: `https://127.0.0.1:${port}`, caPem: authority.cert }, COMPONENTS);
  const client = clientOf(server.kubeconfig(), 'differential');
  const log = join(folder, `${name}.log`);
  const kubeconfig = await accountKubeconfig(server, ACCOUNT);
  let manner: Manner = 'plain';
  let provider: Provider | null = null;
  let starting: Promise<void> = Promise.resolve();
  const startNow = async (): Promise<void> => {
    await provider?.kill();
    provider = startProvider(filled(command, { manner, port, certificates }), kubeconfig, log);
    await untilAdmitted(server, () => provider?.ended() ?? null, log);
  };
  let isRestarting = false;
  const side: Side = {
    name,
    server,
    client,
    log,
    uids: new Map(),
    mirror: await startMirror(client),
    workloadKubeconfig: server.kubeconfig(WORKLOAD_USER),
    unreachableKubeconfig: kubeconfigText({ url: 'https://127.0.0.1:1', ca: server.ca, user: 'any', token: 'any' }),
    start(next) {
      manner = next;
      starting = startNow();
      return starting;
    },
    restart() {
      if (!isRestarting) {
        isRestarting = true;
        starting = startNow().finally(() => {
          isRestarting = false;
        });
      }
      return starting;
    },
    async ready() {
      await starting;
      const code = provider?.ended() ?? null;
      if (code !== null && !isRestarting)
        throw new Error(`the provider of ${name} ended with exit code ${code}: ${log}`);
    },
    async stop() {
      side.mirror.stop();
      await provider?.kill();
      await client.close();
      await server.stop();
      rmSync(certificates, { recursive: true, force: true });
    },
  };
  return side;
}

/** The command line with everything in the place of its placeholders, but for `{kubeconfig}`. */
function filled(
  command: string,
  how: { readonly manner: Manner; readonly port: number; readonly certificates: string },
): string {
  return command
    .replaceAll('{webhook-port}', String(how.port))
    .replaceAll('{webhook-cert-dir}', how.certificates)
    .replaceAll('{ttl}', how.manner === 'short-ttl' ? `${SHORT_TTL_SECONDS}s` : '15m')
    .replaceAll('{watch-filter}', how.manner === 'filter' ? FILTER : '');
}

/** The provider is there when its webhook refuses what is wrong. */
async function untilAdmitted(server: EnvtestServer, ended: () => number | null, log: string): Promise<void> {
  const path = '/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/default/kubeadmconfigs?dryRun=All';
  const file = { path: '/a', content: 'a' };
  const bad = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: { name: 'bad' },
    spec: { files: [file, file] },
  };
  const endMs = performance.now() + WEBHOOKS_WITHIN_MS;
  while (performance.now() < endMs) {
    const code = ended();
    if (code !== null) throw new Error(`the provider ended with exit code ${code}; its log: ${log}`);
    if ((await server.call('POST', path, bad)).status === 422) return;
    await pause(100);
  }
  throw new Error(`the provider's webhooks do not answer; its log: ${log}`);
}

async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { readonly port: number };
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
