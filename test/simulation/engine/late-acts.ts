// Workers that come while their Cluster is paused, one of them on its way out already: every cache knows it when it matters.
import type { Stage } from './acts.js';
import { at, isInitialized, type Fields, type Loose } from './mirror.js';
import { NAMESPACE, pathOf } from './objects.js';

const CLUSTER = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
const MACHINE = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' };
const CONFIG = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig' };
/** By then every cache has seen what was done, and what was sent before it has arrived. */
const SEEN_MS = 285_000;
const INITIALISED_WAITS_MAX = 120;
/** All of it is over by then. */
export const ADDED_MAX_MS = 600_000;

/** Pauses the first Cluster, adds two workers, deletes the KubeadmConfig of one, which somebody keeps, and goes on. */
export async function addWhilePaused(stage: Stage): Promise<void> {
  const { truth, time } = stage;
  const cluster = (): Loose | undefined => truth.get('clusters', 'c1');
  for (let waits = 0; !isInitialized(cluster()) && waits < INITIALISED_WAITS_MAX; waits += 1) await time.sleep(1_000);
  const model = truth.all('machines').find(({ metadata }) => metadata.name.startsWith('c1-worker-'));
  const pattern = model === undefined ? undefined : truth.get('kubeadmconfigs', model.metadata.name);
  if (!isInitialized(cluster()) || at(cluster(), 'spec', 'paused') === true) return;
  if (model === undefined || pattern === undefined) return;
  const [added, kept] = ['c1-worker-8', 'c1-worker-9'] as const;
  await pause(stage, true);
  await addWorker(stage, kept, { model, pattern, finalizers: ['example.com/kept'] });
  await stage.call('DELETE', pathOf(CONFIG, kept));
  await time.sleep(SEEN_MS);
  await addWorker(stage, added, { model, pattern });
  await time.sleep(45_000);
  await pause(stage, null);
  await time.sleep(60_000);
  await stage.call('PATCH', pathOf(CONFIG, kept), { metadata: { finalizers: null } });
  const owner = truth.get('machines', kept);
  if (owner !== undefined) await addConfig(stage, { pattern, owner });
}

async function pause(stage: Stage, paused: true | null): Promise<void> {
  stage.note(`${paused === true ? 'pauses' : 'resumes'} Cluster c1`);
  await stage.call('PATCH', pathOf(CLUSTER, 'c1'), { spec: { paused } });
}

/** A Machine and its KubeadmConfig, which it controls from the start: nobody else works while a Cluster is paused. */
async function addWorker(
  stage: Stage,
  name: string,
  {
    model,
    pattern,
    finalizers,
  }: { readonly model: Loose; readonly pattern: Loose; readonly finalizers?: readonly string[] },
): Promise<void> {
  stage.note(`adds Machine ${name}`);
  const { providerID: _, bootstrap, infrastructureRef, ...spec } = model.spec as Fields;
  const { dataSecretName: __, configRef, ...rest } = bootstrap as Fields;
  await stage.call('POST', pathOf(MACHINE), {
    ...MACHINE,
    metadata: metadataOf(name),
    spec: {
      ...spec,
      bootstrap: { ...rest, configRef: { ...(configRef as Fields), name } },
      infrastructureRef: { ...(infrastructureRef as Fields), name },
    },
  });
  const owner = stage.truth.get('machines', name);
  if (owner !== undefined)
    await addConfig(stage, { pattern, owner, ...(finalizers === undefined ? {} : { finalizers }) });
}

async function addConfig(
  stage: Stage,
  {
    pattern,
    owner,
    finalizers,
  }: { readonly pattern: Loose; readonly owner: Loose; readonly finalizers?: readonly string[] },
): Promise<void> {
  const { name, uid } = owner.metadata;
  const { discovery: _, ...join } = (at(pattern, 'spec', 'joinConfiguration') ?? {}) as Fields;
  await stage.call('POST', pathOf(CONFIG), {
    ...CONFIG,
    metadata: {
      ...metadataOf(name),
      ownerReferences: [{ ...MACHINE, name, uid, controller: true, blockOwnerDeletion: true }],
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    spec: { ...pattern.spec, joinConfiguration: join },
  });
}

function metadataOf(name: string): object {
  return { name, namespace: NAMESPACE, labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } };
}
