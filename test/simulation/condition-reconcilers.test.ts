import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEmbeddedApiServer } from '../../src/embedded/api-server.js';
import { coreDefinitions } from '../../src/embedded/crds.js';
import { createInProcessClient } from '../../src/kube/in-process-client.js';
import { sized } from '../test-size.js';
import { seededRandom } from '../unit/kubeadmconfig/seeded-random.js';
import { createTestClock } from '../unit/kube/test-clock.js';
import { startConditionOperator, type ConditionOperator } from '../worlds/condition-operator.js';
import {
  clusterStories,
  controlPlaneStories,
  explainStories,
  storyDefinitions,
  type ConditionStage,
} from '../worlds/condition-stories.js';

const clock = createTestClock(Date.parse('2026-01-02T03:04:05.000Z'));
const random = seededRandom(1);
const server = createEmbeddedApiServer({
  clock,
  random,
  crds: [...coreDefinitions, ...storyDefinitions],
  garbageCollector: false,
});
const client = createInProcessClient({ handle: server.handle, clock, userAgent: 'somebody' });

async function rest(operator: ConditionOperator): Promise<void> {
  let quiet = 0;
  for (let round = 0; round < 2_000 && quiet < 4; round += 1) {
    const before = server.store.revision();
    await clock.settle();
    const isResting = operator.hosts.every(({ active, depth }) => active === 0 && depth === 0);
    quiet = isResting && server.store.revision() === before ? quiet + 1 : 0;
  }
}

describe('condition reconcilers on the embedded server', () => {
  let operator: ConditionOperator;
  const stage = (): ConditionStage => ({
    client,
    operator,
    nowMs: () => clock.nowMs(),
    interleaved: sized(50, 1_000),
    rest: () => rest(operator),
    async see(what, look, holds) {
      for (let second = 0; ; second += 1) {
        await rest(operator);
        const seen = await look();
        if (holds(seen)) return seen;
        if (second === 60) throw new Error(`${what}: last seen ${JSON.stringify(seen)}`);
        await clock.advance(500);
      }
    },
  });

  beforeAll(async () => {
    const own = createInProcessClient({ handle: server.handle, clock, userAgent: 'operator-under-test' });
    operator = await startConditionOperator(own, { clock, random, breathe: () => clock.settle() });
  });
  afterAll(async () => {
    await operator.stop();
    await server.close();
  });

  clusterStories(stage);
  controlPlaneStories(stage);
  explainStories(stage);

  test('bugs: all stories -> none', () => {
    expect(operator.bugs).toEqual([]);
  });
});
