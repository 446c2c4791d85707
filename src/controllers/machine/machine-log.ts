// The logger of a turn: every line carries the Machine, its Cluster and its owners, under their kinds. Names only.
//
// Of several owners of one kind the first counts. The owners of a MachineSet are the Machine's too.

import type { Fields, Logger } from '../../log.js';
import { inNamespace } from './machine-indexes.js';
import type { Ports } from './ports.js';
import type { MachineView } from './view.js';

/** The logger of a Machine. */
export function machineLog(
  { log }: Pick<Ports, 'log'>,
  view: Pick<MachineView, 'key' | 'machine' | 'owners'>,
  more: Fields = {},
): Logger {
  return log.with({ ...ownersOf(view), ...more });
}

function ownersOf({ key, machine, owners }: Pick<MachineView, 'key' | 'machine' | 'owners'>): Fields {
  const { namespace = '', ownerReferences = [] } = machine.metadata;
  const fields: Record<string, string> = { Machine: key, Cluster: inNamespace(namespace, machine.spec.clusterName) };
  for (const { kind, name } of [...ownerReferences, ...(owners.machineSet?.metadata.ownerReferences ?? [])]) {
    fields[kind] ??= inNamespace(namespace, name);
  }
  return fields;
}
