// The log line of a row, with upstream's constant texts. Said when a turn comes to the row, not at every look.
import type { Facts } from '../../../machines/kubeadmconfig/facts.js';
import type { Logger } from '../../log.js';

/** One line. */
interface Line {
  readonly message: string;
  readonly level: number;
  readonly fields?: (facts: Facts) => Readonly<Record<string, unknown>>;
}

const beingInitialized: Line = {
  message: 'A control plane is already being initialized',
  level: 0,
  fields: ({ names }) => ({ Machine: { namespace: names.namespace, name: names.lockHolder } }),
};

const lines: Readonly<Record<string, Line>> = {
  K06: { message: 'Cluster does not exist yet, waiting until it is created', level: 0 },
  K07: { message: 'Reconciliation is paused for this object', level: 4, fields: (f) => ({ reason: f.pauseMessage }) },
  K13: { message: 'Cluster infrastructure is not ready, waiting', level: 0 },
  K35: beingInitialized,
  K42: beingInitialized,
  K50: { message: 'Waiting for Cluster Controller to set Cluster.Spec.ControlPlaneEndpoint', level: 1 },
  K63: { message: 'Bootstrap token secret not found, triggering creation of new token', level: 0 },
};

/** Rows that say the same as another one. */
const sameAs: Readonly<Record<string, string>> = { K42: 'K35' };

/** Writes the lines of a turn. `isNew` tells whether this line is not the one that the object said last. */
export function logTurn(
  log: Logger,
  trail: readonly { readonly row: string; readonly facts: Facts }[],
  isNew: (row: string) => boolean,
): void {
  const last = trail.at(-1);
  if (last === undefined) return;
  for (const { row, facts } of trail) {
    const line = lines[row];
    if (line === undefined || !isNew(sameAs[row] ?? row)) continue;
    const { namespace, config, cluster } = facts.names;
    const fields = {
      KubeadmConfig: { namespace, name: config },
      Cluster: { namespace, name: cluster },
      ...line.fields?.(facts),
    };
    log.verbose(line.level, line.message, fields);
  }
  if (!(last.row in lines)) isNew(last.row);
}
