// Plays a recorded scenario of Machines against the Machine controller on the embedded server.
//
// The same server is the workload cluster, as in the record. Steps and notation are those of player.ts.
import type { ApiObject } from '../../src/embedded/types.js';
import { createWorld, type Operator, type World } from '../unit/machine/world.js';
import { nodeStatus, resource } from '../unit/machine/objects.js';
import type { Target } from '../../src/kube/contract.js';
import { normaliseObject, type Names } from './normalise.js';
import type { Scenario, Seen, Step } from './player.js';

type Json = Record<string, unknown>;

const shownKinds = ['InfraMachine', 'KubeadmConfig', 'Machine', 'Node'] as const;

/** Plays all steps. */
export async function playMachine(scenario: Scenario): Promise<readonly Seen[]> {
  const namespace = scenario.id;
  const world = createWorld({ isOneServer: true });
  await world.user.create(resource('Namespace'), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const operator = await world.start();
  const seen: Seen[] = [];
  for (const step of scenario.steps) {
    if (step.do !== undefined) await act(world, namespace, step);
    else if (step.note !== undefined) await doByHand(world, namespace, step.note);
    else if (step.snapshot !== undefined)
      seen.push({ name: step.snapshot, expected: step.state, actual: stateOf(world, operator, namespace) });
    else if (step.fact !== undefined)
      seen.push({ name: step.fact, expected: step.value, actual: podsOf(world, namespace) });
    await world.settle();
  }
  operator.kill();
  return seen;
}

async function act(
  world: World,
  namespace: string,
  step: Step & { readonly namespace?: string | null },
): Promise<void> {
  const filled = JSON.parse(fill(world, namespace, JSON.stringify(step))) as typeof step;
  const at = (kind: string, name: string): Target => {
    const found = resource(kind);
    return { resource: found, namespace: found.namespaced ? namespace : '', name };
  };
  if (filled.do === 'create') {
    const { status, ...object } = filled.object as Json & { kind: string; metadata: { name: string } };
    await world.user.create(resource(object.kind), object);
    if (status !== undefined) {
      await world.user.mergePatch(at(object.kind, object.metadata.name), { status }, { subresource: 'status' });
    }
    return;
  }
  const target = at(filled.kind as string, filled.name as string);
  if (filled.do === 'patch') await world.user.mergePatch(target, filled.body as Json);
  else if (filled.do === 'patchStatus')
    await world.user.mergePatch(target, { status: filled.status }, { subresource: 'status' });
  else if (filled.do === 'delete') await world.user.delete(target);
  else throw new Error(`the player does not know ${filled.do}`);
}

function fill(world: World, namespace: string, text: string): string {
  return text
    .replace(/<uid:(\w+)\/([^>]+)>/g, (_, kind: string, name: string) => {
      const { plural, group } = resource(kind);
      const found = world.management.store.get(group === '' ? plural : `${plural}.${group}`, namespace, name);
      return found?.metadata.uid ?? '00000000-0000-4000-8000-000000000000';
    })
    .replace(/<base64 of a working kubeconfig[^>]*>/g, 'a3ViZWNvbmZpZw==');
}

async function doByHand(world: World, namespace: string, note: string): Promise<void> {
  if (note.startsWith('The Node becomes ready')) {
    const target = { resource: resource('Node'), namespace: '', name: 'w-0' };
    await world.user.mergePatch(target, { status: nodeStatus('True') }, { subresource: 'status' });
    return;
  }
  const [, names = ''] = /^The pods (.*) finish terminating/.exec(note) ?? [];
  for (const name of names.split(', ')) {
    await world.user.delete({ resource: resource('Pod'), namespace, name }, { gracePeriodSeconds: 0 });
  }
}

function listOf(world: World, kind: string, namespace: string): readonly ApiObject[] {
  const { plural, group, namespaced } = resource(kind);
  return world.management.store.list(group === '' ? plural : `${plural}.${group}`, namespaced ? namespace : '');
}

function stateOf(world: World, operator: Operator, namespace: string): Json {
  const uids = new Map<string, string>();
  for (const kind of [...shownKinds, 'Cluster']) {
    for (const { metadata } of listOf(world, kind, namespace)) uids.set(metadata.uid ?? '', `${kind}/${metadata.name}`);
  }
  const names: Names = { nowMs: world.clock.nowMs(), ttlMs: 0, uids, pems: new Map(), hashes: new Map(), tokens: [] };
  const state: Json = {};
  for (const kind of shownKinds) {
    const objects = listOf(world, kind, namespace);
    if (objects.length === 0) continue;
    state[kind] = Object.fromEntries(
      objects.map((object) => [object.metadata.name, withoutTimes(normaliseObject(object, names))]),
    );
  }
  const events = operator.events.map(({ object, type, reason, message }) => ({
    object: `${object.kind}/${object.name}`,
    type,
    reason,
    message,
  }));
  state['events'] = [...new Set(events.map((event) => JSON.stringify(event)))]
    .toSorted()
    .map((text) => JSON.parse(text) as Json);
  return state;
}

/** Times inside texts and fields of the Machine that are no condition's. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>');
  return JSON.parse(text) as unknown;
}

function podsOf(world: World, namespace: string): readonly Json[] {
  return listOf(world, 'Pod', namespace)
    .map(({ metadata }) => ({ name: metadata.name, terminating: metadata.deletionTimestamp !== undefined }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
