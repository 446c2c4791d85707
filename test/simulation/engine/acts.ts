// What others do to a world while an operator works: users, other controllers, restores and accidents.
//
// An act does only what an operator must be able to live with: each says when it keeps its hands off.
import { pathOf, base64, NAMESPACE, USER_TOKEN } from './objects.js';
import {
  at,
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
import type { ActName } from './plan.js';
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
  /** This Machine will not get a node. */
  exempt(machine: string): void;
  note(text: string): void;
}

const CONFIG = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig' };
const CLUSTER = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
const MACHINE = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const SNAPSHOT = 'ActorState';
const ANNOTATION = 'kubeadm-bootstrap-operator/actor';
const MERGE = 'PATCH';

/** Carries out an act on one of the objects there are. */
export async function act(stage: Stage, what: ActName, target: number): Promise<void> {
  const { truth } = stage;
  const configs = truth.all('kubeadmconfigs');
  const config = configs[target % Math.max(1, configs.length)];
  const clusters = truth.all('clusters');
  const cluster = clusters[target % Math.max(1, clusters.length)];
  if (config === undefined || cluster === undefined) return;
  const acts: Readonly<Record<ActName, () => Promise<void>>> = {
    loseSnapshot: () => changeSnapshot(stage, config, () => null),
    corruptSnapshot: () => changeSnapshot(stage, config, (text) => text.slice(0, text.length / 2)),
    foreignSnapshot: () =>
      changeSnapshot(stage, config, (text) => text.replace(/"uid":"[^"]*"/, '"uid":"of-another-life"')),
    labelConfig: () => patch(stage, CONFIG, config, { metadata: { labels: { touched: String(target) } } }),
    addFile: () => addFile(stage, config),
    pauseConfig: () => pauseConfig(stage, config),
    pauseCluster: () => pauseCluster(stage, cluster),
    loseToken: () => loseToken(stage, config),
    expireToken: () => expireToken(stage, config),
    corruptLock: () => corruptLock(stage, cluster),
    dropLock: () => dropLock(stage, cluster),
    recreateMachine: () => recreateMachine(stage, config),
    recreateConfig: () => recreateConfig(stage, config),
    failLockHolder: () => failLockHolder(stage, cluster),
    touchCluster: () => patch(stage, CLUSTER, cluster, { metadata: { annotations: { touched: String(target) } } }),
    loseStatus: () => loseStatus(stage, config),
  };
  await acts[what]();
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

async function pauseConfig(stage: Stage, config: Loose): Promise<void> {
  const paused = 'cluster.x-k8s.io/paused';
  await patch(stage, CONFIG, config, { metadata: { annotations: { [paused]: '' } } });
  await stage.time.sleep(40_000);
  await patch(stage, CONFIG, config, { metadata: { annotations: { [paused]: null } } });
}

async function pauseCluster(stage: Stage, cluster: Loose): Promise<void> {
  await patch(stage, CLUSTER, cluster, { spec: { paused: true } });
  await stage.time.sleep(40_000);
  await patch(stage, CLUSTER, cluster, { spec: { paused: null } });
}

function clusterOf(stage: Stage, config: Loose): string {
  const owner = ownerOf(stage.truth, config.metadata.name);
  return textAt(owner?.object, 'spec', 'clusterName');
}

/** Of a pool only when its nodes are there: nodes that boot keep the data that they were given. */
function isTokenFree(stage: Stage, config: Loose): boolean {
  const owner = ownerOf(stage.truth, config.metadata.name);
  if (specToken(config) === '' || specToken(config) === USER_TOKEN || owner === null) return false;
  return owner.kind === 'Machine';
}

async function loseToken(stage: Stage, config: Loose): Promise<void> {
  if (!isTokenFree(stage, config)) return;
  const token = specToken(config);
  stage.judge.tokenTampered(token);
  stage.note(`deletes the token of ${config.metadata.name}`);
  await stage.callWorkload(clusterOf(stage, config), 'DELETE', tokenPath(token));
}

async function expireToken(stage: Stage, config: Loose): Promise<void> {
  if (!isTokenFree(stage, config)) return;
  const token = specToken(config);
  stage.judge.tokenTampered(token);
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
  await patch(stage, CONFIG_MAP, lock, { data: { 'lock-information': 'nonsense' } });
  await stage.time.sleep(130_000);
  for (;;) {
    const now = stage.truth.get('configmaps', `${name}-lock`);
    const isNonsense = now?.data?.['lock-information'] === 'nonsense';
    const hasInit = stage.truth.all('secrets').some((secret) => dataOf(secret).isInit);
    if (!isNonsense || now.metadata.uid !== lock.metadata.uid || isInitialized(stage.truth.get('clusters', name)))
      return;
    if (!hasInit) {
      stage.note(`removes the nonsense lock of ${name}`);
      await stage.call('DELETE', pathOf(CONFIG_MAP, `${name}-lock`));
      return;
    }
    await stage.time.sleep(30_000);
  }
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
async function recreateConfig(stage: Stage, config: Loose): Promise<void> {
  const { name } = config.metadata;
  const owner = ownerOf(stage.truth, name);
  if (owner === null || owner.kind !== 'Machine' || textAt(owner.object, 'spec', 'bootstrap', 'dataSecretName') !== '')
    return;
  if (at(config, 'status', 'initialization', 'dataSecretCreated') === true) return;
  stage.note(`deletes KubeadmConfig ${name} and creates it again`);
  await stage.call('DELETE', pathOf(CONFIG, name));
  await stage.time.sleep(100);
  await stage.call('POST', pathOf(CONFIG), fresh(config, userSpec(config)));
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

/** The holder of the lock fails for good before it has data, where another control plane can take over. */
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
  await patch(stage, CONFIG, config, { status: { deprecated } }, 'status');
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
