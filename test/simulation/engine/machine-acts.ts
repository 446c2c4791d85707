// What others do to Machines where the operator is their controller: users who delete them, owners of hooks and budgets, the
// kubelet, the attach/detach controller, the cloud's controllers.
//
//   A1. Everything that holds a deletion up is there before the deletion, and only ever goes away.
//   A2. People do their part some time after the deletion, whatever the Machine says meanwhile.
import type { Stage } from './acts.js';
import type { Ending, MachineActName } from './machine-plan.js';
import { at, controllerOf, isInitialized, textAt, type Fields, type Loose } from './mirror.js';
import { NAMESPACE, pathOf } from './objects.js';

const MACHINE = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' };
const CONFIG = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig' };
const INFRA = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'DemoMachine' };
export const PRE_DRAIN = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup';
export const PRE_TERMINATE = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/balancer';
const DRIVER = 'csi.example.com';
const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const VOLUMES = '/api/v1/persistentvolumes';
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';
const NODES = '/api/v1/nodes';
/** How often somebody looks again. */
const LOOK_MS = 500;
/** Longer than any budget, hook and drain timeout together. */
const PATIENCE_LOOKS = 2_400;
/** For so long a Node is waited for. */
const NODE_WAITS_MAX = 240;
/** For so long somebody waits for a deletion to end before it is given up. */
const GONE_WAITS_MAX = 6_000;

/** Carries out what others do to a Machine. */
export async function machineAct(stage: Stage, what: MachineActName, target: number): Promise<void> {
  const machines = stage.truth.all('machines');
  const machine = machines[target % Math.max(1, machines.length)];
  if (machine === undefined) return;
  if (what === 'labelMachine') {
    stage.note(`labels Machine ${machine.metadata.name}`);
    await patchMachine(stage, machine, { metadata: { labels: { touched: String(stage.truth.changes) } } });
    return;
  }
  const change = {
    loseMachineSnapshot: () => null,
    corruptMachineSnapshot: (text: string) => text.slice(0, text.length / 2),
    foreignMachineSnapshot: (text: string) => text.replace(/"uid":"[^"]*"/, '"uid":"of-another-life"'),
  }[what];
  await changeSnapshot(stage, machine, change);
}

async function changeSnapshot(stage: Stage, machine: Loose, change: (text: string) => string | null): Promise<void> {
  const conditions = (at(machine, 'status', 'conditions') ?? []) as readonly Fields[];
  const known = conditions.find(({ type }) => type === 'ActorState');
  if (known === undefined) return;
  const message = change(String(known['message']));
  const rest = conditions.filter((each) => each !== known);
  stage.note(`changes the snapshot of Machine ${machine.metadata.name}`);
  const next = message === null ? rest : [...rest, { ...known, message }];
  await stage.call('PATCH', pathOf(MACHINE, machine.metadata.name, 'status'), { status: { conditions: next } });
}

/** Deletes a Machine, and plays everybody who has a say in its end. */
export async function endMachine(stage: Stage, ending: Ending): Promise<void> {
  const machines = stage.truth.all('machines');
  const { name = '', uid } = machines[ending.target % Math.max(1, machines.length)]?.metadata ?? {};
  const look = (): Loose | undefined => {
    const now = stage.truth.get('machines', name);
    return now?.metadata.uid === uid && now?.metadata.deletionTimestamp === undefined ? now : undefined;
  };
  for (let waits = 0; ending.waitsForNode && waits < NODE_WAITS_MAX && !hasNode(look()); waits += 1)
    await stage.time.sleep(LOOK_MS);
  const machine = look();
  if (machine === undefined || !mayEnd(stage, machine)) return;
  const hasWorkload = hasNode(machine) && ending.pod !== null;
  const hasVolume = hasWorkload && ending.volumeMs !== null;
  const life = String(stage.truth.changes);
  const work = { stage, cluster: textAt(machine, 'spec', 'clusterName'), node: name, pod: `app-${life}`, ending };
  if (hasWorkload) await putWorkload(work, hasVolume);
  const annotations = {
    ...(ending.preDrainMs === null ? {} : { [PRE_DRAIN]: 'somebody' }),
    ...(ending.preTerminateMs === null ? {} : { [PRE_TERMINATE]: 'somebody' }),
  };
  const deletion = {
    nodeDrainTimeoutSeconds: ending.drainTimeoutSeconds,
    nodeVolumeDetachTimeoutSeconds: ending.volumeTimeoutSeconds,
  };
  await patchMachine(stage, machine, { metadata: { annotations }, spec: { deletion } });
  if (look() === undefined) return;
  const config = stage.truth.get('kubeadmconfigs', textAt(machine, 'spec', 'bootstrap', 'configRef', 'name'));
  stage.note(`deletes Machine ${name}`);
  await stage.call('DELETE', pathOf(MACHINE, name));
  const isGone = (): boolean => stage.truth.get('machines', name)?.metadata.uid !== uid;
  await Promise.all([
    removeHook(stage, machine, PRE_DRAIN, ending.preDrainMs),
    removeHook(stage, machine, PRE_TERMINATE, ending.preTerminateMs),
    ...(hasWorkload ? [endWorkload(work, hasVolume, isGone)] : []),
    loseNode(work, isGone),
    until(stage, isGone),
  ]);
  await cleanUp(work);
  if (ending.comesAgain && config !== undefined) await createAgain(stage, machine, config);
}

/** A control plane that may run `kubeadm init` at this moment would take the cluster with it. */
function mayEnd(stage: Stage, machine: Loose): boolean {
  const isControlPlane = machine.metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;
  return !isControlPlane || isInitialized(stage.truth.get('clusters', textAt(machine, 'spec', 'clusterName')));
}

function hasNode(machine: Loose | undefined): boolean {
  return textAt(machine, 'status', 'nodeRef', 'name') !== '';
}

async function until(stage: Stage, isTrue: () => boolean): Promise<void> {
  for (let waits = 0; !isTrue() && waits < GONE_WAITS_MAX; waits += 1) await stage.time.sleep(LOOK_MS);
}

function patchMachine(stage: Stage, { metadata }: Loose, body: object): Promise<number> {
  return stage.call('PATCH', pathOf(MACHINE, metadata.name), body);
}

async function removeHook(stage: Stage, { metadata }: Loose, hook: string, afterMs: number | null): Promise<void> {
  if (afterMs === null) return;
  await stage.time.sleep(afterMs);
  const now = stage.truth.get('machines', metadata.name);
  if (now?.metadata.uid !== metadata.uid) return;
  stage.note(`takes the hook ${hook} away`);
  await stage.call('PATCH', pathOf(MACHINE, metadata.name), { metadata: { annotations: { [hook]: null } } });
}

interface Work {
  readonly stage: Stage;
  readonly cluster: string;
  readonly node: string;
  readonly pod: string;
  readonly ending: Ending;
}

const put = ({ stage, cluster }: Work, path: string, body: object): Promise<number> =>
  stage.callWorkload(cluster, 'POST', path, body);
const change = ({ stage, cluster }: Work, path: string, body: object): Promise<number> =>
  stage.callWorkload(cluster, 'PATCH', path, body);
const drop = ({ stage, cluster }: Work, path: string): Promise<number> => stage.callWorkload(cluster, 'DELETE', path);

/** A Pod that runs on the Node, may not be disrupted, and uses a volume that is attached there. */
async function putWorkload(work: Work, hasVolume: boolean): Promise<void> {
  const { node, pod, ending } = work;
  if (hasVolume) await attachVolume(work);
  const claim = [{ name: 'data', persistentVolumeClaim: { claimName: pod } }];
  const spec = {
    nodeName: node,
    containers: [{ name: 'app', image: 'app' }],
    ...(hasVolume ? { volumes: claim } : {}),
  };
  const of = { name: pod, namespace: 'default', labels: { app: pod } };
  await put(work, PODS, { apiVersion: 'v1', kind: 'Pod', metadata: of, spec });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await change(work, `${PODS}/${pod}/status`, { status: { phase: 'Running', conditions } });
  if (ending.pod?.budgetMs === 0) return;
  const selector = { matchLabels: { app: pod } };
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: of,
    spec: { minAvailable: 1, selector },
  };
  await put(work, BUDGETS, budget);
  const counts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 };
  await change(work, `${BUDGETS}/${pod}/status`, { status: { ...counts, observedGeneration: 1 } });
}

async function attachVolume(work: Work): Promise<void> {
  const { node, pod } = work;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: pod };
  const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], claimRef };
  const csi = { driver: DRIVER, volumeHandle: pod };
  const metadata = { name: pod };
  await put(work, VOLUMES, { apiVersion: 'v1', kind: 'PersistentVolume', metadata, spec: { ...volume, csi } });
  const spec = { attacher: DRIVER, nodeName: node, source: { persistentVolumeName: pod } };
  await put(work, ATTACHMENTS, { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata, spec });
  await change(work, `${ATTACHMENTS}/${pod}/status`, { status: { attached: true } });
  const volumesAttached = [{ name: `kubernetes.io/csi/${DRIVER}^${pod}`, devicePath: '' }];
  await change(work, `${NODES}/${node}/status`, { status: { volumesAttached } });
}

/** The budget's owner, the kubelet, and the attach/detach controller. */
async function endWorkload(work: Work, hasVolume: boolean, isGone: () => boolean): Promise<void> {
  const { stage, pod, ending } = work;
  const { budgetMs = 0, endMs = 0 } = ending.pod ?? {};
  const lift = async (): Promise<void> => {
    await stage.time.sleep(budgetMs);
    if (budgetMs > 0) await drop(work, `${BUDGETS}/${pod}`);
  };
  const isEvicted = (): boolean =>
    stage.workload(work.cluster, 'pods', `default/${pod}`)?.metadata.deletionTimestamp !== undefined;
  const end = async (): Promise<void> => {
    // A drain that timed out evicts nothing more: the Pod's owner ends it in the end, or its volume would stay for ever.
    let looks = 0;
    await until(stage, () => isEvicted() || isGone() || (looks += 1) > PATIENCE_LOOKS);
    if (!isEvicted() && isGone()) return;
    await stage.time.sleep(endMs);
    await drop(work, `${PODS}/${pod}?gracePeriodSeconds=0`);
    await stage.time.sleep(ending.volumeMs ?? 0);
    if (hasVolume) await detachVolume(work);
  };
  await Promise.all([lift(), end()]);
}

async function detachVolume(work: Work): Promise<void> {
  await change(work, `${NODES}/${work.node}/status`, { status: { volumesAttached: null } });
  await drop(work, `${ATTACHMENTS}/${work.pod}`);
}

/** Somebody deletes the Node by hand: with it go its Pods and attachments. */
async function loseNode(work: Work, isGone: () => boolean): Promise<void> {
  const { stage, node, ending } = work;
  if (ending.nodeVanishesMs === null) return;
  await stage.time.sleep(ending.nodeVanishesMs);
  if (isGone()) return;
  stage.note(`deletes Node ${node}`);
  await drop(work, `${NODES}/${node}`);
}

/** What is left when a Machine is gone, others remove: Pods without a Node, attachments, and Nodes without an instance. */
async function cleanUp(work: Work): Promise<void> {
  const { stage, node, pod, ending } = work;
  await dropLeft(stage, work.cluster, node);
  if (ending.pod === null) return;
  await drop(work, `${PODS}/${pod}?gracePeriodSeconds=0`);
  await drop(work, `${BUDGETS}/${pod}`);
  await drop(work, `${ATTACHMENTS}/${pod}`);
}

/** A Node without an instance, and objects without an owner, unless somebody made a Machine of the name again by now. */
async function dropLeft(stage: Stage, cluster: string, name: string): Promise<void> {
  if (stage.truth.get('machines', name) !== undefined) return;
  await dropUnowned(stage, name);
  if (stage.workload(cluster, 'nodes', name) !== undefined)
    await stage.callWorkload(cluster, 'DELETE', `${NODES}/${name}`);
}

/** Objects of a Machine that was gone before anybody took them: their users remove them. */
async function dropUnowned(stage: Stage, name: string): Promise<void> {
  for (const [kind, resource] of [
    [INFRA, 'demomachines'],
    [CONFIG, 'kubeadmconfigs'],
  ] as const) {
    const object = stage.truth.get(resource, name);
    if (object !== undefined && controllerOf(object).uid === '') await stage.call('DELETE', pathOf(kind, name));
  }
}

/** A Machine of the same name with objects of the same names, as its users would write them again. */
export async function createAgain(stage: Stage, machine: Loose, config: Loose): Promise<void> {
  const { name } = machine.metadata;
  const isLeft = (): boolean =>
    (['machines', 'kubeadmconfigs', 'demomachines'] as const).some((kind) => stage.truth.get(kind, name) !== undefined);
  await until(stage, () => !isLeft());
  if (isLeft()) return;
  stage.note(`creates Machine ${name} again`);
  const { providerID: _, deletion: __, failureDomain: ___, ...spec } = machine.spec as Fields;
  const { dataSecretName: ____, ...bootstrap } = spec['bootstrap'] as Fields;
  await stage.call('POST', pathOf(MACHINE), fresh(machine, { ...spec, bootstrap }));
  await stage.call('POST', pathOf(INFRA), fresh({ ...machine, ...INFRA }, {}));
  const { discovery: _____, ...join } = (at(config, 'spec', 'joinConfiguration') ?? {}) as Fields;
  const isJoin = at(config, 'spec', 'joinConfiguration') !== undefined;
  await stage.call(
    'POST',
    pathOf(CONFIG),
    fresh(config, { ...config.spec, ...(isJoin ? { joinConfiguration: join } : {}) }),
  );
}

function fresh({ apiVersion, kind, metadata }: Loose, spec: object): object {
  const kept = ['cluster.x-k8s.io/cluster-name', 'cluster.x-k8s.io/control-plane'];
  const labels = Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => kept.includes(key)));
  return { apiVersion, kind, metadata: { name: metadata.name, namespace: NAMESPACE, labels }, spec };
}

/** Deletes a Machine, with nothing that holds it up, and creates it again under its name. */
export async function recreateManaged(stage: Stage, machine: Loose, config: Loose): Promise<void> {
  const { name, uid } = machine.metadata;
  stage.note(`deletes Machine ${name}`);
  await stage.call('DELETE', pathOf(MACHINE, name));
  await until(stage, () => stage.truth.get('machines', name)?.metadata.uid !== uid);
  await dropLeft(stage, textAt(machine, 'spec', 'clusterName'), name);
  await createAgain(stage, machine, config);
}
