// The invariants, checked at every write of every store and at every request of an operator.
//
// Each has a name; the first violation ends a run. What others do to the world is no violation: only an operator's writes are
// judged, by what is true at the moment they happen, not by what its caches said.
import type { InfrastructureNote } from '../../../src/embedded/infrastructure/ports.js';
import type { StoreEvent } from '../../../src/embedded/types.js';
import {
  at,
  controllerOf,
  dataOf,
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

/** The invariants by name. */
export const INVARIANTS = {
  'one-init': 'at most one machine of a cluster gets init data',
  'token-before-data': 'the token in stored data exists in the workload cluster and is the one of the spec',
  'data-once': 'the data of a Machine is made once',
  'started-token': 'the data of a started Machine never changes its token',
  'token-once': 'one token is minted for a Machine',
  'token-alive': 'a token lives while a node may still join with it',
  'created-stays': 'dataSecretCreated never goes back',
  'lock-owner': 'the init lock is deleted by its holder, or once the holder is gone, or after initialisation',
  'own-writes': 'nothing is written that is not ours',
  'others-changes': 'what others wrote is never undone',
  paused: 'nothing of a paused object is changed',
  lease: 'only the holder of the Lease writes',
  'no-secrets': 'no secret outside of Secrets and the token of the spec',
  boots: 'what was given to a node lets it boot',
  'no-busy-loop': 'requests are bounded over time',
  'no-bug': 'nothing throws what nobody expects',
  joins: 'once faults stop, every node joins within bounded time',
  'lock-released': 'no lock is left of a cluster that is initialised',
  quiet: 'once every node has joined, nothing is written',
} as const;
export type InvariantName = keyof typeof INVARIANTS;

/** What was violated. */
export interface Violation {
  readonly invariant: InvariantName;
  readonly message: string;
  readonly atMs: number;
}

/** A judge of one run. */
export interface Judge {
  readonly violation: Violation | null;
  accuse(invariant: InvariantName, message: string): void;
  onSend(seen: Seen, identity: string): void;
  /** Marks the writer of what happens until the returned function is called. */
  handling(seen: Seen): () => void;
  onWorkload(cluster: string, event: StoreEvent): void;
  onNote(note: InfrastructureNote): void;
  onLog(text: string): void;
  /** Somebody else took or ended this token on purpose. */
  tokenTampered(token: string): void;
  /** Writes of operators so far, without Leases, Events and what pools need for their tokens. */
  readonly writes: readonly string[];
  workloadToken(cluster: string, id: string): Loose | undefined;
}

const CERTIFICATES = ['ca', 'etcd', 'proxy', 'sa'];
const REQUESTS_PER_MINUTE_MAX = 2_500;
/** A file that others add to a spec. */
export const FOREIGN_FILE = '/etc/added-by-others';

/** A judge that has seen nothing yet. */
export function createJudge(plan: Plan, truth: Truth, now: () => number): Judge {
  const clusters = clusterNames(plan.world);
  const tokens = new Map<string, Map<string, Loose>>();
  const secretTexts = new Set<string>();
  const tampered = new Set<string>();
  const started = new Map<string, string>();
  const writes: string[] = [];
  let violation: Violation | null = null;
  let writer: Seen | null = null;
  let minute = { index: -1, count: 0 };

  const accuse = (invariant: InvariantName, message: string): void => {
    violation ??= { invariant, message, atMs: now() };
  };

  const judgeData = (by: Seen, event: StoreEvent): void => {
    const secret = event.object as Loose;
    const { name } = secret.metadata;
    const config = truth.get('kubeadmconfigs', name);
    const owner = ownerOf(truth, name);
    const before = event.previous as Loose | undefined;
    const data = dataOf(secret);
    const cluster = textAt(secret, 'metadata', 'labels', 'cluster.x-k8s.io/cluster-name');
    if (before !== undefined && controllerOf(before).kind !== '' && controllerOf(before).kind !== 'KubeadmConfig')
      accuse('own-writes', `${by.operator} changed Secret ${name}, which a ${controllerOf(before).kind} controls`);
    const isLive = config !== undefined && controllerOf(secret).uid === config.metadata.uid && owner !== null;
    const isChanged = before === undefined || dataOf(before).value !== data.value;
    if (!isLive || !isChanged) return;
    if (data.isInit) judgeInit(name, cluster);
    if (data.token !== '') judgeToken({ name, cluster, token: data.token, config });
    if (owner.kind !== 'Machine') return;
    const uid = owner.object.metadata.uid ?? '';
    const told = started.get(uid);
    if (told !== undefined && told !== data.token)
      accuse('started-token', `the data of ${name} has another token than its Machine was started with`);
    const isRemade =
      before !== undefined && controllerOf(before).uid === config.metadata.uid && dataOf(before).value !== '';
    if (isRemade) accuse('data-once', `the data of ${name} was made again`);
  };

  const judgeInit = (name: string, cluster: string): void => {
    if (isInitialized(truth.get('clusters', cluster)))
      accuse('one-init', `${name} got init data after ${cluster} was initialised`);
    for (const machine of truth.all('machines')) {
      const other = textAt(machine, 'spec', 'bootstrap', 'configRef', 'name');
      if (
        other === name ||
        textAt(machine, 'spec', 'clusterName') !== cluster ||
        isConfigLost(truth.get('kubeadmconfigs', other))
      )
        continue;
      if (dataOf(truth.get('secrets', other)).isInit) accuse('one-init', `${name} and ${other} both have init data`);
    }
  };

  const judgeToken = (given: { name: string; cluster: string; token: string; config: Loose }): void => {
    const { name, cluster, token, config } = given;
    if (specToken(config) !== token) accuse('token-before-data', `the data of ${name} has another token than its spec`);
    if (token === USER_TOKEN || tampered.has(token)) return;
    const [id = ''] = token.split('.');
    const known = tokens.get(cluster)?.get(id);
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
    const path = ['status', 'initialization', 'dataSecretCreated'];
    if (at(before, ...path) === true && at(after, ...path) !== true)
      accuse('created-stays', `${name}: dataSecretCreated went back`);
    const isPool = ownerOf(truth, name)?.kind === 'MachinePool';
    if (specToken(before) !== '' && specToken(before) !== specToken(after) && !isPool)
      accuse('token-once', `${name}: another token was minted`);
    const isSpecChanged = JSON.stringify(before.spec) !== JSON.stringify(after.spec);
    if (isSpecChanged && before.metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined)
      accuse('paused', `${name}: the spec changed while it is paused`);
    if (isSpecChanged && JSON.stringify(at(before, 'spec', 'files')) !== JSON.stringify(at(after, 'spec', 'files')))
      accuse('others-changes', `${name}: spec.files changed`);
    for (const field of ['labels', 'ownerReferences', 'finalizers'])
      if (JSON.stringify(at(before, 'metadata', field)) !== JSON.stringify(at(after, 'metadata', field)))
        accuse('own-writes', `${name}: metadata.${field} changed`);
  };

  const judgeLock = (by: Seen, event: StoreEvent): void => {
    const lock = event.object as Loose;
    const cluster = lock.metadata.name.replace(/-lock$/, '');
    if (event.type !== 'DELETED' || isInitialized(truth.get('clusters', cluster))) return;
    let information: { machineName?: string; machineUID?: string };
    try {
      information = JSON.parse(lock.data?.['lock-information'] ?? '') as typeof information;
    } catch {
      return accuse('lock-owner', `the lock of ${cluster} cannot be read and was deleted by ${by.actor}`);
    }
    const machine = truth.get('machines', information.machineName ?? '');
    const config = textAt(machine, 'spec', 'bootstrap', 'configRef', 'name');
    const data = dataOf(truth.get('secrets', config));
    const isSame = machine !== undefined && machine.metadata.uid === information.machineUID;
    if (!isSame) return;
    if (data.isInit && !isConfigLost(truth.get('kubeadmconfigs', config)))
      return accuse('lock-owner', `the lock of ${cluster} was deleted although ${config} has init data`);
    if (isConfigLost(truth.get('kubeadmconfigs', config))) return;
    if (!by.actor.endsWith(`/${config}`))
      accuse('lock-owner', `the lock of ${cluster}, held by ${config}, was deleted by ${by.actor}`);
  };

  const judgeSecret = (by: Seen, event: StoreEvent): void => {
    const { name } = event.object.metadata;
    const isCertificate = clusters.some((cluster) => CERTIFICATES.some((purpose) => name === `${cluster}-${purpose}`));
    if (isCertificate && event.type === 'ADDED') return;
    if (isCertificate) {
      const isData = JSON.stringify(at(event.previous, 'data')) !== JSON.stringify(at(event.object, 'data'));
      if (isData || event.type === 'DELETED') accuse('own-writes', `${by.operator} changed the certificates ${name}`);
      return;
    }
    const controller = controllerOf(event.object);
    const isKnown = truth.get('kubeadmconfigs', name) !== undefined || controller.kind === 'KubeadmConfig';
    if (!isKnown) accuse('own-writes', `${by.operator} wrote Secret ${name}`);
    else if (event.type !== 'DELETED') judgeData(by, event);
    else if (controller.uid === truth.get('kubeadmconfigs', name)?.metadata.uid)
      accuse('own-writes', `${by.operator} deleted the data ${name}`);
  };

  truth.onChange((event) => {
    const resource = event.resource.split('/')[1] ?? '';
    noteWorld(event, resource);
    if (writer === null) return;
    const by = writer;
    const { name } = event.object.metadata;
    if (resource !== 'leases' && resource !== 'events') writes.push(`${by.actor} ${event.type} ${resource}/${name}`);
    switch (resource) {
      case 'secrets':
        return judgeSecret(by, event);
      case 'kubeadmconfigs':
        return judgeConfig(by, event);
      case 'configmaps': {
        const isLock = clusters.some((cluster) => name === `${cluster}-lock`);
        if (isLock) return judgeLock(by, event);
        if (!name.endsWith('-actor') || plan.world.snapshotStore !== 'configmap')
          accuse('own-writes', `${by.operator} wrote ConfigMap ${name}`);
        return;
      }
      case 'events':
      case 'leases':
        return;
      default:
        accuse('own-writes', `${by.operator} wrote ${resource}/${name}`);
    }
  });

  const noteWorld = (event: StoreEvent, resource: string): void => {
    const object = event.object as Loose;
    if (resource === 'kubeadmconfigs') {
      const token = specToken(object);
      if (token !== '') secretTexts.add(token.split('.')[1] ?? '');
    }
    if (resource !== 'machines' || event.type === 'DELETED') return;
    const name = textAt(object, 'spec', 'bootstrap', 'dataSecretName');
    const uid = object.metadata.uid ?? '';
    if (name !== '' && !started.has(uid)) started.set(uid, dataOf(truth.get('secrets', name)).token);
  };

  const judgeText = (where: string, text: string): void => {
    if (text.includes('PRIVATE KEY')) accuse('no-secrets', `a private key in ${where}`);
    for (const secret of secretTexts) if (text.includes(secret)) accuse('no-secrets', `a token in ${where}`);
  };

  return {
    get violation() {
      return violation;
    },
    accuse,
    writes,
    onSend(seen, identity) {
      const index = Math.floor(now() / 60_000);
      minute = index === minute.index ? { index, count: minute.count + 1 } : { index, count: 1 };
      if (minute.count > REQUESTS_PER_MINUTE_MAX) accuse('no-busy-loop', `${minute.count} requests in a minute`);
      if (!seen.isWrite) return;
      const holder = textAt(truth.all('leases')[0], 'spec', 'holderIdentity');
      if (
        plan.world.operators === 2 &&
        seen.resource !== 'leases' &&
        seen.server === 'management' &&
        holder !== identity
      )
        accuse('lease', `${seen.operator} sends ${seen.method} ${seen.path}, the Lease is held by ${holder}`);
      if (seen.resource === 'secrets' || seen.body === undefined) return;
      const text =
        seen.resource === 'kubeadmconfigs' ? seen.body.replaceAll(/"token":"[a-z0-9.]{23}"/g, '') : seen.body;
      judgeText(`${seen.method} ${seen.path}`, text);
    },
    handling(seen) {
      if (!seen.isWrite || seen.operator === '') return () => undefined;
      writer = seen;
      return () => void (writer = null);
    },
    onWorkload(cluster, event) {
      const { name } = event.object.metadata;
      const isToken = event.resource === '/secrets' && name.startsWith('bootstrap-token-');
      if (writer !== null && !isToken)
        accuse('own-writes', `${writer.operator} wrote ${event.resource}/${name} in ${cluster}`);
      if (!isToken) return;
      const id = name.slice('bootstrap-token-'.length);
      const known = tokens.get(cluster) ?? new Map<string, Loose>();
      tokens.set(cluster, known);
      if (event.type === 'DELETED') known.delete(id);
      else known.set(id, event.object as Loose);
      if (writer === null) return;
      writes.push(`${writer.actor} ${event.type} token`);
      if (id === USER_TOKEN.split('.')[0]) accuse('own-writes', `the user's token was written in ${cluster}`);
      if (event.type === 'DELETED') accuse('own-writes', `a token was deleted in ${cluster}`);
    },
    onNote(note) {
      if (note.kind === 'boot-failed') accuse('boots', `${note.node}: ${note.why}`);
      if (note.kind !== 'join-refused' || !/^the token \w+ (does not exist|expired|has another)/.test(note.why)) return;
      const id = note.why.split(' ')[2] ?? '';
      if (id === USER_TOKEN.split('.')[0] || [...tampered].some((token) => token.startsWith(`${id}.`))) return;
      if (isExcused(plan, now())) return;
      accuse('token-alive', `${note.node}: ${note.why}`);
    },
    onLog: (text) => judgeText('the log', text),
    tokenTampered: (token) => void tampered.add(token),
    workloadToken: (cluster, id) => tokens.get(cluster)?.get(id),
  };
}

/** Faults within the life of a token may keep it from being renewed. */
function isExcused({ faults, world }: Plan, nowMs: number): boolean {
  return faults.some((fault) => {
    const endMs = 'toMs' in fault ? fault.toMs : fault.kind === 'kill' ? fault.atMs + fault.downMs : fault.atMs;
    return endMs > nowMs - world.tokenTtlMs;
  });
}
