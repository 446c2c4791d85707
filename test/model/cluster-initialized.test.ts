import { describe, expect, test } from '@jest/globals';
import type { Facts } from '../../machines/cluster-initialized/facts.js';
import { clusterInitializedModel } from './cluster-initialized-model.js';
import { describeModel } from './kit/describe-model.js';
import { eventsOf, rowFor } from './kit/model.js';

describeModel(clusterInitializedModel);

describe('cluster-initialized: laws', () => {
  test('CI-001 CI-018 latch: True already, whatever else -> nothing is said, asked for or awaited', () => {
    for (const event of eventsOf(clusterInitializedModel, 'all')) {
      const facts = event.facts as unknown as Facts;
      if (event.type !== 'OBSERVED' || !facts.isInitialized) continue;
      const row = rowFor(clusterInitializedModel, event);
      expect([row?.id, row?.conditions(event.facts), row?.request]).toEqual(['C01', [], null]);
    }
  });

  test('CI-016 only one condition: whatever is seen -> at most one intent, of its own type', () => {
    for (const event of eventsOf(clusterInitializedModel, 'all')) {
      const intents = rowFor(clusterInitializedModel, event)?.conditions(event.facts) ?? [];
      if (intents.length > 1 || intents.some(({ type }) => type !== 'ControlPlaneInitialized'))
        throw new Error(JSON.stringify(event));
    }
  });
});
