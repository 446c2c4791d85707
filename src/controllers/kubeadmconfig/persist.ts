// What is left to do when a turn has decided: say what happened, and write status and snapshot if they changed.
import type { Facts } from '../../../machines/kubeadmconfig/facts.js';
import type { EffectContext } from '../../host/contract.js';
import { EffectFailure } from '../../host/effect-failure.js';
import { isApiError } from '../../kube/failures.js';
import { compareData } from './effects/compare-data.js';
import { workOf } from './effects/context.js';
import { eventsOfTurn } from './event-texts.js';
import { logTurn } from './log-lines.js';
import type { Memory } from './memory.js';
import type { Ports } from './ports.js';
import { prepareKeys } from './prepared-keys.js';
import { persistStatus, type KubeadmConfigOutcome } from './status-patch.js';
import { turnOf } from './turn.js';
import { isTokenMarked, type View } from './view.js';

/** Ends a turn. Throws ApiError when the status could not be written. */
export async function endTurn(
  ports: Ports,
  memory: Memory,
  given: { readonly view: View; readonly outcome: KubeadmConfigOutcome; readonly context: EffectContext },
): Promise<void> {
  const { view, outcome } = given;
  logTurn(ports.log, outcome.trail, (row) => !memory.said(view.key, 'log', row));
  const isSilent = outcome.envelope === null;
  if (!isSilent) {
    const { apiVersion, kind, metadata } = view.config;
    const { namespace = '', name, uid = '' } = metadata;
    const object = { apiVersion, kind, namespace, name, uid };
    const events = eventsOfTurn(outcome.trail);
    const text = events.map(({ reason, message }) => `${reason}: ${message}`).join('\n');
    if (!memory.said(view.key, 'event', text)) for (const event of events) ports.events.record({ object, ...event });
    if (outcome.failed) logFailure(ports, view, outcome);
  }
  memory.waits(view.key, outcome.failed ? (outcome.facts.failure?.object ?? null) : null);
  memory.marked(view.key, !ports.settings.shadow && isMarkedWithoutData(view, outcome.facts));
  prepareKeys(ports, memory, view, outcome.facts);
  if (ports.settings.shadow) await compareStoredData(ports, memory, given);
  const config = view.cluster === null ? view.config : turnOf(view).config;
  // PARITY: upstream's status is one generation behind after its own spec patch, until its next pass (docs/parity.md, Q-11).
  const facts = { ...outcome.facts, generation: config.metadata.generation ?? 0 };
  await persistStatus(ports, memory, { ...given, config, outcome: { ...outcome, facts } });
}

/** Shadow mode: tells whether the data that somebody stored is what would have been stored here, once for each version of it. */
async function compareStoredData(
  ports: Ports,
  memory: Memory,
  {
    view,
    outcome,
    context,
  }: { readonly view: View; readonly outcome: KubeadmConfigOutcome; readonly context: EffectContext },
): Promise<void> {
  const { dataSecret, key } = view;
  if (outcome.envelope === null || dataSecret === null || outcome.facts.dataSecret !== 'ours') return;
  const { uid = '', resourceVersion = '' } = dataSecret.metadata;
  if (memory.said(key, 'compared', `${uid}/${resourceVersion}`)) return;
  try {
    await compareData(workOf(ports, memory, { view, facts: outcome.facts, context }));
  } catch (error) {
    if (!(error instanceof EffectFailure) && !isApiError(error)) throw error;
    ports.log.info('Cannot compare bootstrap data', { KubeadmConfig: key, err: error.message });
  }
}

/** A token of ours in the spec and no data: whoever swaps back to the Go provider must empty the token first. */
function isMarkedWithoutData(view: View, facts: Facts): boolean {
  const config = view.cluster === null ? view.config : turnOf(view).config;
  return isTokenMarked(config) && facts.dataStored === 'no' && !facts.isDeleting;
}

function logFailure(ports: Ports, view: View, { trail }: KubeadmConfigOutcome): void {
  const failure = trail.findLast(({ facts }) => facts.failure !== null)?.facts.failure;
  if (failure === null || failure === undefined) return;
  const { namespace = '', name } = view.config.metadata;
  ports.log.error('Reconciler error', {
    controller: 'kubeadmconfig',
    KubeadmConfig: { namespace, name },
    effect: failure.request,
    kind: failure.kind,
    err: failure.message,
    ...(failure.object === undefined
      ? {}
      : { object: `${failure.object.kind} ${failure.object.namespace}/${failure.object.name}` }),
    ...(failure.place === undefined ? {} : { place: failure.place }),
  });
}
