// A day of the soak: what users, servers and networks do in it. The evening is quiet, so that what is held can be counted.
import type { RequestFault } from '../../../src/embedded/types.js';
import type { Stream } from '../engine/seeded.js';
import { sized } from '../../test-size.js';
import { AGENT, type SoakOperator } from './operator.js';
import type { Waits } from './waits.js';
import { NAMESPACE, pathOf, type SoakWorld } from './world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** In `npm test` the nights are short. */
const DAY_MS = sized(10, 24) * HOUR;
/** Workers whose way to their data is timed in the evening. */
const TIMED_WORKERS = sized(4, 50);

/** Who runs the operator. */
export interface Shift {
  readonly operator: SoakOperator;
  /** Ends the process as on SIGTERM or SIGKILL, and starts another one. */
  restart(how: 'stop' | 'kill'): Promise<void>;
}

/** Lives through a day; `day` counts from 1. In its quiet evening some workers are replaced, and `waits` times them. */
export async function liveThrough(world: SoakWorld, shift: Shift, waits: Waits, day: number): Promise<void> {
  const { time, random, management } = world;
  const endMs = time.nowMs + DAY_MS;
  await world.pass(HOUR);
  const clusters = [...world.alive];
  await churn(world, clusters, day);
  await world.pass(HOUR);
  await spell(world, () => management.setFaults({ request: (info) => (isOurs(info) ? faultOf(random) : undefined) }));
  management.setFaults(undefined);
  management.store.closeWatches('gone');
  await world.pass(HOUR);
  management.store.compact();
  management.store.closeWatches('close');
  await world.pass(HOUR);
  await spell(world, () => {
    for (const server of world.workloads.all())
      server.setFaults({ request: (info) => (isOurs(info) ? faultOf(random) : undefined) });
  });
  for (const server of world.workloads.all()) server.setFaults(undefined);
  for (const cluster of world.alive) await world.createLateMachine(cluster);
  await touch(world);
  if (day % 3 === 1) await shift.restart('stop');
  if (day % 3 === 2) await shift.restart('kill');
  await world.pass(HOUR);
  management.store.closeWatches('break');
  for (const server of world.workloads.all()) server.store.closeWatches('gone');
  await quietUntil(world, endMs - 2 * HOUR);
  await timeWorkers(world, waits);
  await quietUntil(world, endMs);
}

async function quietUntil(world: SoakWorld, endMs: number): Promise<void> {
  const { time } = world;
  while (time.nowMs < endMs) {
    await world.pass(Math.min(HOUR, endMs - time.nowMs));
    await forgetEvents(world);
    await world.cleanTokens();
  }
}

async function timeWorkers(world: SoakWorld, waits: Waits): Promise<void> {
  const { random, alive, time } = world;
  const clusters = [...alive];
  const workers = Array.from({ length: TIMED_WORKERS }, () => ({
    cluster: random.pick(clusters),
    index: random.int(2, world.workers - 1),
  }));
  waits.begin(await world.replaceWorkers(workers));
  await time.runUntil(time.nowMs + HOUR / 2, () => waits.isOver);
}

/** Some clusters are made anew: half of them under their old name. Some workers are replaced. */
async function churn(world: SoakWorld, clusters: readonly string[], day: number): Promise<void> {
  const { random } = world;
  const count = Math.max(1, Math.floor(clusters.length / 25));
  const leaving = Array.from({ length: count }, (_, index) => clusters[(day * count + index) % clusters.length] ?? '');
  await world.deleteClusters(leaving);
  for (const [index, name] of leaving.entries()) {
    const [slot = ''] = name.split('-');
    await world.createCluster((day + index) % 2 === 0 ? name : `${slot}-d${day}`);
  }
  const staying = clusters.filter((name) => !leaving.includes(name));
  const workers = Array.from({ length: count }, () => ({
    cluster: random.pick(staying),
    index: random.int(2, world.workers - 1),
  }));
  await world.replaceWorkers(workers);
}

const isOurs = ({ userAgent, resource }: { readonly userAgent: string; readonly resource: string }): boolean =>
  userAgent === AGENT && resource !== 'leases';

async function spell(world: SoakWorld, begin: () => void): Promise<void> {
  begin();
  await touch(world);
  await world.pass(10 * MINUTE);
}

function faultOf(random: Stream): RequestFault | undefined {
  if (!random.chance(0.3)) return undefined;
  return random.pick<RequestFault>([
    { kind: 'status', code: 500 },
    { kind: 'status', code: 503, retryAfterSeconds: 1 },
    { kind: 'status', code: 429, retryAfterSeconds: 1 },
    { kind: 'delay', ms: 7_000 },
    { kind: 'drop-before' },
    { kind: 'drop-after' },
    { kind: 'hang-before' },
    { kind: 'hang-after' },
  ]);
}

/** Users change every KubeadmConfig of some clusters, and the kubeconfig of one. */
async function touch({ alive, random, objects, call, time }: SoakWorld): Promise<void> {
  const names = [...alive];
  const touched = new Set(Array.from({ length: Math.ceil(names.length / 10) }, () => random.pick(names)));
  for (const { metadata, apiVersion, kind } of objects('kubeadmconfigs.bootstrap.cluster.x-k8s.io')) {
    if (!touched.has(metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '')) continue;
    const body = { metadata: { annotations: { touched: String(time.nowMs) } } };
    await call('PATCH', pathOf(apiVersion, kind, metadata.name), body);
  }
  const kubeconfig = objects('secrets').find(({ metadata }) => metadata.name === `${random.pick(names)}-kubeconfig`);
  if (kubeconfig === undefined) return;
  const value = String((kubeconfig['data'] as Record<string, string>)['value']);
  const text = `${Buffer.from(value, 'base64').toString('utf8').trimEnd()}\n# ${time.nowMs}\n`;
  const body = { data: { value: Buffer.from(text).toString('base64') } };
  await call('PATCH', pathOf('v1', 'Secret', kubeconfig.metadata.name), body);
}

/** A real API server forgets Events after an hour. */
async function forgetEvents({ management, clock, call }: SoakWorld): Promise<void> {
  for (const { metadata, lastTimestamp } of management.store.list('events')) {
    if (clock.nowMs() - Date.parse(String(lastTimestamp ?? metadata.creationTimestamp)) < HOUR) continue;
    await call('DELETE', `/api/v1/namespaces/${metadata.namespace ?? NAMESPACE}/events/${metadata.name}`);
  }
}
