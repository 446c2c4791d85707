import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { convert } from '../../src/api/kubeadmconfig/conversion.js';
import type { JsonObject } from '../../src/api/wire.js';

interface Answer {
  readonly result: { readonly status: string; readonly message?: string };
  readonly object?: JsonObject;
}

interface Fact {
  readonly fact: string;
  readonly value: { readonly input?: JsonObject; readonly up?: Answer; readonly down?: Answer } & Partial<Answer>;
}

const annotation = 'cluster.x-k8s.io/conversion-data';
const { steps } = JSON.parse(readFileSync('test/scenarios/recorded/hook-04-conversion.json', 'utf8')) as {
  readonly steps: readonly Fact[];
};
const version = { up: 'bootstrap.cluster.x-k8s.io/v1beta2', down: 'bootstrap.cluster.x-k8s.io/v1beta1' } as const;

function comparable(object: JsonObject | undefined): unknown {
  const copy = structuredClone(object) as { metadata?: { annotations?: Record<string, unknown> } } | undefined;
  const data = copy?.metadata?.annotations?.[annotation];
  if (copy?.metadata?.annotations !== undefined && typeof data === 'string') {
    copy.metadata.annotations[annotation] = JSON.parse(data);
  }
  return copy;
}

function converted(object: JsonObject, to: 'up' | 'down'): JsonObject {
  const outcome = convert(object, version[to]);
  if ('failure' in outcome) throw new Error(outcome.failure);
  return outcome.object;
}

describe('recorded conversions', () => {
  const single = steps.filter(({ value }) => value.input !== undefined);
  test.each(single.map((step) => [step.fact, step] as const))('%s', (_, { fact, value }) => {
    const direction = value.up === undefined ? 'down' : 'up';
    const back = direction === 'up' ? 'down' : 'up';
    if (value.input === undefined) throw new Error('malformed step');
    const there = converted(value.input, direction);
    expect(comparable(there)).toEqual(comparable(value[direction]?.object));
    const name = fact.replace(/^(up|down)/, `${direction} and ${back}`);
    const roundTrip = steps.find((step) => step.fact === name)?.value.object;
    expect(comparable(converted(there, back))).toEqual(comparable(roundTrip));
  });

  test('a broken annotation: conversion fails -> in the words of the Go implementation', () => {
    const recorded = steps.find(({ fact }) => fact === 'a broken annotation')?.value.result?.message;
    const object = {
      apiVersion: version.down,
      kind: 'KubeadmConfig',
      metadata: { name: 'k', namespace: 'n', annotations: { [annotation]: 'not json' } },
      spec: {},
    };
    expect(convert(object, version.up)).toEqual({ failure: recorded });
  });
});
