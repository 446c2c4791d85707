// Why a Machine is where it is: the same answer from a running host and from the cluster alone.
//
// The row of the next look explains waits. Where the next look would only try again what did not work, the row that the last
// try ended with explains more.

import { decidingRow, rowById } from '../../../machines/kit/row-by-id.js';
import { chart } from '../../../machines/machine/chart.js';
import { asOfNow, explainActor, type Explanation } from '../../../machines/kit/explanation.js';
import { readObject } from '../../../machines/kit/failure-text.js';
import type { ActorContext, Failure } from '../../../machines/kit/row.js';
import { leafState } from '../../../machines/kit/step.js';
import type { MachineFacts } from '../../../machines/machine/facts.js';
import { machineTable, shownFacts } from '../../../machines/machine/table.js';
import type { MachineState } from '../../../machines/machine/words.js';
import type { RecordedFailure } from '../../host/contract.js';
import { parseEnvelope } from '../../host/envelope.js';
import { factsOfView } from './facts-of-view.js';
import { apiVersionOf } from '../../kube/resource-paths.js';
import { kinds } from './objects.js';
import type { Settings } from './ports.js';
import { readStoredEnvelope } from './stored-envelope.js';
import type { MachineView } from './view.js';

/** What is known of the actor beyond its object. */
export interface KnownActor {
  readonly state: string;
  readonly context: ActorContext;
  readonly failure: Failure | null;
}

/** Explains a Machine. `actor` is what a host knows; null reads what the cluster recorded. */
export function explainMachine(
  view: MachineView,
  actor: KnownActor | null,
  { nowMs, settings }: { readonly nowMs: number; readonly settings: Settings },
): Explanation {
  const known = actor ?? recordedActor(view, settings);
  const looked = factsOfView(view, { nowMs, settings, actor: null });
  const settled: MachineFacts = { ...looked, unwatched: [], ...rested(known?.context.row ?? null) };
  const next = decidingRow({ chart, table: machineTable }, settled);
  const last = rowById(machineTable, known?.context.row ?? null);
  const isTrying = next.request !== null && last !== undefined && last.on !== 'OBSERVED';
  const failure = known?.failure ?? (isTrying ? recordedFailure(view) : null);
  const { namespace = '', name, uid = '' } = view.machine.metadata;
  return explainActor(machineTable, {
    object: { kind: 'Machine', namespace, name, uid },
    state: (known?.state ?? next.target ?? machineTable.initial) as MachineState,
    context: known === null ? null : asOfNow(known.context, nowMs, last?.requeue?.afterMs(settled) ?? null),
    facts: { ...settled, failure: failure as MachineFacts['failure'] },
    rowId: isTrying ? last.id : next.id,
    shownFacts,
  });
}

/** What the last pass left is what is waited for, until the next one; it need not be seen from here. */
function rested(row: string | null): Partial<Pick<MachineFacts, 'drain' | 'volumes'>> {
  const resting = { kind: 'resting' } as const;
  if (row === 'M43' || row === 'M65') return { volumes: resting };
  return row === 'M45' || row === 'M60' ? { drain: resting } : {};
}

function recordedActor(view: MachineView, settings: Settings): KnownActor | null {
  const envelope = parseEnvelope(readStoredEnvelope(view, settings), view.machine.metadata.uid ?? '');
  if (envelope === null) return null;
  const { snapshot, failed } = envelope;
  const failure = failed === undefined ? null : failureOfRecord(failed);
  return { state: leafState(snapshot.value), context: snapshot.context, failure };
}

function failureOfRecord({ request = '', kind, message, object: named = '', place }: RecordedFailure): Failure {
  const object = readObject(named);
  const known = Object.values(kinds).find((each) => each.kind === object?.kind);
  const apiVersion = known === undefined ? '' : apiVersionOf(known);
  return {
    request,
    kind,
    message,
    ...(object === null ? {} : { object: { apiVersion, ...object } }),
    ...(place === undefined ? {} : { place }),
  };
}

/** The last failure of a drain, as the deprecated condition tells its cause. */
function recordedFailure({ machine }: MachineView): Failure | null {
  const drain = machine.status?.deprecated?.v1beta1?.conditions?.find(({ type }) => type === 'DrainingSucceeded');
  if (drain?.reason !== 'DrainingFailed') return null;
  return { request: 'drainNode', kind: 'DrainingFailed', message: drain.message ?? '' };
}
