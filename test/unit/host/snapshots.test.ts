import { describe, expect, test } from '@jest/globals';
import { envelopeOf, envelopeText, isWorthWriting, parseEnvelope, readEnvelope } from '../../../src/host/envelope.js';
import {
  ACTOR_ANNOTATION,
  actorAnnotationPatch,
  actorConfigMap,
  actorStateCondition,
  envelopeToWrite,
  storedEnvelope,
} from '../../../src/host/snapshot-stores.js';

const sinceMs = Date.parse('2026-01-02T03:04:05.678Z');
const rest = { value: { Deleting: 'Draining' }, context: { row: 'M07', sinceMs, wakeAtMs: sinceMs + 20_000 } };
const envelope = envelopeOf('u1', rest);
const changed = (change: object) => envelopeOf('u1', { value: rest.value, context: { ...rest.context, ...change } });

describe('envelope', () => {
  test('text: -> version, life, since in seconds, and the rest; it reads back as it was', () => {
    const text = envelopeText(envelope);
    expect(JSON.parse(text)).toEqual({ v: 1, uid: 'u1', since: '2026-01-02T03:04:05Z', snapshot: rest });
    expect(readEnvelope(text, 'u1')).toEqual({ rest });
  });

  test.each([
    ['no JSON', 'yes', 'not JSON'],
    ['no object', '7', 'broken'],
    ['null', 'null', 'broken'],
    ['a later version', JSON.stringify({ ...envelope, v: 2 }), 'unknown version'],
    ['another uid', JSON.stringify({ ...envelope, uid: 'u2' }), 'another object’s life'],
    ['no snapshot', JSON.stringify({ ...envelope, snapshot: undefined }), 'broken'],
    ['no context', JSON.stringify({ ...envelope, snapshot: { value: 'A' } }), 'broken'],
    ['no state', JSON.stringify({ ...envelope, snapshot: { value: {}, context: {} } }), 'broken'],
    [
      'a time that is no date',
      JSON.stringify({ ...envelope, snapshot: { ...rest, context: { ...rest.context, sinceMs: 1e300 } } }),
      'broken',
    ],
    [
      'a time that is no number',
      JSON.stringify({ ...envelope, snapshot: { ...rest, context: { ...rest.context, sinceMs: '1' } } }),
      'broken',
    ],
    ['a wake-up that is no date', JSON.stringify(changed({ wakeAtMs: 8_640_000_000_000_001 })), 'broken'],
    ['a wake-up between milliseconds', JSON.stringify(changed({ wakeAtMs: 0.5 })), 'broken'],
    ['more than its bound', JSON.stringify({ ...envelope, more: 'x'.repeat(1024) }), 'too large'],
  ])('%s -> discarded with its reason', (_, text, discarded) => {
    expect(readEnvelope(text, 'u1')).toEqual({ discarded });
    expect(parseEnvelope(text, 'u1')).toBeNull();
  });

  test('a text above the bound: -> a bug, not a write', () => {
    expect(() => envelopeText(envelopeOf('u'.repeat(1024), rest))).toThrow('a snapshot has');
  });

  test('foreign fields in a stored context: -> not carried on', () => {
    const text = JSON.stringify({ ...envelope, snapshot: { ...rest, context: { ...rest.context, secret: 1 } } });
    expect(readEnvelope(text, 'u1')).toEqual({ rest });
  });

  test('worth writing: state, row, since or life -> yes; the wake-up alone -> no', () => {
    expect(isWorthWriting(null, envelope)).toBe(true);
    expect(isWorthWriting(envelope, changed({ wakeAtMs: null }))).toBe(false);
    expect(isWorthWriting(envelope, changed({ row: 'M08' }))).toBe(true);
    expect(isWorthWriting(envelope, changed({ sinceMs: sinceMs + 1000 }))).toBe(true);
    expect(isWorthWriting(envelope, envelopeOf('u1', { ...rest, value: 'Running' }))).toBe(true);
    expect(isWorthWriting(envelope, envelopeOf('u2', rest))).toBe(true);
  });

  test('what to write: nothing stored, the same, a later wake-up, conditions beside it', () => {
    const text = envelopeText(envelope);
    const later = changed({ wakeAtMs: sinceMs + 1 });
    expect(envelopeToWrite(null, envelope)).toBe(envelope);
    expect(envelopeToWrite('broken', envelope)).toBe(envelope);
    expect([envelopeToWrite(text, envelope), envelopeToWrite(text, later), envelopeToWrite(text, null)]).toEqual([
      null,
      null,
      null,
    ]);
    expect(envelopeToWrite(text, later, { withConditions: true })).toBe(later);
    expect(parseEnvelope('no', 'u1')).toBeNull();
  });
});

describe('snapshot stores', () => {
  const text = envelopeText(envelope);

  test('status: -> one condition without observedGeneration, True, its time is since', () => {
    const condition = actorStateCondition(envelope);
    expect(condition).toEqual({
      type: 'ActorState',
      status: 'True',
      reason: 'Deleting:Draining',
      message: text,
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
    expect(condition.reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
    expect(storedEnvelope('status', { conditions: [{ type: 'Ready' }, condition] })).toBe(text);
    expect([storedEnvelope('status', {}), storedEnvelope('status', { conditions: [] })]).toEqual([null, null]);
  });

  test('annotation: -> a merge patch guarded by life and version', () => {
    const patch = actorAnnotationPatch(envelope, { uid: 'u1', resourceVersion: '7' });
    expect(patch).toEqual({ metadata: { uid: 'u1', resourceVersion: '7', annotations: { [ACTOR_ANNOTATION]: text } } });
    expect(storedEnvelope('annotation', { annotations: { [ACTOR_ANNOTATION]: text } })).toBe(text);
    expect(storedEnvelope('annotation', {})).toBeNull();
  });

  test('configmap: -> named after its object and owned by it', () => {
    const owner = {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfig',
      namespace: 'ns',
      name: 'a',
      uid: 'u1',
    };
    const made = actorConfigMap(envelope, { owner, labels: { team: 'x' } });
    expect(made.metadata).toEqual({
      name: 'a-actor',
      namespace: 'ns',
      labels: { team: 'x' },
      ownerReferences: [
        { apiVersion: owner.apiVersion, kind: 'KubeadmConfig', name: 'a', uid: 'u1', controller: true },
      ],
    });
    expect(storedEnvelope('configmap', { configMapData: made.data })).toBe(text);
    expect(storedEnvelope('configmap', {})).toBeNull();
  });

  test('none: -> nothing is read', () => {
    expect(storedEnvelope('none', { annotations: { [ACTOR_ANNOTATION]: text } })).toBeNull();
  });
});
