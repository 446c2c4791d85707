// The caches of kinds that are named by references: opened by the first Machine that needs them, then kept.
//
//   X1. Looking never waits and never talks to a server.
//   X2. One watch per kind, and one of CRD metadata, however many Machines ask.
//   X3. A kind whose watch does not come up within OPEN_TIME_MAX_MS is unreadable until it does: nobody waits for it twice.

import type { ContractReference } from '../../../api/core.js';
import type { Clock } from '../../../host/contract.js';
import type { Cache, CacheChange, KubeObject } from '../../../kube/contract.js';
import { isApiError } from '../../../kube/failures.js';
import type { HeldCache, Informers } from '../../../kube/informers.js';
import { projectMetadata } from '../../../kube/projections.js';
import { apiVersionOf } from '../../../kube/resource-paths.js';
import type { Logger } from '../../../log.js';
import { kinds, type ExternalObjectJson } from '../objects.js';
import { crdNames, externalKind, type ExternalKind, type KindAnswer } from './contract-version.js';
import type { ExternalLook } from './readings.js';

/** How long a turn waits for the first list of a kind. */
const OPEN_TIME_MAX_MS = 10_000;

/** External objects by reference. */
export interface ExternalObjects {
  look(reference: ContractReference, namespace: string): ExternalLook;
  /** Opens the watch of a reference's kind. Resolves when it is there, or with the phase's error when it is not. */
  open(reference: ContractReference, signal: AbortSignal): Promise<string | null>;
  /** The kind behind a reference; null while it is not known. */
  kindOf(reference: ContractReference): ExternalKind | null;
  /** Told about every change of an external object. */
  subscribe(listener: (change: CacheChange<ExternalObjectJson>) => void): () => void;
  /** Told when the CRD of a kind changed: `<plural>.<group>`. */
  onKind(listener: (crdName: string) => void): () => void;
}

/** What external objects need. */
export interface ExternalObjectsOptions {
  readonly informers: Pick<Informers, 'hold' | 'problems'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** One namespace; all when empty. */
  readonly namespace: string;
}

interface OpenKind {
  readonly resource: ExternalKind['resource'];
  /** Ends the subscription. */
  end(): void;
  readonly held: HeldCache<ExternalObjectJson>;
  /** True once the watch had its time to come up. */
  isOverdue: boolean;
}

/** No kinds yet. */
export function createExternalObjects(options: ExternalObjectsOptions): ExternalObjects {
  const { informers, clock, log } = options;
  const open = new Map<string, OpenKind>();
  const listeners = new Set<(change: CacheChange<ExternalObjectJson>) => void>();
  const kindListeners = new Set<(crdName: string) => void>();
  let crds: HeldCache<KubeObject> | null = null;
  let areCrdsOverdue = false;

  const answerOf = (reference: ContractReference): KindAnswer | null => {
    if (crds === null || !crds.cache.synced) return null;
    const { cache } = crds;
    const crd = crdNames(reference).flatMap((name) => cache.get('', name) ?? [])[0];
    return externalKind(reference, crd);
  };

  const openKind = ({ resource }: ExternalKind): OpenKind => {
    const id = `${apiVersionOf(resource)}/${resource.plural}`;
    const known = open.get(id);
    if (known !== undefined) return known;
    log.info(`Adding watch on external object "${apiVersionOf(resource)}, Kind=${resource.kind}"`);
    const namespace = options.namespace === '' ? {} : { namespace: options.namespace };
    const held = informers.hold<ExternalObjectJson>({ resource, firstList: 'current', ...namespace });
    const end = held.cache.subscribe((change) => listeners.forEach((listener) => listener(change)));
    for (const [other, { resource: of, ...old }] of open) {
      // A provider's upgrade: its objects are watched in the new version alone.
      if (of.group !== resource.group || of.plural !== resource.plural) continue;
      old.end();
      old.held.release();
      open.delete(other);
    }
    const entry: OpenKind = { resource, held, end, isOverdue: false };
    open.set(id, entry);
    return entry;
  };

  const watchProblem = ({ resource }: ExternalKind): string => {
    const gvk = `${apiVersionOf(resource)}, Kind=${resource.kind}`;
    const problem = informers
      .problems()
      .find(({ resource: { group, plural } }) => group === resource.group && plural === resource.plural);
    return `failed to add watch on external object "${gvk}": ${problem?.failure.message ?? 'its first list has not come in'}`;
  };

  const crdsProblem =
    'failed to get object from ref: failed to get CustomResourceDefinition metadata: the first list has not come in';

  return {
    look(reference, namespace) {
      const answer = answerOf(reference);
      if (answer === null) return areCrdsOverdue ? { kind: 'unreadable', message: crdsProblem } : { kind: 'unwatched' };
      if ('problem' in answer) return { kind: 'unreadable', message: answer.problem };
      const { resource, contract } = answer.kind;
      const entry = open.get(`${apiVersionOf(resource)}/${resource.plural}`);
      if (entry === undefined) return { kind: 'unwatched' };
      if (!entry.held.cache.synced) {
        return entry.isOverdue ? { kind: 'unreadable', message: watchProblem(answer.kind) } : { kind: 'unwatched' };
      }
      const object = entry.held.cache.get(namespace, reference.name);
      return object === undefined ? { kind: 'missing' } : { kind: 'found', object, contract };
    },

    async open(reference, signal) {
      if (crds === null) {
        crds = informers.hold({
          resource: kinds.customResourceDefinition,
          metadataOnly: true,
          project: projectMetadata,
        });
        crds.cache.subscribe(onCrd(kindListeners));
      }
      areCrdsOverdue = !(await isSyncedInTime(crds, clock, signal)) && !signal.aborted;
      const answer = answerOf(reference);
      if (answer === null) return crdsProblem;
      if ('problem' in answer) return answer.problem;
      try {
        const entry = openKind(answer.kind);
        const isUp = await isSyncedInTime(entry.held, clock, signal);
        if (!signal.aborted) entry.isOverdue = !isUp;
        return isUp ? null : watchProblem(answer.kind);
      } catch (error) {
        if (isApiError(error)) return error.failure.message;
        throw error;
      }
    },

    kindOf(reference) {
      const answer = answerOf(reference);
      return answer !== null && 'kind' in answer ? answer.kind : null;
    },

    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    onKind(listener) {
      kindListeners.add(listener);
      return () => void kindListeners.delete(listener);
    },
  };
}

/** A CRD matters when it comes, goes, or changes its labels or its schema. */
function onCrd(listeners: ReadonlySet<(crdName: string) => void>): (change: CacheChange<KubeObject>) => void {
  return ({ before, after }) => {
    const labels = (crd: KubeObject | undefined): string =>
      JSON.stringify([crd?.metadata.labels ?? null, crd?.metadata.generation ?? null]);
    if (labels(before) === labels(after)) return;
    const name = (after ?? before)?.metadata.name ?? '';
    listeners.forEach((listener) => listener(name));
  };
}

/** Waits for a first list as long as a turn may. */
async function isSyncedInTime(
  {
    cache,
    whenSynced,
  }: { readonly cache: Pick<Cache<KubeObject>, 'synced'>; whenSynced(signal?: AbortSignal): Promise<void> },
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  if (cache.synced) return true;
  const timeout = new AbortController();
  const onAbort = (): void => timeout.abort();
  const cancel = clock.schedule(OPEN_TIME_MAX_MS, onAbort);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await whenSynced(timeout.signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
  return cache.synced;
}
