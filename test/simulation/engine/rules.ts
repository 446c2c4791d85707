// What an operator may write into the management cluster: asked at each write, by what is true at that moment.
import type { StoreEvent } from '../../../src/embedded/types.js';
import type { InvariantName } from './invariants.js';
import {
  at,
  controllerOf,
  dataOf,
  dataSecretNameOf,
  isConfigLost,
  isInitialized,
  ownerOf,
  specToken,
  textAt,
  type Loose,
  type Truth,
} from './mirror.js';
import type { Seen } from './network.js';
import { clusterNames, decoded, USER_TOKEN } from './objects.js';
import type { Plan } from './plan.js';
import {
  certificateProblem,
  dataProblem,
  isClusterSecret,
  isLabelled,
  ACTOR_STATE,
  isPausedNow,
  movedWithoutNews,
} from './shapes.js';

/** What rules know of the world beside its objects. */
export interface RulesPorts {
  readonly plan: Plan;
  readonly truth: Truth;
  accuse(invariant: InvariantName, message: string): void;
  workloadToken(cluster: string, id: string): Loose | undefined;
  /** Somebody else took or ended this token, or wrote this lock, on purpose. */
  isTampered(what: string): boolean;
  now(): number;
}

/** Rules for the writes of operators. */
export interface Rules {
  /** Something changed, whoever did it. */
  note(event: StoreEvent, resource: string): void;
  /** An operator's request arrives, and may change nothing: what is the same again shows in no store. */
  ask(by: Seen): void;
  /** An operator wrote. */
  judge(by: Seen, event: StoreEvent, resource: string): void;
}

const CERTIFICATES = ['ca', 'etcd', 'proxy', 'sa'];
/** By then every cache has seen a pause, and what was sent before it has arrived: a silent watch is noticed after 150 s. */
const PAUSE_SEEN_MS = 280_000;
/** The same where nothing is late: turns that have begun end. */
const PAUSE_SEEN_CALM_MS = 20_000;
/** Faults that make requests, answers and events late. */
const LATE_FAULTS: readonly string[] = ['requests', 'watches', 'isolation', 'freeze'];
/** A request and an event of a watch take some sixty milliseconds each. */
const ON_ITS_WAY_MS = 130;
const CONFIG_OF_MACHINE = ['spec', 'bootstrap', 'configRef', 'name'] as const;
const PAUSED = 'cluster.x-k8s.io/paused';
const CLAIM = 'kubeadm-bootstrap-operator/claimed-by';

/** Whether requests, answers and events may be late. */
export function hasLateFaults({ faults }: Plan): boolean {
  return faults.some(({ kind }) => LATE_FAULTS.includes(kind));
}

/** By then every process has seen what somebody wrote, and what it had sent before has arrived. */
export function seenWithinMs(plan: Plan): number {
  return hasLateFaults(plan) ? PAUSE_SEEN_MS : PAUSE_SEEN_CALM_MS;
}

/** Rules that have seen nothing yet. */
export function createRules({ plan, truth, accuse, workloadToken, isTampered, now }: RulesPorts): Rules {
  const clusters = clusterNames(plan.world);
  const isLate = hasLateFaults(plan);
  const pauseSeenMs = seenWithinMs(plan);
  /** The token that the data of a started Machine had, by the Machine's uid. */
  const started = new Map<string, string>();
  /** The Machine that was started with init data, by cluster. */
  const initialisers = new Map<string, string>();
  /** Uids that ever were those of a kind and name. */
  const lives = new Map<string, Set<string>>();
  /** Lives whose data has been made. */
  const made = new Set<string>();
  /** Since when a KubeadmConfig is lost, by its uid. */
  const lostSinceMs = new Map<string, number>();
  /** Since when a KubeadmConfig is on its way out, by its uid. */
  const endingSinceMs = new Map<string, number>();
  /** Since when a Cluster or a KubeadmConfig is paused. */
  const pausedSinceMs = new Map<string, number>();
  /** Since when a KubeadmConfig is there, by its uid. */
  const bornMs = new Map<string, number>();
  /** The life of a KubeadmConfig that a lock goes with, by the lock's uid: the one that was there when it was made, or claimed it. */
  const lockLives = new Map<string, string>();

  const notePause = (what: string, isPaused: boolean): void => {
    if (!isPaused) pausedSinceMs.delete(what);
    else if (!pausedSinceMs.has(what)) pausedSinceMs.set(what, now());
  };
  const livesOf = (kind: string, name: string): Set<string> => {
    const id = `${kind}/${name}`;
    const known = lives.get(id) ?? new Set<string>();
    lives.set(id, known);
    return known;
  };

  const judgeData = (by: Seen, event: StoreEvent): void => {
    const secret = event.object as Loose;
    const { name } = secret.metadata;
    const config = truth.get('kubeadmconfigs', name);
    const owner = ownerOf(truth, name);
    const before = event.previous as Loose | undefined;
    const data = dataOf(secret);
    const cluster = textAt(secret, 'metadata', 'labels', 'cluster.x-k8s.io/cluster-name');
    const controller = controllerOf(secret);
    if (before !== undefined && controllerOf(before).kind !== '' && controllerOf(before).kind !== 'KubeadmConfig')
      accuse('own-writes', `${by.operator} changed Secret ${name}, which a ${controllerOf(before).kind} controls`);
    if (before !== undefined && controllerOf(before).kind === '' && !isClusterSecret(before))
      accuse('own-writes', `${by.operator} changed Secret ${name}, which is of the type ${textAt(before, 'type')}`);
    if (controller.kind !== 'KubeadmConfig' || !livesOf('kubeadmconfigs', name).has(controller.uid))
      accuse('data-owner', `the data of ${name} is controlled by ${controller.kind} ${controller.uid}`);
    const isLive = config !== undefined && controller.uid === config.metadata.uid && owner !== null;
    const isChanged = before === undefined || dataOf(before).value !== data.value;
    if (!isLive || !isChanged) return;
    if (!isLabelled(secret, textAt(owner.object, 'spec', 'clusterName')) || !isClusterSecret(secret))
      accuse('data-owner', `the data of ${name} is not labelled as its cluster's`);
    if (dataProblem(secret) !== '') accuse('well-formed', `the data of ${name} is ${dataProblem(secret)}`);
    if (at(truth.get('clusters', cluster), 'status', 'initialization', 'infrastructureProvisioned') !== true)
      accuse('infra-first', `${name} got data before the infrastructure of ${cluster} was there`);
    if (data.isInit) judgeCertificates(name, cluster, decoded(data.value));
    if (data.isInit) judgeInit(name, cluster);
    else if (!isInitialized(truth.get('clusters', cluster)))
      accuse('join-after-init', `${name} got join data before ${cluster} was initialised`);
    if (data.token !== '') judgeToken({ name, cluster, token: data.token, config });
    if (owner.kind !== 'Machine') return;
    const uid = owner.object.metadata.uid ?? '';
    const told = started.get(uid);
    if (told !== undefined && told !== data.token)
      accuse('started-token', `the data of ${name} has another token than its Machine was started with`);
    const life = `${uid} ${config.metadata.uid ?? ''}`;
    if (made.has(life)) accuse('data-once', `the data of ${name} was made twice in one life`);
    made.add(life);
  };

  /** A line of each certificate that is stored: who renders another makes a node that nobody else can join. */
  const judgeCertificates = (name: string, cluster: string, text: string): void => {
    for (const purpose of CERTIFICATES) {
      const lines = decoded(truth.get('secrets', `${cluster}-${purpose}`)?.data?.['tls.crt'])
        .trim()
        .split('\n');
      if (!text.includes(lines.at(-2) ?? ''))
        accuse('stored-certificates', `${name} got another ${purpose} than is stored`);
    }
  };

  /** Whatever became of whom: a second node that runs init is a second cluster, unless nothing is left of the first. */
  const noteInitialiser = (name: string, uid: string, cluster: string): void => {
    if ((initialisers.get(cluster) ?? uid) !== uid)
      accuse('one-init', `${name} is the second to initialise ${cluster}`);
    initialisers.set(cluster, uid);
  };

  /** A Machine is gone: where its infrastructure went before it, so did its node. */
  const forgetInitialiser = (name: string, uid: string, cluster: string): void => {
    const isNodeGone = plan.world.machines && truth.get('demomachines', name) === undefined;
    if (isNodeGone && initialisers.get(cluster) === uid) initialisers.delete(cluster);
  };

  const judgeInit = (name: string, cluster: string): void => {
    if (isInitialized(truth.get('clusters', cluster)))
      accuse('one-init', `${name} got init data after ${cluster} was initialised`);
    for (const machine of truth.all('machines')) {
      const other = textAt(machine, ...CONFIG_OF_MACHINE);
      if (
        other === name ||
        textAt(machine, 'spec', 'clusterName') !== cluster ||
        isConfigLost(truth.get('kubeadmconfigs', other))
      )
        continue;
      if (hasInitData(other)) accuse('one-init', `${name} and ${other} both have init data`);
    }
    if (isTampered(`${cluster}-lock`) || isSentBeforeLoss(name)) return;
    const lock = truth.get('configmaps', `${cluster}-lock`);
    const holder = holderOf(lock);
    const machine = ownerOf(truth, name)?.object.metadata.name ?? '';
    if (holder === null || holder.machineName !== machine)
      accuse(
        'init-under-lock',
        `${name} got init data, the lock of ${cluster} is ${holder?.machineName ?? 'nobody'}'s`,
      );
    else if (lockLives.get(lock?.metadata.uid ?? '') !== truth.get('kubeadmconfigs', name)?.metadata.uid)
      accuse(
        'init-under-lock',
        `${name} got init data under a lock of an earlier life, which others may have seen end`,
      );
  };

  /**
   * What was on its way when somebody gave a KubeadmConfig up arrives after it; networks that fail make that way long. No node
   * is told of such data: that is asked where its status is written and where a Machine starts.
   */
  const isSentBeforeLoss = (name: string): boolean => {
    const sinceMs = lostSinceMs.get(truth.get('kubeadmconfigs', name)?.metadata.uid ?? '');
    return sinceMs !== undefined && (isLate || now() - sinceMs < ON_ITS_WAY_MS);
  };

  const judgeToken = (given: { name: string; cluster: string; token: string; config: Loose }): void => {
    const { name, cluster, token, config } = given;
    if (specToken(config) !== token) accuse('token-before-data', `the data of ${name} has another token than its spec`);
    if (token === USER_TOKEN || isTampered(token)) return;
    const [id = ''] = token.split('.');
    const known = workloadToken(cluster, id);
    if (known === undefined) accuse('token-before-data', `the token of ${name} is not in the workload cluster`);
    else if (decoded(known.data?.['token-secret']) !== token.split('.')[1])
      accuse('token-before-data', `the token of ${name} is another one's`);
  };

  const judgeConfig = (by: Seen, event: StoreEvent): void => {
    const before = event.previous as Loose | undefined;
    const after = event.object as Loose;
    const { name } = after.metadata;
    if (event.type !== 'MODIFIED' || before === undefined)
      return accuse('own-writes', `${by.operator} ${event.type} KubeadmConfig ${name}`);
    if (by.actor !== '' && !by.actor.endsWith(`/${name}`))
      accuse('own-writes', `${by.actor} wrote KubeadmConfig ${name}`);
    const path = ['status', 'initialization', 'dataSecretCreated'];
    if (at(before, ...path) === true && at(after, ...path) !== true)
      accuse('created-stays', `${name}: dataSecretCreated went back`);
    if (at(before, ...path) !== true && at(after, ...path) === true) {
      judgeCreated(name, after);
      if (isConfigLost(before)) accuse('created-true', `${name} says that data is there, and has failed for good`);
    }
    // Others may have spoilt the actor's own condition, which a late cache did not show: it is mended with the first write.
    if (isPausedNow(after) && !isPausedNow(before) && !isStatusSame(before.status, after.status, ACTOR_STATE))
      accuse('paused', `${name}: more was said than that it is paused`);
    const moved = movedWithoutNews(before, after);
    if (moved !== undefined) accuse('condition-news', `${name}: ${moved} has another time and the same status`);
    const isPool = ownerOf(truth, name)?.kind === 'MachinePool';
    const isTaken = isTampered(`taken ${specToken(before)}`);
    if (specToken(before) !== '' && specToken(before) !== specToken(after) && !isPool && !isTaken)
      accuse('token-once', `${name}: another token was minted`);
    const isSpecChanged = !isSame(before.spec, after.spec);
    if (isSpecChanged && before.metadata.annotations?.[PAUSED] !== undefined)
      accuse('paused', `${name}: the spec changed while it is paused`);
    if (isSpecChanged && !isSame(at(before, 'spec', 'files'), at(after, 'spec', 'files')))
      accuse('others-changes', `${name}: spec.files changed`);
    for (const field of ['labels', 'ownerReferences', 'finalizers'])
      if (!isSame(at(before, 'metadata', field), at(after, 'metadata', field)))
        accuse('own-writes', `${name}: metadata.${field} changed`);
  };

  /** Who is told that data is there must find some: its own, or what the owner was started with. */
  const judgeCreated = (name: string, config: Loose): void => {
    const owner = ownerOf(truth, name);
    const secret = truth.get('secrets', textAt(config, 'status', 'dataSecretName'));
    if (owner === null || dataSecretNameOf(owner.object, name) !== '') return;
    if (secret === undefined) accuse('created-true', `${name} says that data is there, and there is none`);
    else if (controllerOf(secret).uid !== config.metadata.uid)
      accuse('created-true', `${name} says that data is there, which is not its own`);
    else if (dataOf(secret).token !== '' && dataOf(secret).token !== specToken(config))
      accuse('created-true', `${name} says that data is there, which has another token than its spec`);
  };

  /** Init data of an earlier life that its Machine was not told of starts no node: it goes with that life. */
  const hasInitData = (name: string): boolean => {
    const secret = truth.get('secrets', name);
    const isTold = dataSecretNameOf(ownerOf(truth, name)?.object, name) !== '';
    const isOwn = controllerOf(secret).uid === truth.get('kubeadmconfigs', name)?.metadata.uid;
    return dataOf(secret).isInit && (isTold || isOwn);
  };

  const judgeLock = (by: Seen, event: StoreEvent): void => {
    const lock = event.object as Loose;
    const cluster = lock.metadata.name.replace(/-lock$/, '');
    const information = holderOf(lock);
    if (event.type === 'ADDED') return judgeNewLock(by, lock, cluster);
    if (event.type === 'MODIFIED') return judgeClaim(by, event, cluster);
    if (isInitialized(truth.get('clusters', cluster))) return;
    if (information === null)
      return accuse('lock-owner', `the lock of ${cluster} cannot be read and was deleted by ${by.actor}`);
    const machine = truth.get('machines', information.machineName ?? '');
    const config = textAt(machine, ...CONFIG_OF_MACHINE);
    const isThatMachine = machine !== undefined && machine.metadata.uid === information.machineUID;
    if (!isThatMachine) return;
    if (hasInitData(config) && !isConfigLost(truth.get('kubeadmconfigs', config)))
      return accuse('lock-owner', `the lock of ${cluster} was deleted although ${config} has init data`);
    if (isConfigLost(truth.get('kubeadmconfigs', config)) || isSeenGone(lock, config)) return;
    if (!by.actor.endsWith(`/${config}`))
      accuse('lock-owner', `the lock of ${cluster}, held by ${config}, was deleted by ${by.actor}`);
  };

  /** Who looked before this life was there, and acts on that: nothing has been done under the lock since. */
  const isSeenGone = (lock: Loose, config: string): boolean => {
    const uid = truth.get('kubeadmconfigs', config)?.metadata.uid ?? '';
    return lockLives.get(lock.metadata.uid ?? '') !== uid && now() - (bornMs.get(uid) ?? 0) < pauseSeenMs;
  };

  /** A life of the holder's KubeadmConfig puts its uid there, and nothing else. */
  const judgeClaim = (by: Seen, { object, previous }: StoreEvent, cluster: string): void => {
    const lock = object as Loose;
    const [, config = ''] = by.actor.split('/');
    const machine = truth.get('machines', holderOf(lock)?.machineName ?? '');
    const isOther = machine !== undefined && textAt(machine, ...CONFIG_OF_MACHINE) !== config;
    const isMore = !isSame(withoutClaim(lock), withoutClaim(previous as Loose | undefined));
    if (isOther || isMore || !livesOf('kubeadmconfigs', config).has(claimantOf(lock)))
      accuse('lock-owner', `${by.actor} changed the lock of ${cluster}`);
  };

  /** Whose a lock is, from the moment that it is made or claimed. */
  const noteLock = (lock: Loose, type: StoreEvent['type']): void => {
    const config = textAt(truth.get('machines', holderOf(lock)?.machineName ?? ''), ...CONFIG_OF_MACHINE);
    const living = truth.get('kubeadmconfigs', config)?.metadata.uid;
    if (living !== undefined && (type === 'ADDED' || claimantOf(lock) === living))
      lockLives.set(lock.metadata.uid ?? '', living);
  };

  const judgeNewLock = (by: Seen, lock: Loose, cluster: string): void => {
    const { machineName = '', machineUID = '' } = holderOf(lock) ?? {};
    const machine = truth.get('machines', machineName);
    const isOwn = by.actor.endsWith(`/${textAt(machine, ...CONFIG_OF_MACHINE)}`);
    if (!livesOf('machines', machineName).has(machineUID) || (machine !== undefined && !isOwn))
      accuse('lock-owner', `${by.actor} took the lock of ${cluster} for ${machineName}`);
    if (machine !== undefined && machine.metadata.labels?.['cluster.x-k8s.io/control-plane'] === undefined)
      accuse('lock-owner', `${by.actor} took the lock of ${cluster} for ${machineName}, which is no control plane`);
    const owners = lock.metadata.ownerReferences ?? [];
    if (!owners.some(({ kind, uid }) => kind === 'Cluster' && livesOf('clusters', cluster).has(uid)))
      accuse('lock-owner', `the lock of ${cluster} does not go with its Cluster`);
    if (!isLabelled(lock, cluster)) accuse('well-formed', `the lock of ${cluster} is not labelled as its cluster's`);
  };

  /** Turns that began before a pause may end, and caches may be late: but not for ever. */
  const judgePause = (by: Seen, event: StoreEvent, resource: string): void => {
    const name = by.actor.split('/')[1] ?? '';
    const cluster = textAt(ownerOf(truth, name)?.object, 'spec', 'clusterName');
    const times = [pausedSinceMs.get(`Cluster ${cluster}`), pausedSinceMs.get(`KubeadmConfig ${name}`)];
    const sinceMs = Math.min(...times.map((ms) => ms ?? Infinity));
    if (now() - sinceMs < pauseSeenMs || sinceMs === Infinity || !isOfLife(event, resource, isStatusSame)) return;
    accuse('paused', `${by.actor} wrote ${resource}/${event.object.metadata.name}, which is paused`);
  };

  /** As long as a finalizer keeps it, which every cache has seen by then. */
  const judgeEnding = (by: Seen, event: StoreEvent, resource: string): void => {
    const config = truth.get('kubeadmconfigs', by.actor.split('/')[1] ?? '');
    const sinceMs = endingSinceMs.get(config?.metadata.uid ?? '');
    if (sinceMs === undefined || now() - sinceMs < pauseSeenMs || !isOfLife(event, resource, isSame)) return;
    if (resource !== 'configmaps')
      accuse('ending', `${by.actor}, which is being deleted, wrote ${resource}/${event.object.metadata.name}`);
  };

  const judgeSecret = (by: Seen, event: StoreEvent): void => {
    const { name } = event.object.metadata;
    const isCertificate = clusters.some((cluster) => CERTIFICATES.some((purpose) => name === `${cluster}-${purpose}`));
    if (isCertificate && event.type === 'ADDED') {
      if (plan.world.certificates === 'given') accuse('own-writes', `${by.operator} made certificates ${name} anew`);
      const cluster = name.slice(0, name.lastIndexOf('-'));
      const problem = certificateProblem(event.object as Loose, cluster, livesOf('clusters', cluster));
      if (problem !== '') accuse('well-formed', `the certificates ${name} are ${problem}`);
      return;
    }
    if (isCertificate) {
      const isData = !isSame(at(event.previous, 'data'), at(event.object, 'data'));
      if (isData || event.type === 'DELETED') accuse('own-writes', `${by.operator} changed the certificates ${name}`);
      return;
    }
    const controller = controllerOf(event.object);
    if (event.type === 'DELETED' && !['', 'KubeadmConfig'].includes(controller.kind))
      return accuse('own-writes', `${by.operator} deleted Secret ${name}, which a ${controller.kind} controls`);
    const isKnown = truth.get('kubeadmconfigs', name) !== undefined || controller.kind === 'KubeadmConfig';
    if (!isKnown) accuse('own-writes', `${by.operator} wrote Secret ${name}`);
    else if (event.type !== 'DELETED') judgeData(by, event);
    else if (controller.uid === truth.get('kubeadmconfigs', name)?.metadata.uid)
      accuse('own-writes', `${by.operator} deleted the data ${name}`);
  };

  return {
    ask({ actor, server, method, resource, name, body = '' }) {
      const isLock = clusters.some((cluster) => name === `${cluster}-lock`);
      const isGuardable = method === 'DELETE' || (method === 'PATCH' && (resource === 'secrets' || isLock));
      const isGuarded = ['uid', 'resourceVersion'].every((field) => body.includes(`"${field}":"`));
      if (server === 'management' && actor !== '' && isGuardable && !isGuarded)
        accuse('guarded', `${actor} sends ${method} ${resource}/${name} whatever became of it`);
      if (server !== 'management' || method !== 'PATCH' || resource !== 'secrets' || !body.includes('"value":')) return;
      const config = truth.get('kubeadmconfigs', name);
      const secret = truth.get('secrets', name);
      const isOwn = config !== undefined && controllerOf(secret).uid === config.metadata.uid;
      if (isOwn && ownerOf(truth, name)?.kind === 'Machine' && dataOf(secret).value !== '')
        accuse('data-once', `the data of ${name} was written again`);
    },
    note({ type, object }, resource) {
      const { name, uid = '' } = object.metadata;
      if (resource === 'kubeadmconfigs' && isConfigLost(object as Loose) && !lostSinceMs.has(uid))
        lostSinceMs.set(uid, now());
      if (resource === 'kubeadmconfigs' && object.metadata.deletionTimestamp !== undefined && !endingSinceMs.has(uid))
        endingSinceMs.set(uid, now());
      if (resource === 'clusters') notePause(`Cluster ${name}`, at(object, 'spec', 'paused') === true);
      if (resource === 'kubeadmconfigs')
        notePause(`KubeadmConfig ${name}`, type !== 'DELETED' && object.metadata.annotations?.[PAUSED] !== undefined);
      if (['machines', 'kubeadmconfigs', 'clusters'].includes(resource)) livesOf(resource, name).add(uid);
      if (resource === 'kubeadmconfigs' && type === 'ADDED') bornMs.set(uid, now());
      if (resource === 'configmaps' && type !== 'DELETED') noteLock(object as Loose, type);
      if (resource !== 'machines') return;
      if (type === 'DELETED') return forgetInitialiser(name, uid, textAt(object, 'spec', 'clusterName'));
      const secretName = textAt(object, 'spec', 'bootstrap', 'dataSecretName');
      if (secretName === '' || started.has(uid)) return;
      const data = dataOf(truth.get('secrets', secretName));
      started.set(uid, data.token);
      if (data.isInit) noteInitialiser(name, uid, textAt(object, 'spec', 'clusterName'));
    },
    judge(by, event, resource) {
      const { name } = event.object.metadata;
      judgePause(by, event, resource);
      judgeEnding(by, event, resource);
      switch (resource) {
        case 'secrets':
          return judgeSecret(by, event);
        case 'kubeadmconfigs':
          return judgeConfig(by, event);
        case 'configmaps':
          if (clusters.some((cluster) => name === `${cluster}-lock`)) return judgeLock(by, event);
          if (!name.endsWith('-actor') || plan.world.snapshotStore !== 'configmap')
            accuse('own-writes', `${by.operator} wrote ConfigMap ${name}`);
          return;
        case 'events':
        case 'leases':
          return;
        default:
          accuse('own-writes', `${by.operator} wrote ${resource}/${name}`);
      }
    },
  };
}

/** Whether a write is about what an object is given in its life: its data, its lock, its spec or what its status says. */
function isOfLife(
  { object, previous }: StoreEvent,
  resource: string,
  isStatusKept: (one: unknown, other: unknown) => boolean,
): boolean {
  if (resource !== 'kubeadmconfigs') return resource === 'secrets' || resource === 'configmaps';
  return (
    !isSame(at(object, 'spec'), at(previous, 'spec')) || !isStatusKept(at(object, 'status'), at(previous, 'status'))
  );
}

/** Whether a status says the same but for whether its object is paused. */
function isStatusSame(one: unknown, other: unknown, aside?: string): boolean {
  const said = (status: unknown): unknown => {
    const { conditions = [], ...rest } = (status ?? {}) as {
      readonly conditions?: readonly { readonly type: string }[];
    };
    return [rest, conditions.filter(({ type }) => type !== 'Paused' && type !== aside)];
  };
  return isSame(said(one), said(other));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function holderOf(lock: Loose | undefined): { machineName?: string; machineUID?: string } | null {
  try {
    return JSON.parse(lock?.data?.['lock-information'] ?? '') as { machineName?: string; machineUID?: string };
  } catch {
    return null;
  }
}

/** The life of a KubeadmConfig that has claimed a lock; empty for none. */
function claimantOf(lock: Loose): string {
  return lock.metadata.annotations?.[CLAIM] ?? '';
}

/** What a claim does not change. */
function withoutClaim(lock: Loose | undefined): unknown {
  const { annotations, labels, ownerReferences, finalizers } = lock?.metadata ?? {};
  const others = Object.entries(annotations ?? {}).filter(([key]) => key !== CLAIM);
  return [others, labels, ownerReferences, finalizers, lock?.data];
}
