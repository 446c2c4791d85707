// The stack: etcd and kube-apiserver, upstream's core and control plane managers, CAPD in memory, and a bootstrap provider.
//
//   W1. Everything listens on loopback, on free ports where the program lets one choose; data lives in one temporary folder.
//   W2. Upstream's definitions, webhooks and roles come from the modules' sources as `kubectl kustomize` makes them, both versions with
//       live conversion; only `clientConfig.service` becomes an address. The provider's own come from what that provider ships.
//   W3. The provider has the account that its components give to it; the other managers may do everything.
//   W4. `stop` leaves neither processes nor files; a folder that is asked for keeps the logs.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  certificateAuthority,
  emptyFolder,
  mountCertificate,
  signedCertificate,
} from '../unit/webhooks/serving-certificate.js';
import { startApiServer, type EnvtestServer } from '../envtest/api-server.js';
import { installComponents } from '../envtest/components.js';
import { ACCOUNT, accountKubeconfig, COMPONENTS } from '../envtest/installed.js';
import { tailAudit, type AuditTail } from '../bench/system/audit-tail.js';
import { apiOf, collectionOf, namespace, type Api, type Kind } from './api.js';
import { startDockerStub, type DockerStub } from './docker-stub.js';
import { startGarbageCollector, type GarbageCollector } from './garbage-collector.js';
import { startPoolInfrastructure, type PoolInfrastructure } from './pool-infrastructure.js';
import { freePorts, isListening, startProgram, type Program } from './program.js';
import { createProvider, type ProviderLife, type ProviderName } from './provider.js';

/** What a world is made of. */
export interface WorldOptions {
  readonly provider: ProviderName;
  /** Upstream's programs, and the sources of their modules. */
  readonly programs: { readonly folder: string; readonly sources: string; readonly testSources: string };
  /** Where logs are copied to at the end; empty for nowhere. */
  readonly logs: string;
  readonly nodeFlags: readonly string[];
  readonly note: (text: string) => void;
}

/** A running stack. */
export interface World {
  readonly api: Api;
  readonly server: EnvtestServer;
  readonly audit: AuditTail;
  readonly provider: ProviderLife;
  readonly pools: PoolInfrastructure;
  readonly managers: readonly Program[];
  /** CAPD's figures about the workload clusters. */
  readonly metricsPort: number;
  /** Waits until the provider answers on its webhook port. */
  untilProviderServes(): Promise<void>;
  stop(): Promise<void>;
}

const gates = '--feature-gates=ClusterTopology=true,MachinePool=true';
/** A network with loopback alone has no address to advertise; nobody asks for it. */
const ADVERTISED = '--advertise-address=192.0.2.1';
const withinMs = 90_000;
/** CAPD listens here whatever one asks for. */
const CAPD_DEBUG_PORT = 19_000;

/** Starts everything; what was started ends again when a part does not come up. */
export async function startWorld(options: WorldOptions): Promise<World> {
  if (await isListening(CAPD_DEBUG_PORT))
    throw new Error(`port ${CAPD_DEBUG_PORT} is taken: CAPD needs it, so only one stack runs at a time here`);
  const parts: Parts = { certificates: emptyFolder(), managers: [], server: null, docker: null, loops: [] };
  try {
    return await assemble(options, parts);
  } catch (error) {
    await dismantle(parts, options.logs);
    throw error;
  }
}

interface Parts {
  readonly certificates: string;
  readonly managers: Program[];
  readonly loops: (GarbageCollector | PoolInfrastructure)[];
  server: EnvtestServer | null;
  docker: DockerStub | null;
  provider?: ProviderLife;
}

async function assemble(options: WorldOptions, parts: Parts): Promise<World> {
  const { programs, note } = options;
  const authority = certificateAuthority('stack');
  mountCertificate(parts.certificates, 0, signedCertificate('serving', authority));
  const users = ['core', 'control-plane', 'infrastructure'].map((name) => ({ name, groups: ['system:masters'] }));
  note('starting etcd and kube-apiserver');
  const server = (parts.server = await startApiServer({ audit: true, users, extraFlags: [ADVERTISED] }));
  const [core = 0, controlPlane = 0, infrastructure = 0, bootstrap = 0, metricsPort = 0] = await freePorts(5);

  note('installing components');
  const install = (file: string, port: number): Promise<void> =>
    installComponents(server, { url: `https://127.0.0.1:${port}`, caPem: authority.cert }, file);
  for (const { name, folder, port } of [
    { name: 'core', folder: coreConfig(programs.sources), port: core },
    {
      name: 'control-plane',
      folder: join(programs.sources, 'controlplane/kubeadm/config/default'),
      port: controlPlane,
    },
    {
      name: 'infrastructure',
      folder: join(programs.testSources, 'infrastructure/docker/config/default'),
      port: infrastructure,
    },
  ])
    await install(kustomized(server.folder, name, folder), port);
  await install(
    options.provider === 'ours'
      ? COMPONENTS
      : kustomized(server.folder, 'bootstrap', join(programs.sources, 'bootstrap/kubeadm/config/default')),
    bootstrap,
  );
  await server.call('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  await untilServed(server);

  note('starting managers');
  const docker = (parts.docker = await startDockerStub());
  const manager = (name: string, port: number, flags: readonly string[], env: Record<string, string> = {}): void => {
    const args = [
      `--kubeconfig=${server.kubeconfigFile(name)}`,
      `--webhook-port=${port}`,
      `--webhook-cert-dir=${parts.certificates}`,
      '--health-addr=127.0.0.1:0',
      ...flags,
    ];
    const log = join(server.folder, `${name}.log`);
    parts.managers.push(startProgram({ name, command: join(programs.folder, name), args, env, log }));
  };
  const anywhere = '--diagnostics-address=127.0.0.1:0';
  manager('core', core, [gates, anywhere]);
  manager('control-plane', controlPlane, ['--feature-gates=ClusterTopology=true', anywhere]);
  manager(
    'infrastructure',
    infrastructure,
    [
      '--feature-gates=ClusterTopology=true,MachinePool=false',
      `--diagnostics-address=127.0.0.1:${metricsPort}`,
      '--insecure-diagnostics=true',
    ],
    { DOCKER_HOST: docker.address, POD_IP: '127.0.0.1' },
  );
  const provider = createProvider({
    kubeconfig: await accountKubeconfig(server, ACCOUNT),
    programs: programs.folder,
    webhookPort: bootstrap,
    certificates: parts.certificates,
    folder: server.folder,
    nodeFlags: options.nodeFlags,
  });
  parts.provider = provider;
  provider.start(options.provider);
  await untilAllListen([core, controlPlane, infrastructure, bootstrap], parts);
  const api = apiOf(server);
  const pools = startPoolInfrastructure(api);
  parts.loops.push(startGarbageCollector(api), pools);
  return {
    api,
    server,
    audit: tailAudit(server.folder),
    provider,
    pools,
    managers: parts.managers,
    metricsPort,
    untilProviderServes: () => untilAllListen([bootstrap], parts),
    stop: () => dismantle(parts, options.logs),
  };
}

async function dismantle(parts: Parts, logs: string): Promise<void> {
  for (const loop of parts.loops) await loop.stop();
  await parts.provider?.stop();
  await Promise.all(parts.managers.map((program) => program.kill()));
  await parts.docker?.stop();
  if (logs !== '' && parts.server !== null) {
    mkdirSync(logs, { recursive: true });
    for (const name of readdirSync(parts.server.folder).filter((each) => each.endsWith('.log')))
      copyFileSync(join(parts.server.folder, name), join(logs, name));
  }
  await parts.server?.stop();
  rmSync(parts.certificates, { recursive: true, force: true });
}

/** The core provider's manifests moved between the series. */
function coreConfig(sources: string): string {
  return readdirSync(sources).includes('config')
    ? join(sources, 'config/default')
    : join(sources, 'core/config/default');
}

function kustomized(folder: string, name: string, config: string): string {
  const file = join(folder, `${name}-components.yaml`);
  const kubectl = join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'kubectl');
  writeFileSync(file, execFileSync(kubectl, ['kustomize', config], { maxBuffer: 64 * 1024 * 1024 }));
  return file;
}

/** Definitions are served a moment after they were created. */
async function untilServed(server: EnvtestServer): Promise<void> {
  const kinds: readonly Kind[] = ['Cluster', 'MachinePool', 'KubeadmConfig', 'KubeadmControlPlane', 'DevMachine'];
  for (const kind of kinds) {
    await waitUntil(`${kind} is served`, async () => (await server.call('GET', collectionOf(kind))).status === 200);
  }
}

async function untilAllListen(ports: readonly number[], parts: Parts): Promise<void> {
  for (const port of ports) {
    await waitUntil(`port ${port} is listened on`, () => {
      for (const program of [...parts.managers, parts.provider?.program])
        if (program?.hasEnded() === true) throw new Error(`${program.name} has ended`);
      return isListening(port);
    });
  }
}

async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
