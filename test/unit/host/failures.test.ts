import { describe, expect, test } from '@jest/globals';
import { AbortedWork } from '../../../src/host/deadline.js';
import { EffectFailure, failureOf } from '../../../src/host/effect-failure.js';
import { normaliseMessage } from '../../../src/host/normalise.js';
import { apiError } from './toy-controller.js';

describe('failures', () => {
  test('an effect’s own failure: -> its kind, text and object', () => {
    const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 'ca' };
    expect(failureOf('make', new EffectFailure('Missing', 'no ca', object))).toEqual({
      request: 'make',
      kind: 'Missing',
      message: 'no ca',
      object,
    });
    expect(failureOf('make', new EffectFailure('Missing', 'no ca'))).toEqual({
      request: 'make',
      kind: 'Missing',
      message: 'no ca',
    });
  });

  test('a client’s failure: -> its kind behind Api, and the object it was about', () => {
    expect(failureOf('make', apiError('Forbidden'))).toEqual({
      request: 'make',
      kind: 'ApiForbidden',
      message: 'Forbidden',
      object: { apiVersion: '', kind: 'Toy', namespace: 'ns', name: 'toy' },
    });
    expect(failureOf('make', apiError('Forbidden', ''))).not.toHaveProperty('object');
    expect(failureOf('make', { failure: { kind: 'Refused', message: 'm' } })).toEqual({
      request: 'make',
      kind: 'ApiRefused',
      message: 'm',
    });
  });

  test('texts that hold a secret, of whatever failure -> the secret is taken out', () => {
    const text = 'echo Bearer abcdef.0123456789abcdef password=hunter2';
    const api = Object.assign(new Error(text), { failure: { kind: 'Unknown', message: text } });
    for (const error of [new EffectFailure('Missing', text), api, new AbortedWork(text)]) {
      const { message = '' } = failureOf('make', error) ?? {};
      expect(message).toContain('echo Bearer [removed]');
      expect(message).not.toMatch(/0123456789abcdef|hunter2/);
    }
  });

  test('work that was told to stop: -> Aborted; anything else -> a bug', () => {
    expect(failureOf('make', new AbortedWork('why'))).toEqual({ request: 'make', kind: 'Aborted', message: 'why' });
    for (const bug of [new TypeError('x'), null, undefined, 'text', { failure: null }, { failure: { kind: 1 } }]) {
      expect(failureOf('make', bug)).toBeNull();
    }
  });
});

describe('normalised texts', () => {
  test.each([
    [
      'read tcp 10.0.0.1:53412->10.0.0.2:6443: read: connection reset by peer',
      'read tcp: read: connection reset by peer',
    ],
    ['read tcp [2001:db8::1]:53412->[2001:db8::2]:6443: i/o timeout', 'read tcp: i/o timeout'],
    [
      'Get "https://10.0.0.2:6443/api/v1/nodes": dial tcp 10.0.0.2:6443: connect: connection refused',
      'Get "https://10.0.0.2:6443/api/v1/nodes": dial tcp: connect: connection refused',
    ],
    ['connect ECONNREFUSED 127.0.0.1:6443', 'connect ECONNREFUSED'],
    ['connect ETIMEDOUT 10.0.0.2:6443 - Local (10.0.0.1:53412)', 'connect ETIMEDOUT'],
    ['connect ECONNREFUSED ::1:6443', 'connect ECONNREFUSED'],
    [
      'certificate has expired: current time 2026-01-02T03:04:05Z is after 2025-01-02T03:04:05Z',
      'certificate has expired: current time <time> is after <time>',
    ],
    ['failed, request id: 3f-7a', 'failed, request id: <id>'],
    ['Audit-ID: 8a3f1c2e-1b2c-4d5e-8f90-123456789abc', 'Audit id: <id>'],
    [
      'Precondition failed: UID in precondition: 8a3f1c2e-1b2c-4d5e-8f90-123456789abc',
      'Precondition failed: UID in precondition: <id>',
    ],
    ['the resourceVersion 12345 is too old', 'the resourceVersion <version> is too old'],
    ['resource version: "77" expired', 'resource version: <version> expired'],
    ['no answer after 10.003s', 'no answer after a while'],
    ['Secret "ns/c1-ca" not found', 'Secret "ns/c1-ca" not found'],
    ['invalid version "v1.30.0": must be at least v1.31.0', 'invalid version "v1.30.0": must be at least v1.31.0'],
  ])('%s -> %s', (text, clean) => {
    expect(normaliseMessage(text)).toBe(clean);
    expect(normaliseMessage(clean)).toBe(clean);
  });

  test('a very long text -> cut', () => {
    expect(normaliseMessage('x'.repeat(5000))).toBe(`${'x'.repeat(1000)}…`);
  });
});
