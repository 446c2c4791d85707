// Whether the API server keeps the times since which hooks are waited for: a CRD of Cluster API v1.13 drops them.

import { resources } from '../../api/names.js';
import type { ApiClient } from '../../kube/contract.js';
import { isApiError } from '../../kube/failures.js';
import { kinds, targetOf } from './objects.js';

const known = new WeakMap<object, boolean>();
const crdName = `${resources.Machine.plural}.${kinds.machine.group}`;

/** Reads the CRD of Machines once per client; while it cannot be read the answer is no. */
export async function keepsHookTimes(client: ApiClient, signal: AbortSignal): Promise<boolean> {
  const answer = known.get(client);
  if (answer !== undefined) return answer;
  try {
    const crd = await client.get(targetOf(kinds.customResourceDefinition, '', crdName), { signal });
    const keeps = JSON.stringify(crd).includes('waitForPreTerminateHookStartTime');
    known.set(client, keeps);
    return keeps;
  } catch (error) {
    if (!isApiError(error)) throw error;
    return false;
  }
}
