// Whatever stands in a KubeadmConfig and the objects around it: the answer is data, a wait or a refusal that says what is
// wrong where. Never a crash.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import type { KubernetesObject } from '../../src/api/core.js';
import type { KubeadmConfig } from '../../src/api/kubeadmconfig/v1beta2.js';
import { evaluateOffline, type OfflineResult } from '../../src/bootstrap/offline.js';
import { objectsOf, vector } from '../golden/bootstrap-vector.js';
import { printedSeed, sized } from '../test-size.js';
import { contexts, evaluateSpec, fullSpecs } from './full-spec.js';

const texts = [
  '',
  ' ',
  '\n',
  'a\nb: c',
  '\u0000',
  '\u0085',
  '\u2028',
  '😀',
  '{{',
  '{{ .x }}',
  '%zz',
  '../..',
  '-',
  '640',
  '~',
  '*a',
  '&a x',
];
const value = fc.oneof(
  fc.constantFrom<unknown>(...texts, null, true, false, 0, -1, 1.5, 2 ** 31, 1e21, [], {}, [null], [[]], [{}]),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const mutation = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('replace', 'replace', 'remove', 'repeat', 'rename'),
  value,
});

/** For the full size; a small run takes seconds. */
const timeoutMs = 1_800_000;

type Loose = Record<string | number, unknown>;

/** Every container in a value with its keys. */
function containers(root: unknown): readonly (readonly [Loose, string | number])[] {
  if (typeof root !== 'object' || root === null) return [];
  const keys = Array.isArray(root) ? [...root.keys()] : Object.keys(root);
  return keys.flatMap((key) => [[root as Loose, key] as const, ...containers((root as Loose)[key])]);
}

function mutate(root: unknown, { at, kind, value: given }: { at: number; kind: string; value: unknown }): void {
  const places = containers(root);
  const [container, key] = places[at % (places.length || 1)] ?? [];
  if (container === undefined || key === undefined) return;
  if (kind === 'remove' && Array.isArray(container)) container.splice(key as number, 1);
  else if (kind === 'remove') delete container[key];
  else if (kind === 'repeat' && Array.isArray(container))
    container.push(JSON.parse(JSON.stringify(container[key as number])));
  else if (kind === 'rename') container[`${key}x`] = container[key];
  else container[key] = structuredClone(given);
}

function expectAnAnswer(result: OfflineResult): void {
  expect(['data', 'waiting', 'refused']).toContain(result.kind);
  if (result.kind === 'data') expect(result.bytes.length).toBeGreaterThan(0);
  else expect(result.message).not.toBe('');
  if (result.kind === 'refused') expect(result.field).not.toBe('');
}

describe('bootstrap data of any input', () => {
  test(
    'KubeadmConfig: any fields changed to anything -> data or a clear error',
    async () => {
      const seed = printedSeed('mutated KubeadmConfigs');
      await fc.assert(
        fc.asyncProperty(
          fc.nat(fullSpecs.length - 1),
          fc.nat(contexts.length - 1),
          fc.array(mutation, { minLength: 1, maxLength: 4 }),
          async (specIndex, contextIndex, mutations) => {
            const context = contexts[contextIndex];
            if (context === undefined) return;
            const spec: unknown = JSON.parse(JSON.stringify({ ...fullSpecs[specIndex], format: context.format }));
            for (const change of mutations) mutate(spec, change);
            expectAnAnswer(await evaluateSpec(spec, context));
          },
        ),
        { seed, numRuns: sized(1000, 100_000) },
      );
    },
    timeoutMs,
  );

  test(
    'objects: anything anywhere in the stream changed to anything -> data, a wait or a clear error',
    async () => {
      const seed = printedSeed('mutated streams');
      const ids = ['kc-vec-151', 'kc-vec-404', 'kc-vec-244', 'kc-vec-409', 'kc-vec-356'];
      const streams = ids.map((id) => vector(id)).map(objectsOf);
      await fc.assert(
        fc.asyncProperty(
          fc.nat(streams.length - 1),
          fc.array(mutation, { minLength: 1, maxLength: 3 }),
          async (index, mutations) => {
            const objects = JSON.parse(JSON.stringify(streams[index])) as KubernetesObject[];
            for (const object of objects) {
              for (const change of mutations) mutate(object, { ...change, at: change.at + (object.kind?.length ?? 0) });
            }
            const config = objects.find(({ kind }) => kind === 'KubeadmConfig') as KubeadmConfig | undefined;
            if (config === undefined || typeof config.metadata !== 'object' || config.metadata === null) return;
            const result = await evaluateOffline({
              objects: objects.filter(({ metadata }) => typeof metadata === 'object' && metadata !== null),
              config,
              token: () => 'aaaaaa.bbbbbbbbbbbbbbbb',
              generate: () => Promise.resolve({ kind: 'failed', message: 'nothing is generated here' }),
              hasMachinePools: true,
              sizeLimitBytes: 0,
              respectsStoredData: false,
            });
            expectAnAnswer(result);
          },
        ),
        { seed, numRuns: sized(500, 50_000) },
      );
    },
    timeoutMs,
  );
});
