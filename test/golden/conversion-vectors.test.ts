import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { convert } from '../../src/api/kubeadmconfig/conversion.js';
import type { JsonObject } from '../../src/api/wire.js';

interface Vector {
  readonly id: string;
  readonly title: string;
  readonly direction: 'v1beta1-to-v1beta2' | 'v1beta2-to-v1beta1';
  readonly source: JsonObject;
  readonly result?: JsonObject;
  readonly roundTrip?: JsonObject;
  readonly error?: string;
}

const folder = 'test/golden/vectors/conversion';
const vectors = readdirSync(folder).map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Vector);
const group = 'bootstrap.cluster.x-k8s.io';
const annotation = 'cluster.x-k8s.io/conversion-data';

interface Annotated {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

// The annotation is JSON in a text: it is compared as JSON.
function comparable(object: JsonObject): unknown {
  const copy = structuredClone(object) as { metadata?: { annotations?: Record<string, unknown> } };
  const annotations = copy.metadata?.annotations;
  const data = annotations?.[annotation];
  if (annotations !== undefined && typeof data === 'string') annotations[annotation] = JSON.parse(data);
  return copy;
}

function convertOrThrow(object: JsonObject, version: string): JsonObject {
  const outcome = convert(object, `${group}/${version}`);
  if ('failure' in outcome) throw new Error(outcome.failure);
  return outcome.object;
}

describe('conversion vectors', () => {
  test.each(vectors.map((vector) => [`${vector.id} ${vector.title}`, vector] as const))('%s', (_, vector) => {
    const [, from, to] = /^(\w+)-to-(\w+)$/.exec(vector.direction) ?? [];
    if (from === undefined || to === undefined || vector.result === undefined) throw new Error('malformed vector');
    const result = convertOrThrow(vector.source, to);
    expect(comparable(result)).toEqual(comparable(vector.result));
    if (vector.roundTrip !== undefined) {
      expect(comparable(convertOrThrow(result, from))).toEqual(comparable(vector.roundTrip));
    }
  });

  test('BC-009 BC-030 data secret created: a v1beta1 reader -> sees status.ready true and the same name', () => {
    const source = {
      apiVersion: `${group}/v1beta2`,
      kind: 'KubeadmConfig',
      metadata: { name: 'c' },
      status: { initialization: { dataSecretCreated: true }, dataSecretName: 'c' },
    };
    expect(convertOrThrow(source, 'v1beta1')['status']).toEqual({ ready: true, dataSecretName: 'c' });
  });

  test('conversion annotation: every vector -> the text has the byte order of the Go implementation', () => {
    const down = vectors.filter(({ direction }) => direction === 'v1beta2-to-v1beta1');
    expect(down.length).toBeGreaterThan(5);
    for (const { source, result } of down) {
      const kept = (convertOrThrow(source, 'v1beta1') as Annotated).metadata?.annotations?.[annotation];
      expect(kept).toBe((result as Annotated).metadata?.annotations?.[annotation]);
    }
  });
});
