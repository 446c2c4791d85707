// A client that notes what it writes, so that no turn starts on a view older than our own writes.
//
//   L1. A write that succeeded leaves a receipt with the version that the server named.
//   L2. A write of unknown outcome leaves a note: the host reads that object live before the next turn.
//   L3. A deletion leaves the version after the one that was deleted, or a note where that is not known. So does one of what is
//       gone already, and so does the write that takes the last finalizer of what is being deleted: its answer has the version before.
//
//   L4. A receipt says which version guarded the write, so that the host knows the echo of its own write from news.
//
// For the management cluster alone: workload clusters have no caches here.

import type { WriteLedger, WriteReceipt } from '../host/contract.js';
import type { ApiClient, DeleteOptions, KubeObject, Target, WriteOptions } from './contract.js';
import { isApiError } from './failures.js';
import { versionAfter } from './resource-version.js';

/** The client with a ledger behind its writes. Dry runs leave nothing, and a shadow has nothing that a cache could show. */
export function withLedger(client: ApiClient, ledger: WriteLedger): ApiClient {
  if (client.isShadow === true) return client;
  const noted = async <T extends KubeObject>(
    object: ObjectName,
    options: WriteOptions | undefined,
    guardedBy: string | undefined,
    work: Promise<T>,
  ): Promise<T> => {
    if (options?.dryRun === true) return work;
    try {
      const written = await work;
      ledger.note(isEnd(written) ? endOf(object.kind, written) : receiptOf(object.kind, written, guardedBy));
      return written;
    } catch (error) {
      if (isApiError(error, 'Unknown')) ledger.noteUnknown(object);
      throw error;
    }
  };
  return {
    get: (target, options) => client.get(target, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    post: (path, body, options) => client.post(path, body, options),
    create(resource, object, options) {
      const { namespace = '', name = '' } = (object as Partial<KubeObject>).metadata ?? {};
      return noted({ kind: resource.kind, namespace, name }, options, '', client.create(resource, object, options));
    },
    update: (target, object, options) =>
      noted(nameOf(target), options, guardOf(object), client.update(target, object, options)),
    mergePatch: (target, body, options) =>
      noted(nameOf(target), options, guardOf(body), client.mergePatch(target, body, options)),
    apply: (target, object, options) =>
      noted(nameOf(target), options, guardOf(object), client.apply(target, object, options)),
    async delete(target, options) {
      try {
        await client.delete(target, options);
        if (options?.dryRun !== true) noteDeletion(ledger, target, options);
      } catch (error) {
        // What is not there any more was seen by a cache that does not know it yet.
        if (isApiError(error, 'Unknown', 'NotFound')) ledger.noteUnknown(nameOf(target));
        throw error;
      }
    },
  };
}

type ObjectName = Pick<WriteReceipt, 'kind' | 'namespace' | 'name'>;

function nameOf({ resource, namespace, name }: Target): ObjectName {
  return { kind: resource.kind, namespace, name };
}

function receiptOf(kind: string, { metadata }: KubeObject, guardedBy: string | undefined): WriteReceipt {
  const { namespace = '', name, uid = '', resourceVersion = '' } = metadata;
  return { kind, namespace, name, uid, resourceVersion, ...(guardedBy === undefined ? {} : { guardedBy }) };
}

/** Whether a write was the last one of an object. */
function isEnd({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}

function endOf(kind: string, { metadata }: KubeObject): WriteReceipt {
  const { namespace = '', name, uid = '', resourceVersion = '' } = metadata;
  return { kind, namespace, name, uid, resourceVersion: versionAfter(resourceVersion) };
}

/** The version that a body asks the server to compare; undefined when it asks for none. */
function guardOf(body: object): string | undefined {
  return (body as Partial<KubeObject>).metadata?.resourceVersion;
}

function noteDeletion(ledger: WriteLedger, target: Target, options: DeleteOptions | undefined): void {
  const { uid = '', resourceVersion } = options?.preconditions ?? {};
  if (resourceVersion === undefined) ledger.noteUnknown(nameOf(target));
  else ledger.note({ ...nameOf(target), uid, resourceVersion: versionAfter(resourceVersion) });
}
