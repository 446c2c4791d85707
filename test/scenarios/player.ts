// Plays a recorded scenario against the operator on the embedded server, and gives back what is to be compared.
import { caCertHashes } from '../../src/bootstrap/certificates/ca-cert-hashes.js';
import type { ApiObject } from '../../src/embedded/types.js';
import { resources } from '../../src/api/names.js';
import type { KubeObject } from '../../src/kube/contract.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { createWorld, TTL_MS, type Operator, type World } from '../unit/kubeadmconfig/world.js';
import { normaliseObject, normaliseSecret, normaliseToken, type Names } from './normalise.js';

type Kind = keyof typeof resources;
type Json = Record<string, unknown>;

/** One step of a scenario. */
export interface Step {
  readonly do?: string;
  readonly object?: Json;
  readonly kind?: Kind;
  readonly name?: string;
  readonly body?: Json;
  readonly status?: Json;
  readonly note?: string;
  readonly waitFor?: string;
  readonly snapshot?: string;
  readonly state?: Record<string, Record<string, unknown>>;
  readonly fact?: string;
  readonly value?: unknown;
}

/** A recorded scenario. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly providerArgs: readonly string[];
  readonly steps: readonly Step[];
}

/** What was seen at one snapshot or fact. */
export interface Seen {
  readonly name: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** What the world takes for a kubeconfig that leads back to the server. */
const WORKING = '<working kubeconfig of the workload cluster>';

const shownKinds = ['KubeadmConfig', 'ConfigMap', 'Secret', 'Cluster', 'Machine', 'MachinePool'] as const;

/** Plays all steps. */
export async function play(scenario: Scenario): Promise<readonly Seen[]> {
  const world = createWorld();
  const args = new Map(scenario.providerArgs.map((arg) => [arg.split('=')[0], arg.split('=')[1] ?? '']));
  const ttlMs = args.has('--bootstrap-token-ttl')
    ? Number.parseInt(args.get('--bootstrap-token-ttl') ?? '') * 1000
    : TTL_MS;
  const settings = { tokenTtlMs: ttlMs, watchFilter: args.get('--watch-filter') ?? '' };
  const namespace = scenario.id;
  await world.user.create(resourceOf(resources.Namespace), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  let operator = await world.start(settings);
  const seen: Seen[] = [];
  for (const step of scenario.steps) {
    if (step.do?.startsWith('kill') === true) {
      operator.kill();
      const revision = world.server.store.revision();
      operator = await world.start(settings);
      await world.settle(operator);
      seen.push({ name: 'writes after the restart', expected: 0, actual: world.server.store.revision() - revision });
    } else if (step.do !== undefined) await act(world, namespace, step);
    else if (step.note !== undefined) await doByHand(world, namespace, step.note);
    else if (step.snapshot !== undefined) {
      await world.settle(operator);
      seen.push({ name: step.snapshot, expected: step.state, actual: await stateOf(world, namespace, ttlMs) });
    } else if (step.fact === 'extended twice') {
      seen.push({ name: step.fact, expected: step.value, actual: await extendedTwice(world, operator) });
    }
    await world.settle(operator);
    rememberUids(world, namespace);
  }
  operator.kill();
  return seen;
}

async function act(world: World, namespace: string, step: Step): Promise<void> {
  const { user } = world;
  const filled = JSON.parse(fill(world, namespace, JSON.stringify(step))) as Step;
  const target = (kind: Kind, name: string) => ({ resource: resourceOf(resources[kind]), namespace, name });
  if (filled.do === 'create') {
    const { status, ...object } = filled.object as Json & { kind: Kind; metadata: { name: string } };
    await user.create(resourceOf(resources[object.kind]), object);
    if (status !== undefined) {
      await user.mergePatch(target(object.kind, object.metadata.name), { status }, { subresource: 'status' });
    }
    return;
  }
  const at = target(filled.kind as Kind, filled.name as string);
  if (filled.do === 'patch') await user.mergePatch(at, filled.body as Json);
  else if (filled.do === 'patchStatus') await user.mergePatch(at, { status: filled.status }, { subresource: 'status' });
  else if (filled.do === 'delete') await user.delete(at);
  else throw new Error(`the player does not know ${filled.do}`);
}

/** Placeholders of the record, filled from this run. */
function fill(world: World, namespace: string, text: string): string {
  return text
    .replace(/<uid:(\w+)\/([^>]+)>/g, (_, kind: Kind, name: string) => {
      const object = world.server.store.get(plural(kind), namespace, name);
      return object?.metadata.uid ?? '00000000-0000-4000-8000-000000000000';
    })
    .replace(/<base64 of a working kubeconfig[^>]*>/g, Buffer.from(WORKING).toString('base64'));
}

function plural(kind: Kind): string {
  const resource = resources[kind] as { readonly apiVersion: string; readonly plural: string } | undefined;
  if (resource === undefined) return 'none';
  const { apiVersion } = resource;
  return apiVersion.includes('/') ? `${resource.plural}.${apiVersion.split('/')[0]}` : resource.plural;
}

async function doByHand(world: World, namespace: string, note: string): Promise<void> {
  if (note.startsWith('The kubeconfig Secret is replaced')) {
    const target = { resource: resourceOf(resources.Secret), namespace, name: 'c1-kubeconfig' };
    await world.user.mergePatch(target, { data: { value: Buffer.from(WORKING).toString('base64') } });
    return;
  }
  const [, name, minutes] = /token of (\S+) is set to (\d+) minutes/.exec(note) ?? [];
  const config = world.server.store.get(plural('KubeadmConfig'), namespace, name ?? '') as {
    spec?: { joinConfiguration?: { discovery?: { bootstrapToken?: { token?: string } } } };
  };
  const token = config.spec?.joinConfiguration?.discovery?.bootstrapToken?.token ?? '';
  const expiration = `${new Date(world.clock.nowMs() + Number(minutes) * 60_000).toISOString().slice(0, 19)}Z`;
  const target = {
    resource: resourceOf(resources.Secret),
    namespace: 'kube-system',
    name: `bootstrap-token-${token.slice(0, 6)}`,
  };
  await world.user.mergePatch(target, { data: { expiration: Buffer.from(expiration).toString('base64') } });
}

async function stateOf(
  world: World,
  namespace: string,
  ttlMs: number,
): Promise<Record<string, Record<string, unknown>>> {
  const names = await namesOf(world, namespace, ttlMs);
  const state: Record<string, Record<string, unknown>> = {};
  for (const kind of shownKinds) {
    const objects = world.server.store.list(plural(kind), namespace);
    if (objects.length === 0) continue;
    const normalise = kind === 'Secret' ? normaliseSecret : normaliseObject;
    state[kind] = Object.fromEntries(objects.map((object) => [object.metadata.name, normalise(object, names)]));
  }
  const tokens = tokensOf(world);
  state['bootstrapTokens'] = Object.fromEntries(
    tokens.map((object) => {
      const token = tokenText(object);
      return [`<token-${names.tokens.indexOf(token) + 1}>`, normaliseToken(object, names)];
    }),
  );
  return state;
}

function rememberUids(world: World, namespace: string): ReadonlyMap<string, string> {
  const { store } = world.server;
  const uids = rememberedUids.get(world) ?? new Map<string, string>();
  rememberedUids.set(world, uids);
  for (const kind of shownKinds) {
    for (const { metadata } of store.list(plural(kind), namespace))
      if (metadata.uid !== undefined) uids.set(metadata.uid, `${kind}/${metadata.name}`);
  }
  return uids;
}

async function namesOf(world: World, namespace: string, ttlMs: number): Promise<Names> {
  const { store } = world.server;
  const uids = rememberUids(world, namespace);
  const pems = new Map<string, string>();
  const hashes = new Map<string, string>();
  for (const object of store.list('secrets', namespace) as (ApiObject & { data?: Record<string, string> })[]) {
    for (const key of ['tls.crt', 'tls.key']) {
      const pem = Buffer.from(object.data?.[key] ?? '', 'base64').toString();
      if (!pem.startsWith('-----BEGIN')) continue;
      const where = `${object.metadata.name}/${key}`;
      pems.set(where, pem);
      const found = caCertHashes(pem);
      if (found.kind === 'hashes') for (const hash of found.hashes) hashes.set(hash, where);
    }
  }
  return { nowMs: world.clock.nowMs(), ttlMs, uids, pems, hashes, tokens: orderOfTokens(world, namespace) };
}

/** Tokens are numbered as they are first met in the objects, by name, then in the workload cluster. */
function orderOfTokens(world: World, namespace: string): readonly string[] {
  type WithToken = { spec?: { joinConfiguration?: { discovery?: { bootstrapToken?: { token?: string } } } } };
  const inConfigs = (
    world.server.store.list(plural('KubeadmConfig'), namespace) as readonly unknown[] as WithToken[]
  ).flatMap(({ spec }) => spec?.joinConfiguration?.discovery?.bootstrapToken?.token ?? []);
  const known = rememberedTokens.get(world) ?? [];
  const all = [...new Set([...known, ...inConfigs, ...tokensOf(world).map(tokenText)])];
  rememberedTokens.set(world, all);
  return all;
}

/** Uids of objects that may be gone by the time that somebody names them. */
const rememberedUids = new WeakMap<World, Map<string, string>>();
const rememberedTokens = new WeakMap<World, readonly string[]>();

function tokensOf(world: World): readonly ApiObject[] {
  return world.server.store
    .list('secrets', 'kube-system')
    .filter(({ metadata }) => metadata.name.startsWith('bootstrap-token-'));
}

function tokenText(object: ApiObject): string {
  const { data = {} } = object as ApiObject & { data?: Record<string, string> };
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  return `${text('token-id')}.${text('token-secret')}`;
}

/** Two extensions by the clock alone. */
async function extendedTwice(world: World, operator: Operator): Promise<unknown> {
  const expiries: number[] = [];
  const names = new Set<string>();
  const look = (): void => {
    const [token] = tokensOf(world) as (ApiObject & { data: Record<string, string> })[];
    if (token === undefined) return;
    names.add(tokenText(token));
    const at = Date.parse(Buffer.from(token.data['expiration'] ?? '', 'base64').toString());
    if (expiries.at(-1) !== at) expiries.push(at);
  };
  for (let second = 0; second < 25; second += 1) {
    look();
    await world.clock.advance(1_000);
    await world.settle(operator);
  }
  look();
  const [, first = 0, second = 0] = expiries;
  return { sameToken: names.size === 1, secondsBetween: (second - first) / 1_000 };
}

export type { KubeObject };
