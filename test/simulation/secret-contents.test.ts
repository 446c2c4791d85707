// Worlds whose files and passwords come from Secrets: who quotes one of them, in Base64 even, is found.
import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../src/kube/contract.js';
import { CONTENT_SECRET } from './engine/objects.js';
import type { Sabotage } from './engine/operator.js';
import { planOf } from './engine/plan.js';
import { runPlan } from './engine/run.js';
import { patching, reading } from './engine/sabotage-kit.js';

/** What was read of the Secret goes into the next status, as it was read. */
const quoting: Sabotage = {
  client(client) {
    let content = '';
    const remembering = reading(client, ({ name }, object: KubeObject) => {
      const { data } = object as KubeObject & { readonly data?: Readonly<Record<string, string>> };
      if (name === CONTENT_SECRET) content = data?.['content'] ?? '';
      return object;
    });
    return patching(remembering, (_, body, isStatus) =>
      isStatus && content !== '' ? { ...body, status: { ...body.status, note: `x${content}` } } : body,
    );
  },
};

test('worlds with contents from Secrets: drawn -> some of the first seeds, of both kinds of worlds', () => {
  const plans = Array.from({ length: 300 }, (_, index) => planOf(index + 1)).filter(
    ({ world }) => world.contentsFromSecrets === true,
  );
  expect(plans.length).toBeGreaterThan(5);
  expect(new Set(plans.map(({ world }) => world.machines))).toEqual(new Set([true, false]));
});

test('a world with contents from Secrets: a status quotes one as it was read -> found, and not without it', async () => {
  const plan = planOf(34);
  expect(plan.world.contentsFromSecrets).toBe(true);
  expect((await runPlan(plan)).violation).toBeNull();
  const { violation } = await runPlan(plan, { sabotage: quoting });
  expect([violation?.invariant, violation?.message]).toEqual([
    'no-secrets',
    expect.stringContaining('what a Secret holds in PATCH'),
  ]);
});
