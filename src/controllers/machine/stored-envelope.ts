// Where an actor's stored snapshot is read from.

import { ACTOR_ANNOTATION, envelopeInConditions } from '../../host/snapshot-stores.js';
import type { Settings } from './ports.js';
import type { MachineView } from './view.js';

/** The stored envelope as text; null when there is none. A ConfigMap is not read back: a Machine re-derives its state. */
export function readStoredEnvelope({ machine }: MachineView, { snapshotStore }: Settings): string | null {
  if (snapshotStore === 'status') return envelopeInConditions(machine.status?.conditions);
  return snapshotStore === 'annotation' ? (machine.metadata.annotations?.[ACTOR_ANNOTATION] ?? null) : null;
}
