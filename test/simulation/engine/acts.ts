// What others do to a world while an operator works: users, other controllers, restores and accidents.
//
// An act does only what an operator must be able to live with: each says when it keeps its hands off.
import { pathOf, base64, NAMESPACE, USER_TOKEN } from './objects.js';
import {
  at,
  controllerOf,
  dataOf,
  isInitialized,
  ownerOf,
  specToken,
  textAt,
  type Fields,
  type Loose,
  type Truth,
} from './mirror.js';
import { FOREIGN_FILE, type Judge } from './judge.js';
import { addWhilePaused } from './late-acts.js';
import { recreateManaged } from './machine-acts.js';
import type { Race, Seen } from './network.js';
import type { ActName } from './plan.js';
import {
  dropLockLate,
  pauseFirst,
  recreateLockHolder,
  removeWorker,
  renewKubeconfig,
  rotateKubeconfig,
  swapToken,
  takeSecret,
} from './story-acts.js';
import type { VirtualTime } from './virtual-time.js';

/** What acts may touch. */
export interface Stage {
  readonly truth: Truth;
  readonly time: VirtualTime;
  readonly judge: Judge;
  /** A request to the management cluster as somebody else. Never throws; answers the status. */
  call(method: string, path: string, body?: object): Promise<number>;
  /** A request to a workload cluster as its administrator. */
  callWorkload(cluster: string, method: string, path: string, body?: object): Promise<number>;
  /** Gives a workload cluster another address, and tells its kubeconfig. */
  moveWorkload(cluster: string): Promise<void>;
  /** An object of a workload cluster; undefined where nobody looks at them. */
  workload(cluster: string, resource: string, key: string): Loose | undefined;
  /** The operator is the Machine controller too. */
  readonly hasMachines: boolean;
  /** This Machine will not get a node. */
  exempt(machine: string): void;
  note(text: string): void;
}

const CONFIG = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig' };
const CLUSTER = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
const MACHINE = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' };
const POOL = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachinePool' };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const SNAPSHOT = 'ActorState';
const ANNOTATION = 'kubeadm-bootstrap-operator/actor';
const MERGE = 'PATCH';
/** How often an act looks for its object: for half a minute. */
const WAITS_MAX = 120;

/** Carries out an act on one of the objects there are, as soon as there is one for it. */
export async function act(stage: Stage, what: ActName, target: number): Promise<void> {
  const { truth } = stage;
  const pick = (all: readonly Loose[]): Loose | undefined => all[target % Math.max(1, all.length)];
  const soon = async (of: () => readonly Loose[], everyMs = 250): Promise<Loose | undefined> => {
    for (let tries = 0; of().length === 0 && tries < (WAITS_MAX * 250) / everyMs; tries += 1)
      await stage.time.sleep(everyMs);
    return pick(of());
  };
  const onConfig = async (run: (config: Loose) => Promise<void>): Promise<void> => {
    const config = pick(truth.all('kubeadmconfigs'));
    if (config !== undefined) await run(config);
  };
  const onToken = async (run: (stage: Stage, config: Loose) => Promise<void>): Promise<void> => {
    const config = await soon(() => truth.all('kubeadmconfigs').filter((each) => isTokenFree(stage, each)));
    if (config !== undefined) await run(stage, config);
  };
  const onLocked = async (run: (stage: Stage, cluster: Loose) => Promise<void>, everyMs?: number): Promise<void> => {
    const hasLock = ({ metadata }: Loose): boolean => truth.get('configmaps', `${metadata.name}-lock`) !== undefined;
    const cluster = await soon(() => truth.all('clusters').filter(hasLock), everyMs);
    if (cluster !== undefined) await run(stage, cluster);
  };
  const onCluster = async (run: (cluster: Loose) => Promise<void>): Promise<void> => {
    const cluster = pick(truth.all('clusters'));
    if (cluster !== undefined) await run(cluster);
  };
  const pauseMs = target % 3 === 0 ? 330_000 : 40_000;
  const acts: Readonly<Record<ActName, () => Promise<void>>> = {
    loseSnapshot: () => onConfig((config) => changeSnapshot(stage, config, () => null)),
    corruptSnapshot: () =>
      onConfig((config) => changeSnapshot(stage, config, (text) => text.slice(0, text.length / 2))),
    foreignSnapshot: () =>
      onConfig((config) =>
        changeSnapshot(stage, config, (text) => text.replace(/"uid":"[^"]*"/, '"uid":"of-another-life"')),
      ),
    labelConfig: () =>
      onConfig((config) => patch(stage, CONFIG, config, { metadata: { labels: { touched: String(target) } } })),
    addFile: () => onConfig((config) => addFile(stage, config)),
    pauseConfig: () => onConfig((config) => pauseConfig(stage, config, pauseMs)),
    pauseCluster: () => onCluster((cluster) => pauseCluster(stage, cluster, pauseMs)),
    loseToken: () => onToken(loseToken),
    expireToken: () => onToken(expireToken),
    corruptLock: () => onLocked(corruptLock),
    dropLock: () => onLocked(dropLock),
    recreateMachine: () => onConfig((config) => recreateMachine(stage, config)),
    recreateConfig: () => onConfig((config) => recreateConfig(stage, config)),
    // A holder has no data for some tenths of a second at most.
    failLockHolder: () => onLocked(failLockHolder, 20),
    failLockHolderLate: () => onLocked(failLockHolder),
    touchCluster: () =>
      onCluster((cluster) =>
        patch(stage, CLUSTER, cluster, { metadata: { annotations: { touched: String(target) } } }),
      ),
    loseStatus: () => onConfig((config) => loseStatus(stage, config)),
    moveConfig: () => onConfig((config) => moveConfig(stage, config)),
    growPool: () => growPool(stage),
    addWhilePaused: () => addWhilePaused(stage),
    pauseFirst: () => pauseFirst(stage, target),
    removeWorker: () => removeWorker(stage, target),
    dropLockLate: () => dropLockLate(stage),
    recreateLockHolder: () => recreateLockHolder(stage, target),
    rotateKubeconfig: () => rotateKubeconfig(stage, target),
    renewKubeconfig: () => renewKubeconfig(stage, target),
    swapToken: () => swapToken(stage, target),
  };
  await acts[what]();
}

/** What somebody else does to the object of a write just before the write is handled. */
export async function race(stage: Stage, seen: Seen, what: Race): Promise<void> {
  if (what === 'take') return takeSecret(stage, seen);
  const { actor, path, subresource } = seen;
  const config = stage.truth.get('kubeadmconfigs', actor.split('/')[1] ?? '');
  if (config === undefined) return;
  if (what === 'recreate') return recreateConfig(stage, config, 0);
  const target = subresource === '' ? path : path.slice(0, path.lastIndexOf('/'));
  const isCollection = /\/(secrets|configmaps)$/.test(target);
  stage.note(`is faster than ${actor}`);
  const body = { metadata: { labels: { touched: String(stage.truth.changes) } } };
  await stage.call(MERGE, isCollection ? pathOf(CONFIG, config.metadata.name) : target, body);
}

async function patch(
  stage: Stage,
  kind: typeof CONFIG,
  { metadata: { name } }: Loose,
  body: object,
  subresource = '',
): Promise<void> {
  stage.note(`patches ${kind.kind} ${name} ${subresource}`);
  await stage.call(MERGE, pathOf(kind, name, subresource), body);
}

async function changeSnapshot(stage: Stage, config: Loose, change: (text: string) => string | null): Promise<void> {
  const { name, annotations = {} } = config.metadata;
  const conditions = (at(config, 'status', 'conditions') ?? []) as readonly Fields[];
  const known = conditions.find(({ type }) => type === SNAPSHOT);
  if (known !== undefined) {
    const message = change(String(known['message']));
    const rest = conditions.filter((each) => each !== known);
    await patch(
      stage,
      CONFIG,
      config,
      { status: { conditions: message === null ? rest : [...rest, { ...known, message }] } },
      'status',
    );
  }
  const annotated = annotations[ANNOTATION];
  if (annotated !== undefined)
    await patch(stage, CONFIG, config, { metadata: { annotations: { [ANNOTATION]: change(annotated) } } });
  const kept = stage.truth.get('configmaps', `${name}-actor`);
  if (kept !== undefined) await patch(stage, CONFIG_MAP, kept, { data: { actor: change(kept.data?.['actor'] ?? '') } });
}

async function addFile(stage: Stage, config: Loose): Promise<void> {
  const files = (at(config, 'spec', 'files') ?? []) as readonly Fields[];
  if (files.some(({ path }) => path === FOREIGN_FILE)) return;
  await patch(stage, CONFIG, config, { spec: { files: [...files, { path: FOREIGN_FILE, content: 'theirs' }] } });
}

async function pauseConfig(stage: Stage, config: Loose, ms: number): Promise<void> {
  const paused = 'cluster.x-k8s.io/paused';
  await patch(stage, CONFIG, config, { metadata: { annotations: { [paused]: '' } } });
  await stage.time.sleep(ms);
  await patch(stage, CONFIG, config, { metadata: { annotations: { [paused]: null } } });
}

async function pauseCluster(stage: Stage, cluster: Loose, ms: number): Promise<void> {
  await patch(stage, CLUSTER, cluster, { spec: { paused: true } });
  await stage.time.sleep(ms);
  await patch(stage, CLUSTER, cluster, { spec: { paused: null } });
}

function clusterOf(stage: Stage, config: Loose): string {
  const owner = ownerOf(stage.truth, config.metadata.name);
  return textAt(owner?.object, 'spec', 'clusterName');
}

/** Tokens that a Machine still needs. A pool's instances keep the data that they were given: theirs are left alone. */
function isTokenFree(stage: Stage, config: Loose): boolean {
  const owner = ownerOf(stage.truth, config.metadata.name);
  if (specToken(config) === '' || specToken(config) === USER_TOKEN || owner === null) return false;
  return owner.kind === 'Machine' && textAt(owner.object, 'status', 'nodeRef', 'name') === '';
}

async function loseToken(stage: Stage, config: Loose): Promise<void> {
  if (!isTokenFree(stage, config)) return;
  const token = specToken(config);
  stage.judge.tampered(token);
  stage.note(`deletes the token of ${config.metadata.name}`);
  await stage.callWorkload(clusterOf(stage, config), 'DELETE', tokenPath(token));
}

async function expireToken(stage: Stage, config: Loose): Promise<void> {
  if (!isTokenFree(stage, config)) return;
  const token = specToken(config);
  stage.judge.tampered(token);
  stage.note(`ends the token of ${config.metadata.name}`);
  const body = { data: { expiration: base64('2026-01-01T00:00:00Z') } };
  await stage.callWorkload(clusterOf(stage, config), MERGE, tokenPath(token), body);
}

function tokenPath(token: string): string {
  return `/api/v1/namespaces/kube-system/secrets/bootstrap-token-${token.split('.')[0]}`;
}

/** Somebody writes nonsense into the lock, and sorts it out by hand once nothing can be under way any more. */
async function corruptLock(stage: Stage, cluster: Loose): Promise<void> {
  const { name } = cluster.metadata;
  const lock = stage.truth.get('configmaps', `${name}-lock`);
  if (lock === undefined || isInitialized(cluster)) return;
  stage.judge.tampered(lock.metadata.name);
  await patch(stage, CONFIG_MAP, lock, { data: { 'lock-information': 'nonsense' } });
  await stage.time.sleep(130_000);
  const now = stage.truth.get('configmaps', `${name}-lock`);
  const isNonsense = now?.data?.['lock-information'] === 'nonsense';
  if (!isNonsense || now.metadata.uid !== lock.metadata.uid || isInitialized(stage.truth.get('clusters', name))) return;
  if (stage.truth.all('secrets').some((secret) => dataOf(secret).isInit)) {
    stage.note(`gives the lock of ${name} back to its holder`);
    await stage.call(MERGE, pathOf(CONFIG_MAP, now.metadata.name), { data: lock.data });
    return;
  }
  stage.note(`removes the nonsense lock of ${name}`);
  await stage.call('DELETE', pathOf(CONFIG_MAP, now.metadata.name));
}

/** Only after initialisation: before it, who deletes a living holder's lock makes two inits himself. */
async function dropLock(stage: Stage, cluster: Loose): Promise<void> {
  if (!isInitialized(cluster)) return;
  await stage.call('DELETE', pathOf(CONFIG_MAP, `${cluster.metadata.name}-lock`));
}

/** Deletes a Machine with all that is its own, and creates it again under the same name. */
async function recreateMachine(stage: Stage, config: Loose): Promise<void> {
  const { truth, time } = stage;
  const owner = ownerOf(truth, config.metadata.name);
  if (owner === null || owner.kind !== 'Machine') return;
  const machine = owner.object;
  const cluster = truth.get('clusters', textAt(machine, 'spec', 'clusterName'));
  const isControlPlane = machine.metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;
  // A machine that may run kubeadm init at this moment takes the only control plane with it.
  if (isControlPlane && !isInitialized(cluster) && textAt(machine, 'spec', 'bootstrap', 'dataSecretName') !== '')
    return;
  const { name } = machine.metadata;
  if (stage.hasMachines) return recreateManaged(stage, machine, config);
  stage.note(`deletes Machine ${name}`);
  await stage.call('DELETE', pathOf(MACHINE, name));
  for (
    let tries = 0;
    truth.get('machines', name) !== undefined || truth.get('kubeadmconfigs', config.metadata.name) !== undefined;
    tries += 1
  ) {
    if (tries === 600) return stage.exempt(name);
    await time.sleep(200);
  }
  stage.note(`creates Machine ${name} again`);
  const { providerID: _, ...spec } = machine.spec as Fields;
  const { dataSecretName: __, ...bootstrap } = spec['bootstrap'] as Fields;
  await stage.call('POST', pathOf(MACHINE), fresh(machine, { ...spec, bootstrap }));
  await stage.call('POST', pathOf(CONFIG), fresh(config, userSpec(config)));
}

/** Deletes a KubeadmConfig alone and creates it again, while nobody has been told of its data. */
async function recreateConfig(stage: Stage, config: Loose, afterMs = 100): Promise<void> {
  const { name } = config.metadata;
  const owner = ownerOf(stage.truth, name);
  if (owner === null || owner.kind !== 'Machine' || textAt(owner.object, 'spec', 'bootstrap', 'dataSecretName') !== '')
    return;
  if (at(config, 'status', 'initialization', 'dataSecretCreated') === true) return;
  if (stage.hasMachines && owner.object.metadata.deletionTimestamp !== undefined) return;
  stage.note(`deletes KubeadmConfig ${name} and creates it again`);
  await stage.call('DELETE', pathOf(CONFIG, name));
  if (afterMs > 0) await stage.time.sleep(afterMs);
  await stage.call('POST', pathOf(CONFIG), fresh(config, userSpec(config)));
}

/** What `clusterctl move` does, within one cluster: paused, created again with its data and without its status, under new uids. */
async function moveConfig(stage: Stage, given: Loose): Promise<void> {
  const { truth, time } = stage;
  const { name } = given.metadata;
  const owner = ownerOf(truth, name);
  const cluster = truth.get('clusters', clusterOf(stage, given));
  if (owner === null || cluster === undefined || !isInitialized(cluster) || at(cluster, 'spec', 'paused') === true)
    return;
  await patch(stage, CLUSTER, cluster, { spec: { paused: true } });
  // Turns that began before the pause are over by then.
  await time.sleep(150_000);
  const config = truth.get('kubeadmconfigs', name);
  const secret = truth.get('secrets', name);
  const isMovable = config !== undefined && config.metadata.uid === given.metadata.uid;
  if (isMovable && (secret === undefined || controllerOf(secret).uid === config.metadata.uid))
    await moveNow(stage, config, secret);
  await patch(stage, CLUSTER, cluster, { spec: { paused: null } });
}

async function moveNow(stage: Stage, config: Loose, secret: Loose | undefined): Promise<void> {
  const { truth, time } = stage;
  const { name, labels, annotations, ownerReferences } = config.metadata;
  stage.note(`moves KubeadmConfig ${name}`);
  await stage.call('DELETE', pathOf(CONFIG, name));
  while (truth.get('secrets', name) !== undefined) await time.sleep(200);
  const metadata = { name, namespace: NAMESPACE, labels, annotations, ownerReferences };
  await stage.call('POST', pathOf(CONFIG), { ...CONFIG, metadata, spec: config.spec });
  const uid = truth.get('kubeadmconfigs', name)?.metadata.uid;
  if (secret === undefined || uid === undefined) return;
  const references = secret.metadata.ownerReferences?.map((each) =>
    each.controller === true ? { ...each, uid } : each,
  );
  const { type, data } = secret as Loose & { readonly type?: string };
  const of = { name, namespace: NAMESPACE, labels: secret.metadata.labels, annotations: secret.metadata.annotations };
  const body = { apiVersion: 'v1', kind: 'Secret', type, metadata: { ...of, ownerReferences: references }, data };
  await stage.call('POST', pathOf({ apiVersion: 'v1', kind: 'Secret' }), body);
}

/** A pool gets one more instance: it boots with the data that is there. */
export async function growPool(stage: Stage): Promise<void> {
  const [pool] = stage.truth.all('machinepools');
  if (pool === undefined) return;
  const replicas = Number(at(pool, 'spec', 'replicas') ?? 1);
  await patch(stage, POOL, pool, { spec: { replicas: replicas + 1 } });
}

function fresh({ apiVersion, kind, metadata }: Loose, spec: object): object {
  const { 'cluster.x-k8s.io/cluster-name': cluster, 'cluster.x-k8s.io/control-plane': role } = metadata.labels ?? {};
  const labels = {
    'cluster.x-k8s.io/cluster-name': cluster,
    ...(role === undefined ? {} : { 'cluster.x-k8s.io/control-plane': role }),
  };
  return { apiVersion, kind, metadata: { name: metadata.name, namespace: NAMESPACE, labels }, spec };
}

/** A spec as its user would write it again: without what the operator completed. */
function userSpec(config: Loose): object {
  const spec = { ...config.spec } as Record<string, unknown>;
  const isUsers = specToken(config) === USER_TOKEN;
  const { discovery: _, ...join } = (spec['joinConfiguration'] ?? {}) as Fields;
  if (spec['joinConfiguration'] !== undefined)
    spec['joinConfiguration'] = isUsers ? { ...join, discovery: { bootstrapToken: { token: USER_TOKEN } } } : join;
  return spec;
}

/**
 * The holder of the lock fails for good before it has data, where another control plane can take over. Data that was on its way
 * then is told to nobody and keeps the lock: whoever failed the Machine deletes it.
 */
async function failLockHolder(stage: Stage, cluster: Loose): Promise<void> {
  const { truth } = stage;
  const lock = truth.get('configmaps', `${cluster.metadata.name}-lock`);
  if (lock === undefined || isInitialized(cluster)) return;
  const holder = /"machineName":"([^"]+)"/.exec(lock.data?.['lock-information'] ?? '')?.[1] ?? '';
  const name = textAt(truth.get('machines', holder), 'spec', 'bootstrap', 'configRef', 'name');
  const config = truth.get('kubeadmconfigs', name);
  const rivals = truth
    .all('machines')
    .filter(
      (machine) =>
        machine.metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined &&
        textAt(machine, 'spec', 'clusterName') === cluster.metadata.name,
    );
  if (config === undefined || rivals.length < 2 || truth.get('secrets', name) !== undefined) return;
  stage.exempt(holder);
  const deprecated = { v1beta1: { failureReason: 'Broken', failureMessage: 'said by somebody' } };
  const uid = truth.get('machines', holder)?.metadata.uid;
  await patch(stage, CONFIG, config, { status: { deprecated } }, 'status');
  await stage.time.sleep(130_000);
  const isStuck =
    truth.get('secrets', name) !== undefined && !isInitialized(truth.get('clusters', cluster.metadata.name));
  if (isStuck && truth.get('machines', holder)?.metadata.uid === uid)
    await stage.call('DELETE', pathOf(MACHINE, holder));
}

/** A restore that brings back everything but the status. */
async function loseStatus(stage: Stage, config: Loose): Promise<void> {
  await patch(
    stage,
    CONFIG,
    config,
    { status: { initialization: null, conditions: [], observedGeneration: null } },
    'status',
  );
}
