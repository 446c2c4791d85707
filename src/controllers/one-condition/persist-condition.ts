// The end of a turn of a controller that owns one condition: nothing to say, nothing new, written, or left to a rival.

import type { ConditionIntent } from '../../../machines/kit/row.js';
import type { EffectContext } from '../../host/contract.js';
import type { ApiClient, Resource } from '../../kube/contract.js';
import type { Logger } from '../../log.js';
import { otherManager, type Rivalry } from './rivalry.js';
import { entryToWrite, writeCondition, type ObjectWithConditions } from './write-condition.js';

/** An Event on an object. */
export interface ConditionEvent {
  readonly type: 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What such a controller is given. */
export interface ConditionPorts {
  readonly client: ApiClient;
  readonly log: Logger;
  /** Must not throw. */
  readonly events: { record(object: ObjectWithConditions, event: ConditionEvent): void };
}

/** One controller's condition. */
export interface OwnedCondition {
  readonly resource: Resource;
  readonly fieldManager: string;
  readonly rivalry: Rivalry;
}

/** Writes the condition if it changed, unless somebody else keeps changing it back. Throws ApiError. */
export async function persistCondition(
  { client, log, events }: ConditionPorts,
  owned: OwnedCondition,
  given: {
    readonly object: ObjectWithConditions;
    readonly intent: ConditionIntent | null;
    readonly context: EffectContext;
  },
): Promise<void> {
  const { object, intent, context } = given;
  if (intent === null) return;
  const { resource, fieldManager, rivalry } = owned;
  const entry = entryToWrite(object, intent, context.nowMs());
  const answer = entry === null ? 'write' : rivalry.ask(context.key, object, entry);
  if (answer === 'stopped') return;
  if (answer === 'stop') {
    const { namespace = '', name } = object.metadata;
    const { signal } = context;
    const who = await otherManager(client, { resource, namespace, name }, { type: intent.type, fieldManager, signal });
    const message = `Condition ${intent.type} is changed back by ${who === '' ? 'another manager' : `"${who}"`}: it is left alone until there is something new to say`;
    log.error('Condition is changed back by another manager', {
      object: { namespace, name },
      condition: intent.type,
      manager: who,
    });
    events.record(object, { type: 'Warning', reason: 'ConditionContested', message });
    return;
  }
  await writeCondition({ client, resource, fieldManager, object, intent, context });
  if (entry !== null) rivalry.wrote(context.key, object, entry);
}
