// One run of the system bench: a world on a real kube-apiserver, any provider, figures from the server's audit log.
//
// Phases: objects are created; infrastructure becomes provisioned at once; ControlPlaneInitialized is set in a burst or spread; rest;
// restart. Between phases nothing happens until the provider has been silent for a while.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FullApiClient } from '../../../src/kube/client.js';
import { startApiServer, type EnvtestServer } from '../../envtest/api-server.js';
import { installDefinitions } from '../../envtest/definitions.js';
import { pause } from '../../worlds/operator-process.js';
import { clientOf } from '../../worlds/world.js';
import { tailAudit, type AuditTail, type Call } from './audit-tail.js';
import {
  callsOf,
  countsOf,
  dataWrites,
  flipsOf,
  isWrite,
  lastBeforeSilence,
  latencies,
  providerUser,
  statusWrites,
  tokensMinted,
  workloadUser,
  type Counts,
  type Latencies,
} from './figures.js';
import { makeCas, namesOf, type ClusterNames } from './manifests.js';
import { childNamed, cpuSeconds, peakMebibytes } from './processes.js';
import { startProvider, type Provider } from './provider.js';
import { initialize, populate, provision, writeRoundTripMs } from './world.js';

/** What a run is told. */
export interface SystemOptions {
  readonly clusters: number;
  readonly workers: number;
  /** 0: all at once. */
  readonly spreadMs: number;
  readonly command: string;
  /** Whether CAs are there already. */
  readonly casProvided: boolean;
  readonly idleMs: number;
  readonly note: (text: string) => void;
  /** Ends when everybody has data: no rest, no restart. */
  readonly isBrief?: boolean;
  /** Told of the provider and its log file when it has started; what it gives is called before the provider is ended. */
  readonly beside?: (provider: Provider, log: string) => Promise<() => Promise<void>>;
}

/** What a run found. */
export interface SystemFigures {
  readonly configs: number;
  readonly writeRoundTripMs: number;
  /** To the data Secret. */
  readonly init: Latencies;
  readonly join: Latencies;
  /** To the status that names it, which is what Machines wait for. */
  readonly initStatus: Latencies;
  readonly joinStatus: Latencies;
  readonly dataSecrets: number;
  readonly tokensPerWorker: number;
  readonly rendersPerConfig: number;
  readonly management: { readonly perConfig: number; readonly writesPerConfig: number; readonly counts: Counts };
  readonly workload: { readonly perConfig: number; readonly counts: Counts };
  readonly cpuSeconds: { readonly provider: number; readonly apiServer: number; readonly etcd: number };
  readonly providerCpuMsPerConfig: number;
  readonly peakMebibytes: number;
  readonly idle: { readonly seconds: number; readonly management: Counts; readonly workload: Counts };
  readonly restart: {
    readonly toLastCallMs: number;
    readonly management: Counts;
    readonly workload: number;
    readonly writes: number;
  };
}

interface Run {
  readonly options: SystemOptions;
  readonly server: EnvtestServer;
  readonly client: FullApiClient;
  readonly audit: AuditTail;
  readonly clusters: readonly ClusterNames[];
  readonly names: ReadonlySet<string>;
  readonly kubeconfig: string;
  readonly log: string;
}

/** How long the provider must be silent to be taken for done. */
const silenceMs = 3_000;
/** No phase takes longer: what is missing then is counted as missing. */
const phaseMaxMs = 300_000;

/** Starts servers, runs all phases and ends everything. */
export async function runSystem(options: SystemOptions): Promise<SystemFigures> {
  const users = [providerUser, workloadUser].map((name) => ({ name, groups: ['system:masters'] }));
  const server = await startApiServer({ audit: true, users });
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const client = clientOf(server.kubeconfig(), 'bench');
  try {
    await installDefinitions(server);
    const clusters = namesOf(options.clusters, options.workers);
    return await play({
      options,
      server,
      client,
      audit: tailAudit(server.folder),
      clusters,
      names: new Set(clusters.flatMap(({ controlPlane, workers }) => [controlPlane, ...workers])),
      kubeconfig: server.kubeconfigFile(providerUser),
      log: join(folder, 'provider.log'),
    });
  } finally {
    await client.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(run: Run): Promise<SystemFigures> {
  const { options, server, client, audit, clusters, names } = run;
  const { note } = options;
  const roundTripMs = await writeRoundTripMs(client);
  const provider = start(run);
  try {
    const leave = await options.beside?.(provider, run.log);
    await silence(run, provider);
    const before = usage(provider);
    note('creating objects');
    const cas = options.casProvided ? await makeCas() : null;
    await populate(client, clusters, { cas, kubeconfig: server.kubeconfig(workloadUser) });
    await silence(run, provider);

    note('infrastructure is provisioned');
    const provisionedMs = Date.now();
    await provision(client, clusters);
    await stored(run, provider, clusters.length);
    await silence(run, provider);

    note('control planes are initialised');
    const initializedMs = Date.now();
    await initialize(client, clusters, options.spreadMs);
    await stored(run, provider, names.size);
    await silence(run, provider);
    const after = usage(provider);
    const used = audit.calls();
    const data = dataWrites(used, names);
    const statuses = statusWrites(used, data);
    const flips = {
      init: flipsOf(
        used.filter((call) => call.receivedMs < initializedMs),
        provisionedMs,
      ),
      join: flipsOf(used, initializedMs),
    };
    const management = callsOf(used, providerUser);
    const workload = callsOf(used, workloadUser);
    const idle = await rest(run);
    const peak = peakMebibytes(provider.pid);
    await leave?.();
    await provider.kill();
    const restart = options.isBrief === true ? NO_RESTART : await restarted(run);
    return {
      configs: names.size,
      writeRoundTripMs: roundTripMs,
      init: latencies(clusters, flips.init, data, controlPlanes),
      join: latencies(clusters, flips.join, data, ({ workers }) => workers),
      initStatus: latencies(clusters, flips.init, statuses, controlPlanes),
      joinStatus: latencies(clusters, flips.join, statuses, ({ workers }) => workers),
      dataSecrets: data.size,
      tokensPerWorker: tokensMinted(used) / Math.max(1, clusters.length * options.workers),
      rendersPerConfig: [...data.values()].reduce((sum, writes) => sum + writes.length, 0) / names.size,
      management: {
        perConfig: management.length / names.size,
        writesPerConfig: management.filter(isWrite).length / names.size,
        counts: countsOf(management),
      },
      workload: { perConfig: workload.length / names.size, counts: countsOf(workload) },
      cpuSeconds: {
        provider: after.provider - before.provider,
        apiServer: after.apiServer - before.apiServer,
        etcd: after.etcd - before.etcd,
      },
      providerCpuMsPerConfig: ((after.provider - before.provider) * 1000) / names.size,
      peakMebibytes: peak,
      idle,
      restart,
    };
  } finally {
    await provider.kill();
  }
}

const controlPlanes = ({ controlPlane }: ClusterNames): readonly string[] => [controlPlane];

function start({ options, kubeconfig, log }: Run): Provider {
  return startProvider(options.command, kubeconfig, log);
}

function usage(provider: Provider): { readonly provider: number; readonly apiServer: number; readonly etcd: number } {
  return {
    provider: cpuSeconds(provider.pid),
    apiServer: cpuSeconds(childNamed('kube-apiserver')),
    etcd: cpuSeconds(childNamed('etcd')),
  };
}

const isProviders = (call: Call): boolean =>
  call.user === providerUser && call.verb !== 'watch' && call.resource !== 'leases';

/** Waits until the provider has asked the management cluster for nothing for a while. */
async function silence(run: Run, provider: Provider): Promise<void> {
  const endMs = performance.now() + phaseMaxMs;
  let count = -1;
  let sinceMs = performance.now();
  while (performance.now() < endMs) {
    assertRunning(provider);
    const now = run.audit.calls().filter(isProviders).length;
    if (now !== count) sinceMs = performance.now();
    count = now;
    if (count > 0 && performance.now() - sinceMs > silenceMs) return;
    await pause(100);
  }
}

/** Waits until so many KubeadmConfigs have data. */
async function stored(run: Run, provider: Provider, count: number): Promise<void> {
  const endMs = performance.now() + phaseMaxMs;
  while (performance.now() < endMs && dataWrites(run.audit.calls(), run.names).size < count) {
    assertRunning(provider);
    await pause(100);
  }
}

function assertRunning(provider: Provider): void {
  if (provider.ended() !== null) throw new Error(`the provider ended with exit code ${provider.ended()}`);
}

/** What is asked for while nothing happens. */
async function rest({ audit, options }: Run): Promise<SystemFigures['idle']> {
  options.note('rest');
  const before = audit.calls().length;
  await pause(options.idleMs);
  const calls = audit.calls().slice(before);
  return {
    seconds: options.idleMs / 1000,
    management: countsOf(calls.filter(isProviders)),
    workload: countsOf(callsOf(calls, workloadUser)),
  };
}

const NO_RESTART: SystemFigures['restart'] = { toLastCallMs: 0, management: {}, workload: 0, writes: 0 };

/** A new process on the world as it is. */
async function restarted(run: Run): Promise<SystemFigures['restart']> {
  run.options.note('restart');
  await pause(500);
  const before = run.audit.calls().length;
  const startMs = Date.now();
  const provider = start(run);
  try {
    await pause(2_000);
    await silence(run, provider);
    const calls = run.audit.calls().slice(before);
    const management = calls.filter(isProviders);
    const workload = callsOf(calls, workloadUser);
    // A provider that probes for ever has no last call: what comes after a silence is no part of its start.
    const lastMs = lastBeforeSilence([...management, ...workload], startMs, silenceMs);
    return {
      toLastCallMs: lastMs - startMs,
      management: countsOf(management),
      workload: workload.filter((call) => call.receivedMs <= lastMs).length,
      writes: management.filter(isWrite).length,
    };
  } finally {
    await provider.kill();
  }
}
