// A client that tells when calls begin and end: how a connection knows that it is in use, and that it is no longer welcome.

import type { ApiClient, KubeObject, ListOptions, Resource, WatchEvent } from './contract.js';

/** Told about every call. */
export interface CallHooks {
  readonly began: () => void;
  /** `error` is what the call threw, if it did. */
  readonly ended: (error: unknown) => void;
}

/** The same client with hooks around every call and every watch. */
export function watchedClient(client: ApiClient, hooks: CallHooks): ApiClient {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    hooks.began();
    try {
      const value = await work();
      hooks.ended(undefined);
      return value;
    } catch (error) {
      hooks.ended(error);
      throw error;
    }
  };
  return {
    get: (...call) => around(() => client.get(...call)),
    list: (...call) => around(() => client.list(...call)),
    create: (...call) => around(() => client.create(...call)),
    update: (...call) => around(() => client.update(...call)),
    mergePatch: (...call) => around(() => client.mergePatch(...call)),
    apply: (...call) => around(() => client.apply(...call)),
    delete: (...call) => around(() => client.delete(...call)),
    post: (...call) => around(() => client.post(...call)),
    watch: <T extends KubeObject>(resource: Resource, options: ListOptions) =>
      watched(client.watch<T>(resource, options), hooks),
  };
}

async function* watched<T>(
  events: AsyncIterable<WatchEvent<T>>,
  hooks: CallHooks,
): AsyncGenerator<WatchEvent<T>, void> {
  hooks.began();
  let failure: unknown;
  try {
    yield* events;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    hooks.ended(failure);
  }
}
