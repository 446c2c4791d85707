// Where an actor's stored snapshot is read from.

import { storedEnvelope } from '../../host/snapshot-stores.js';
import type { Settings } from './ports.js';
import type { MachineView } from './view.js';

/** The stored envelope as text; null when there is none. */
export function readStoredEnvelope(
  { machine, actorConfigMap }: Pick<MachineView, 'machine' | 'actorConfigMap'>,
  { snapshotStore }: Pick<Settings, 'snapshotStore'>,
): string | null {
  return storedEnvelope(snapshotStore, {
    conditions: machine.status?.conditions,
    annotations: machine.metadata.annotations,
    configMapData: actorConfigMap?.data,
  });
}
