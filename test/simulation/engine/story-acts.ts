// What others do in stories (stories.ts): each waits for the moment that it is about.
import type { Stage } from './acts.js';
import { at, isInitialized, ownerOf, specToken, textAt, type Fields, type Loose } from './mirror.js';
import type { Seen } from './network.js';
import { base64, certificateSecret, materialOfProcess, NAMESPACE, pathOf, USER_TOKEN } from './objects.js';

const CONFIG = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig' };
const MACHINE = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' };
const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const TOKENS = '/api/v1/namespaces/kube-system/secrets';
/** How long somebody waits for a moment, and how closely. */
const PATIENCE_MS = 300_000;
/** A pause and the longest boot of such a world together. */
const JOIN_PATIENCE_MS = 600_000;
const LOOK_MS = 250;
const CLOSE_LOOK_MS = 20;

/** The first answer that is one, looked for again and again. */
async function soon<T>(
  stage: Stage,
  look: () => T | undefined,
  everyMs = LOOK_MS,
  patienceMs = PATIENCE_MS,
): Promise<T | undefined> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += everyMs) {
    const found = look();
    if (found !== undefined) return found;
    await stage.time.sleep(everyMs);
  }
  return undefined;
}

/** Pauses the first control plane for so many seconds, before it can take the lock. */
export async function pauseFirst(stage: Stage, seconds: number): Promise<void> {
  const config = await soon(stage, () => stage.truth.get('kubeadmconfigs', 'c1-control-plane-0'), CLOSE_LOOK_MS);
  if (config === undefined) return;
  const pause = async (value: string | null): Promise<void> => {
    stage.note(`${value === null ? 'resumes' : 'pauses'} KubeadmConfig ${config.metadata.name}`);
    const annotations = { 'cluster.x-k8s.io/paused': value };
    await stage.call('PATCH', pathOf(CONFIG, config.metadata.name), { metadata: { annotations } });
  };
  await pause('');
  await stage.time.sleep(seconds * 1000);
  await pause(null);
}

/** Deletes a worker Machine for good. */
export async function removeWorker({ truth, call, note }: Stage, target: number): Promise<void> {
  const workers = truth.all('machines').filter(({ metadata }) => metadata.name.includes('-worker-'));
  const worker = workers[target % Math.max(1, workers.length)];
  if (worker === undefined) return;
  note(`deletes Machine ${worker.metadata.name} for good`);
  await call('DELETE', pathOf(MACHINE, worker.metadata.name));
}

/** Deletes the lock of an initialised cluster as soon as it is initialised. */
export async function dropLockLate(stage: Stage): Promise<void> {
  const { truth } = stage;
  const lock = await soon(
    stage,
    () =>
      truth
        .all('clusters')
        .filter(isInitialized)
        .flatMap(({ metadata }) => truth.get('configmaps', `${metadata.name}-lock`) ?? [])[0],
    CLOSE_LOOK_MS,
  );
  if (lock === undefined) return;
  stage.note(`deletes ${lock.metadata.name}`);
  await stage.call('DELETE', pathOf({ apiVersion: 'v1', kind: 'ConfigMap' }, lock.metadata.name));
}

/** The KubeadmConfig that has a lock and no data yet is deleted, and comes again so many seconds later. */
export async function recreateLockHolder(stage: Stage, seconds: number): Promise<void> {
  const { truth, call, time } = stage;
  const holder = await soon(
    stage,
    () => truth.all('configmaps').flatMap((lock) => holderWithoutData(stage, lock) ?? [])[0],
    CLOSE_LOOK_MS,
  );
  if (holder === undefined) return;
  const { name, labels } = holder.metadata;
  stage.note(`deletes KubeadmConfig ${name}, which holds a lock`);
  await call('DELETE', pathOf(CONFIG, name));
  await time.sleep(seconds * 1000);
  stage.note(`creates KubeadmConfig ${name} again`);
  await call('POST', pathOf(CONFIG), {
    ...CONFIG,
    metadata: { name, namespace: NAMESPACE, labels },
    spec: holder.spec,
  });
}

function holderWithoutData({ truth }: Stage, lock: Loose): Loose | undefined {
  const { name } = lock.metadata;
  if (!name.endsWith('-lock') || isInitialized(truth.get('clusters', name.replace(/-lock$/, '')))) return undefined;
  const machine = /"machineName":"([^"]+)"/.exec(lock.data?.['lock-information'] ?? '')?.[1] ?? '';
  const config = textAt(truth.get('machines', machine), 'spec', 'bootstrap', 'configRef', 'name');
  return truth.get('secrets', config) === undefined ? truth.get('kubeadmconfigs', config) : undefined;
}

/** A started Machine without a node, whose token is the operator's. */
function waitingWorker({ truth }: Stage, target: number): Loose | undefined {
  const waiting = truth.all('kubeadmconfigs').filter((config) => {
    const owner = ownerOf(truth, config.metadata.name);
    const isStarted = textAt(owner?.object, 'spec', 'bootstrap', 'dataSecretName') !== '';
    const hasNode = textAt(owner?.object, 'status', 'nodeRef', 'name') !== '';
    return owner?.kind === 'Machine' && isStarted && !hasNode && !['', USER_TOKEN].includes(specToken(config));
  });
  return waiting[target % Math.max(1, waiting.length)];
}

/** The workload cluster is reached elsewhere from now on; meanwhile somebody looks at a node that waits for it. */
export async function rotateKubeconfig(stage: Stage, target: number): Promise<void> {
  const config = await soon(stage, () => waitingWorker(stage, target));
  if (config === undefined) return;
  const { name } = config.metadata;
  const cluster = textAt(ownerOf(stage.truth, name)?.object, 'spec', 'clusterName');
  const touch = async (): Promise<void> => {
    await stage.call('PATCH', pathOf(CONFIG, name), { metadata: { labels: { touched: String(stage.truth.changes) } } });
    await stage.time.sleep(10_000);
  };
  await touch();
  stage.note(`moves the API server of ${cluster}`);
  await stage.moveWorkload(cluster);
  for (let times = 0; times < 9; times += 1) await touch();
}

/** Somebody deletes the kubeconfig of the first cluster, and makes it anew so many seconds later; nodes join meanwhile. */
export async function renewKubeconfig(stage: Stage, seconds: number): Promise<void> {
  const { truth, call, note, time } = stage;
  const secret = await soon(stage, () => truth.get('secrets', 'c1-kubeconfig'), CLOSE_LOOK_MS);
  if (secret === undefined) return;
  note('deletes the kubeconfig of c1');
  await call('DELETE', pathOf(SECRET, secret.metadata.name));
  for (let waited = 0; waited < seconds; waited += 1) {
    await time.sleep(1_000);
    const waiting = waitingWorker(stage, waited);
    const touched = { metadata: { labels: { touched: String(truth.changes) } } };
    if (waiting !== undefined && waited % 5 === 0) await call('PATCH', pathOf(CONFIG, waiting.metadata.name), touched);
  }
  note('makes the kubeconfig of c1 anew');
  const { name, labels, ownerReferences } = secret.metadata;
  const metadata = { name, namespace: NAMESPACE, labels, ownerReferences };
  await call('POST', pathOf(SECRET), { ...SECRET, type: textAt(secret, 'type'), metadata, data: secret.data });
}

/** A user puts a token of his own, which is there, into the spec of a Machine that has started with another. */
export async function swapToken(stage: Stage, target: number): Promise<void> {
  const config = await soon(stage, () => waitingWorker(stage, target));
  if (config === undefined) return;
  const { name } = config.metadata;
  const owner = ownerOf(stage.truth, name);
  const cluster = textAt(owner?.object, 'spec', 'clusterName');
  stage.judge.tampered(specToken(config));
  stage.note(`puts another token into KubeadmConfig ${name}`);
  await stage.callWorkload(cluster, 'POST', TOKENS, tokenSecret(USER_TOKEN));
  const join = at(config, 'spec', 'joinConfiguration') as Fields;
  const discovery = join['discovery'] as Fields;
  const bootstrapToken = { ...(discovery['bootstrapToken'] as Fields), token: USER_TOKEN };
  await stage.call('PATCH', pathOf(CONFIG, name), {
    spec: { joinConfiguration: { discovery: { bootstrapToken } } },
  });
  // It joins with the token that it was started with, unless something holds it up until that has ended.
  const machine = owner?.object.metadata.name ?? '';
  const node = (): string => textAt(stage.truth.get('machines', machine), 'status', 'nodeRef', 'name');
  const hasJoined = (): true | undefined => (node() === '' ? undefined : true);
  if ((await soon(stage, hasJoined, LOOK_MS, JOIN_PATIENCE_MS)) === undefined) stage.exempt(machine);
}

/** Somebody else stores the certificate that is being stored, or another token of the id of the one that is being created. */
export async function takeSecret(stage: Stage, seen: Seen): Promise<void> {
  if (seen.server !== 'management') return takeToken(stage, seen);
  const { pairs } = await materialOfProcess();
  const [, name = '', cluster = '', purpose = ''] = /"name":"((c\d+)-(\w+))"/.exec(seen.body ?? '') ?? [];
  const pair = pairs.find((each) => each.purpose === purpose);
  if (pair === undefined || stage.truth.get('secrets', name) !== undefined) return;
  stage.note(`stores the certificate ${name}`);
  await stage.call('POST', pathOf({ apiVersion: 'v1', kind: 'Secret' }), certificateSecret(cluster, pair));
}

async function takeToken(stage: Stage, { server, body = '{}' }: Seen): Promise<void> {
  const { metadata = {} } = JSON.parse(body) as { readonly metadata?: { readonly name?: string } };
  const id = metadata.name?.replace('bootstrap-token-', '') ?? '';
  const config = stage.truth.all('kubeadmconfigs').find((each) => specToken(each).startsWith(`${id}.`));
  const cluster = /^http:\/\/(c\d+)\b/.exec(server)?.[1] ?? '';
  if (config === undefined) return;
  stage.judge.tampered(`taken ${specToken(config)}`);
  stage.note(`takes the token id of ${config.metadata.name}`);
  await stage.callWorkload(cluster, 'POST', TOKENS, tokenSecret(`${id}.fedcba9876543210`));
}

/** A bootstrap token without an end, as its Secret in the workload cluster. */
export function tokenSecret(token: string): object {
  const [id = '', secret = ''] = token.split('.');
  const data = {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-signing': 'true',
    'usage-bootstrap-authentication': 'true',
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  };
}
