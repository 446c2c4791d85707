// From the audit log to figures: who asked for what, how often, and how long things took. Pure.
import type { Call } from './audit-tail.js';
import { namespace, type ClusterNames } from './manifests.js';

/** The user that the provider is, on the management cluster. */
export const providerUser = 'provider';
/** The user that the kubeconfig Secrets name: whoever uses them talks to a workload cluster. */
export const workloadUser = 'workload';

/** Order statistics of durations, milliseconds. */
export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** How long something took for each node, and for all of them together. */
export interface Latencies {
  readonly each: Quantiles;
  readonly allDoneMs: number;
}

/** Calls by verb and resource, most frequent first. */
export type Counts = Readonly<Record<string, number>>;

/** Verbs that change something. */
const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Quantiles of durations; zeros when there are none. */
export function quantiles(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

/** Resources that are asked for at start or on a clock, whatever the number of objects. */
const upkeep: ReadonlySet<string> = new Set(['', 'leases', 'customresourcedefinitions', 'selfsubjectaccessreviews']);

/** Whether a call is one of those that keep caches, Leases and API discovery: they do not belong to any object. */
export function isUpkeep(call: Call): boolean {
  return upkeep.has(call.resource) || call.verb === 'watch' || call.verb === 'list';
}

/** Calls of a user about objects. */
export function callsOf(calls: readonly Call[], user: string): readonly Call[] {
  return calls.filter((call) => call.user === user && (user !== providerUser || !isUpkeep(call)));
}

/** Whether a call wrote or tried to. Reviews are posted, but nothing of them is stored. */
export function isWrite(call: Call): boolean {
  return writes.has(call.verb) && !call.resource.endsWith('reviews');
}

/** The end of the last call before the first silence of so long; the start when there was none. */
export function lastBeforeSilence(calls: readonly Call[], startMs: number, silenceMs: number): number {
  let lastMs = startMs;
  for (const call of [...calls].sort((a, b) => a.receivedMs - b.receivedMs)) {
    // The process itself takes a while to start.
    if (lastMs > startMs && call.receivedMs - lastMs > silenceMs) break;
    lastMs = Math.max(lastMs, call.doneMs);
  }
  return lastMs;
}

/** How often each verb was used on each resource. */
export function countsOf(calls: readonly Call[]): Counts {
  const counts = new Map<string, number>();
  for (const call of calls) {
    const what =
      call.resource === '' ? `${call.verb} ${call.uri.split('?')[0] ?? ''}` : `${call.verb} ${call.resource}`;
    const name = call.code >= 400 ? `${what} (${call.code})` : what;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

/** Successful writes of data Secrets by KubeadmConfig's name, in order. */
export function dataWrites(calls: readonly Call[], names: ReadonlySet<string>): ReadonlyMap<string, readonly Call[]> {
  const found = new Map<string, Call[]>();
  for (const call of calls) {
    const isStore = call.user === providerUser && call.resource === 'secrets' && isWrite(call) && call.code < 300;
    if (!isStore || call.namespace !== namespace || !names.has(call.name)) continue;
    found.set(call.name, [...(found.get(call.name) ?? []), call]);
  }
  return found;
}

/** The status that tells of the data, by KubeadmConfig's name: what its Machine waits for. */
export function statusWrites(
  calls: readonly Call[],
  data: ReadonlyMap<string, readonly Call[]>,
): ReadonlyMap<string, readonly Call[]> {
  const found = new Map<string, readonly Call[]>();
  for (const call of calls) {
    const isStatus = call.user === providerUser && call.resource === 'kubeadmconfigs/status' && isWrite(call);
    const storedMs = data.get(call.name)?.[0]?.doneMs ?? Number.POSITIVE_INFINITY;
    if (isStatus && call.code < 300 && call.receivedMs >= storedMs && !found.has(call.name))
      found.set(call.name, [call]);
  }
  return found;
}

/** Bootstrap tokens that were created, whoever did it. */
export function tokensMinted(calls: readonly Call[]): number {
  return calls.filter(
    (call) =>
      call.verb === 'create' && call.resource === 'secrets' && call.namespace === 'kube-system' && call.code === 201,
  ).length;
}

/** When the bench changed each Cluster's status for the n-th time: server times. */
export function flipsOf(calls: readonly Call[], sinceMs: number): ReadonlyMap<string, Call> {
  const flips = calls.filter(
    (call) => call.user === 'admin' && call.resource === 'clusters/status' && call.receivedMs >= sinceMs,
  );
  return new Map(flips.map((call) => [call.name, call]));
}

/** From each Cluster's change to a write for each of its nodes, and from the first change to the last write. */
export function latencies(
  clusters: readonly ClusterNames[],
  flips: ReadonlyMap<string, Call>,
  written: ReadonlyMap<string, readonly Call[]>,
  nodes: (names: ClusterNames) => readonly string[],
): Latencies {
  const durations: number[] = [];
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = 0;
  for (const names of clusters) {
    const flip = flips.get(names.cluster);
    if (flip === undefined) continue;
    firstMs = Math.min(firstMs, flip.receivedMs);
    for (const node of nodes(names)) {
      const write = written.get(node)?.[0];
      if (write === undefined) continue;
      durations.push(Math.max(0, write.doneMs - flip.doneMs));
      lastMs = Math.max(lastMs, write.doneMs);
    }
  }
  return { each: quantiles(durations), allDoneMs: lastMs === 0 ? 0 : lastMs - firstMs };
}
