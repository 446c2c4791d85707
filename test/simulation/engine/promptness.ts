// Where nothing goes wrong nobody waits for a retry: what can be done is done at once.
//
// Whoever is not woken comes again after a backoff, or never until somebody else changes something: in a world under faults both
// look alike. So this is asked in calm worlds alone, where all that others do is to touch objects.
import type { StoreEvent } from '../../../src/embedded/types.js';
import type { InvariantName } from './invariants.js';
import { at, controllerOf, dataOf, isInitialized, ownerOf, textAt, type Loose, type Truth } from './mirror.js';
import type { Seen } from './network.js';
import { specialWorker } from './objects.js';
import type { Plan } from './plan.js';

/** What others may do in a calm world. */
const HARMLESS: readonly string[] = [
  'labelConfig',
  'addFile',
  'touchCluster',
  'growPool',
  'dropLock',
  'loseSnapshot',
  'corruptSnapshot',
  'foreignSnapshot',
  'renewKubeconfig',
];
const DATA_MAX_MS = 5_000;
const KUBECONFIG = '-kubeconfig';

/** A watch that has missed a while is listed anew by then. */
const RELIST_MAX_MS = 5_000;
/** What somebody else wrote, and two writes of one's own: each may be missed. */
const MISSED_MAX = 3;

/** How much later things are known where watches miss a while. */
function missedMs({ faults }: Plan): number {
  const lapses = faults.flatMap((fault) => (fault.kind === 'watches' && fault.what === 'lapse' ? [fault.ms] : []));
  return lapses.length === 0 ? 0 : MISSED_MAX * (Math.max(...lapses) + RELIST_MAX_MS);
}

/** Asks how long things took. */
export interface Promptness {
  note(event: StoreEvent, resource: string): void;
  /** An operator wrote. */
  judge(by: Seen, event: StoreEvent, resource: string): void;
}

/** Whether everything can be done at once in a plan: processes live, and the network works. */
export function isCalm({ faults }: Plan): boolean {
  return faults.every((fault) => {
    if (fault.kind === 'act') return HARMLESS.includes(fault.what);
    if (fault.kind === 'race') return fault.what === 'touch';
    return (
      fault.kind === 'compact' ||
      fault.kind === 'clock' ||
      (fault.kind === 'watches' && ['duplicate', 'lapse'].includes(fault.what))
    );
  });
}

/** Promptness of those who have done nothing yet. */
export function createPromptness(given: {
  readonly plan: Plan;
  readonly truth: Truth;
  accuse(invariant: InvariantName, message: string): void;
  now(): number;
}): Promptness {
  const { plan, truth, accuse, now } = given;
  const isAsked = isCalm(plan);
  const mostMs = DATA_MAX_MS + missedMs(plan);
  /** Its data waits for somebody else's Secret to go. */
  const held = plan.world.foreignSecretUntilMs === null ? null : specialWorker(plan.world);
  /** Since when something is so, by what it is. */
  const sinceMs = new Map<string, number>();
  const began = (what: string): void => {
    if (!sinceMs.has(what)) sinceMs.set(what, now());
  };
  /** A cluster can be reached since its kubeconfig is there, or is there again. */
  const noteKubeconfig = (cluster: string, type: StoreEvent['type']): void => {
    if (type === 'ADDED') sinceMs.set(`reached ${cluster}`, now());
  };
  const since = (...whats: readonly string[]): number => Math.max(...whats.map((what) => sinceMs.get(what) ?? 0));
  const bound = (what: string, fromMs: number): void => {
    if (now() - fromMs > mostMs) accuse('prompt', `${what} came ${now() - fromMs} ms after it could`);
  };
  const clusterOf = (name: string): string => {
    const owner = ownerOf(truth, name)?.object;
    return textAt(owner, 'spec', 'clusterName');
  };
  return {
    note({ type, object }, resource) {
      if (!isAsked) return;
      const { name } = object.metadata;
      if (resource === 'secrets' && name.endsWith(KUBECONFIG)) noteKubeconfig(name.slice(0, -KUBECONFIG.length), type);
      if (resource === 'clusters') {
        if (at(object, 'status', 'initialization', 'infrastructureProvisioned') === true) began(`provisioned ${name}`);
        if (isInitialized(object as Loose)) began(`initialised ${name}`);
      }
      if (resource === 'kubeadmconfigs' && controllerOf(object).kind !== '') began(`owned ${name}`);
      if (resource === 'secrets' && name === held && type === 'DELETED') {
        sinceMs.set(`free ${name}`, now());
        sinceMs.delete(`data ${name}`);
      } else if (resource === 'secrets' && dataOf(object as Loose).value !== '') began(`data ${name}`);
    },
    judge(_, { type, object, previous }, resource) {
      const { name } = object.metadata;
      if (!isAsked) return;
      const cluster = clusterOf(name);
      if (resource === 'secrets' && type === 'ADDED' && truth.get('kubeadmconfigs', name) !== undefined) {
        const isInit = dataOf(object as Loose).isInit;
        const waits = isInit ? [] : [`initialised ${cluster}`, `reached ${cluster}`];
        bound(
          `the data of ${name} ${isInit ? 'init' : 'join'}`,
          since(`owned ${name}`, `provisioned ${cluster}`, `free ${name}`, ...waits),
        );
      }
      const path = ['status', 'initialization', 'dataSecretCreated'];
      if (resource === 'kubeadmconfigs' && at(object, ...path) === true && at(previous, ...path) !== true)
        bound(`the status of ${name}`, since(`data ${name}`));
      if (resource === 'configmaps' && type === 'DELETED' && name.endsWith('-lock')) {
        const of = name.replace(/-lock$/, '');
        bound(`the end of the lock of ${of}`, since(`initialised ${of}`));
      }
    },
  };
}
