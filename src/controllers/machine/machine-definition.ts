// What the CRD of Machines in this management cluster knows: a release of Cluster API before v1.14 drops the times since which
// hooks are waited for, and its controllers follow that release's rules.
//
//   D1. Looking never waits: facts ask for what is known.
//   D2. While the CRD cannot be read, the rules of the older release count.

import { resources } from '../../api/names.js';
import type { Clock } from '../../host/contract.js';
import type { ApiClient } from '../../kube/contract.js';
import { isApiError } from '../../kube/failures.js';
import { MACHINE_DEFINITION_RETRY_MS } from '../../limits.js';
import { kinds, targetOf } from './objects.js';

/** Name of the CRD. */
export const machineDefinitionName = `${resources.Machine.plural}.${kinds.machine.group}`;

/** Whether a CRD of Machines has the times since which hooks are waited for. */
export function hasHookTimes(crd: object): boolean {
  return JSON.stringify(crd).includes('waitForPreTerminateHookStartTime');
}

/** What is known of the CRD of Machines. */
export interface MachineDefinition {
  /** Whether the API server keeps the times since which hooks are waited for (Cluster API v1.14); null while nobody knows. */
  keepsHookTimes(): boolean | null;
  /** Reads the CRD, unless it is known. A CRD that cannot be read counts as the older one for a minute. */
  read(signal: AbortSignal): Promise<void>;
  /** The CRD has changed: it is read again when somebody asks. */
  forget(): void;
}

/** Knows nothing yet. */
export function createMachineDefinition({
  client,
  clock,
}: {
  readonly client: Pick<ApiClient, 'get'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}): MachineDefinition {
  let known: boolean | null = null;
  let unreadableUntilMs = -Infinity;
  const isUnreadable = (): boolean => clock.monotonicMs() < unreadableUntilMs;
  return {
    keepsHookTimes: () => known ?? (isUnreadable() ? false : null),
    async read(signal) {
      if (known !== null || isUnreadable()) return;
      try {
        const crd = await client.get(targetOf(kinds.customResourceDefinition, '', machineDefinitionName), { signal });
        known = hasHookTimes(crd);
      } catch (error) {
        if (!isApiError(error)) throw error;
        unreadableUntilMs = clock.monotonicMs() + MACHINE_DEFINITION_RETRY_MS;
      }
    },
    forget() {
      known = null;
      unreadableUntilMs = -Infinity;
    },
  };
}
