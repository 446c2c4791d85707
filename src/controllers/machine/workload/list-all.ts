// Live lists of workload clusters, page by page: what a drain decides on is never read from a cache.

import type { ApiClient, KubeObject, Resource } from '../../../kube/contract.js';

/** Objects of one page, as upstream asks for them. */
const PAGE_MAX = 100;

/** All objects that a selector names. */
export async function listAll<T extends KubeObject>(
  client: Pick<ApiClient, 'list'>,
  resource: Resource,
  options: { readonly fieldSelector?: string; readonly signal: AbortSignal },
): Promise<readonly T[]> {
  const items: T[] = [];
  let continueToken: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.list<T>>> = await client.list<T>(resource, {
      ...options,
      limit: PAGE_MAX,
      ...(continueToken === null ? {} : { continueToken }),
    });
    items.push(...page.items);
    ({ continueToken } = page);
  } while (continueToken !== null);
  return items;
}
