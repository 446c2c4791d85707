// The namespace controller's one duty that tests and people rely on: a namespace that is deleted takes its content with it.
import type { Core } from '../core.js';
import { deleteObject } from '../objects/delete.js';
import { currentObjects } from '../read/list.js';
import { storageOf } from '../resources/definition.js';
import { everything } from '../selectors.js';
import { keyOf } from '../store.js';
import type { StoreEvent } from '../types.js';

const delayMs = 5;

/** Ends namespaces that are terminating. Returns what stops it. */
export function startNamespaceController(core: Core): () => void {
  const pending = new Map<string, () => void>();
  const look = (name: string): void => {
    if (name === '' || pending.has(name)) return;
    const cancel = core.clock.schedule(delayMs, () => {
      pending.delete(name);
      end(core, name);
    });
    pending.set(name, cancel);
  };
  const stop = core.store.subscribe((event) => {
    const name = concerned(core, event);
    if (name !== null) look(name);
  });
  return () => {
    stop();
    for (const cancel of pending.values()) cancel();
  };
}

function concerned(core: Core, event: StoreEvent): string | null {
  const { metadata } = event.object;
  if (event.resource === '/namespaces') return metadata.deletionTimestamp === undefined ? null : metadata.name;
  if (event.type !== 'DELETED' || metadata.namespace === undefined) return null;
  const namespace = core.store.get('/namespaces', keyOf('', metadata.namespace));
  return namespace?.metadata.deletionTimestamp === undefined ? null : metadata.namespace;
}

function end(core: Core, name: string): void {
  const namespace = core.store.get('/namespaces', keyOf('', name));
  if (namespace?.metadata.deletionTimestamp === undefined) return;
  let left = 0;
  for (const definition of core.catalog.all().filter(({ namespaced }) => namespaced)) {
    for (const object of currentObjects(core, definition, name, everything)) {
      if (object.metadata.deletionTimestamp === undefined) {
        deleteObject(
          core,
          definition,
          { namespace: name, name: object.metadata.name },
          { dryRun: false, graceSeconds: 0 },
        );
      }
    }
    left += core.store.keys(storageOf(definition), name).length;
  }
  const held = (namespace.metadata.finalizers ?? []).length > 0;
  if (left > 0 || held) return;
  core.store.remove('/namespaces', keyOf('', name), { ...namespace, spec: {} });
}
