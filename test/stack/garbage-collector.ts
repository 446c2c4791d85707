// The garbage collector of a cluster without kube-controller-manager: a loop over the kinds of the stack.
//
//   GC1. An object all of whose owners are gone is deleted; whether they are gone is asked for each by name.
//   GC2. An object that waits with the finalizer `foregroundDeletion` has its dependents deleted first and is let go after them.
import { kinds, type Api, type Kind, type OwnerReference, type Seen } from './api.js';

/** A running collector. */
export interface GarbageCollector {
  stop(): Promise<void>;
}

const roundEachMs = 1_500;
const FOREGROUND = 'foregroundDeletion';

/** Starts it. A round that fails is made again. */
export function startGarbageCollector(api: Api): GarbageCollector {
  let isStopped = false;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      await collect(api).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, roundEachMs));
    }
  };
  const running = run();
  return {
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

interface Known {
  readonly kind: Kind;
  readonly object: Seen;
}

async function collect(api: Api): Promise<void> {
  const all: Known[] = [];
  for (const kind of Object.keys(kinds) as Kind[])
    for (const object of await api.listMetadata(kind)) all.push({ kind, object });
  const uids = new Set(all.map(({ object }) => object.metadata.uid));
  const leaving = new Set(all.filter(isLeaving).map(({ object }) => object.metadata.uid));
  const owned = all.filter(({ object }) => (object.metadata.ownerReferences ?? []).length > 0);
  for (const { kind, object } of owned) {
    const owners = object.metadata.ownerReferences ?? [];
    if (object.metadata.deletionTimestamp !== undefined) continue;
    const isDragged = owners.some(({ uid }) => leaving.has(uid));
    // The lists were read one after the other: an owner that is younger than the list of its kind is there all the same.
    const seemsOrphan = owners.every(({ uid }) => !uids.has(uid));
    if (isDragged || (seemsOrphan && (await areGone(api, owners)))) await api.remove(kind, object.metadata.name);
  }
  for (const { kind, object } of all.filter(isLeaving)) {
    const { name, uid, finalizers } = object.metadata;
    const holds = owned.some(({ object: other }) =>
      (other.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
    if (!holds)
      await api.patch(kind, name, {
        metadata: { finalizers: (finalizers ?? []).filter((each) => each !== FOREGROUND) },
      });
  }
}

/** Asks for each owner by name. An owner of a kind that is not of the stack is taken to be there. */
async function areGone(api: Api, owners: readonly OwnerReference[]): Promise<boolean> {
  for (const { kind, name, uid } of owners) {
    if (!(kind in kinds) || (await api.get(kind as Kind, name))?.metadata.uid === uid) return false;
  }
  return true;
}

function isLeaving({ object }: Known): boolean {
  const { deletionTimestamp, finalizers } = object.metadata;
  return deletionTimestamp !== undefined && (finalizers ?? []).includes(FOREGROUND);
}
