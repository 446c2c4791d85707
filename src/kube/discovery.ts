// Where a kind that is named at run time is found in the API: its plural, its scope and the version to use.
//
// Answers are kept; a kind that is not among them is looked for again, at most once in a while, because CRDs come later than
// the objects that name them.

import type { Clock } from '../host/contract.js';
import type { Resource } from './contract.js';
import type { FullApiClient } from './client.js';
import { isApiError } from './failures.js';

/** Finds resources by kind. */
export interface Discovery {
  /** The resource of a kind, or null when the server does not serve it. Without a version: the group's preferred one. Throws ApiError. */
  find(
    kind: { readonly group: string; readonly version?: string; readonly kind: string },
    signal?: AbortSignal,
  ): Promise<Resource | null>;
}

interface ApiResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

interface ApiGroup {
  readonly preferredVersion?: { readonly version?: string };
}

const LOOK_AGAIN_AFTER_MS = 10_000;

interface Known {
  readonly resources: readonly Resource[];
  readonly atMs: number;
}

/** Discovery with an empty memory. */
export function createDiscovery(client: Pick<FullApiClient, 'getPath'>, clock: Pick<Clock, 'monotonicMs'>): Discovery {
  const lists = new Map<string, Known>();
  const preferred = new Map<string, string>();

  const versionOf = async (group: string, signal: AbortSignal | undefined): Promise<string | null> => {
    if (group === '') return 'v1';
    const known = preferred.get(group);
    if (known !== undefined) return known;
    const found = await orNull(client.getPath<ApiGroup>(`/apis/${group}`, options(signal)));
    const version = found?.preferredVersion?.version ?? null;
    if (version !== null) preferred.set(group, version);
    return version;
  };

  const listOf = async (
    group: string,
    version: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly Resource[]> => {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const found = await orNull(client.getPath<ApiResourceList>(path, options(signal)));
    const resources = (found?.resources ?? [])
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind, namespaced }) => Object.freeze({ group, version, plural: name, kind, namespaced }));
    lists.set(path, { resources, atMs: clock.monotonicMs() });
    return resources;
  };

  return {
    async find({ group, version, kind }, signal) {
      const wanted = version ?? (await versionOf(group, signal));
      if (wanted === null) return null;
      const known = lists.get(group === '' ? `/api/${wanted}` : `/apis/${group}/${wanted}`);
      const found = known?.resources.find((resource) => resource.kind === kind);
      if (found !== undefined) return found;
      if (known !== undefined && clock.monotonicMs() - known.atMs < LOOK_AGAIN_AFTER_MS) return null;
      const fresh = await listOf(group, wanted, signal);
      return fresh.find((resource) => resource.kind === kind) ?? null;
    },
  };
}

function options(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isApiError(error, 'NotFound', 'NoSuchResource')) return null;
    throw error;
  }
}
