import { describe, expect, test } from '@jest/globals';
import { normaliseMessage } from '../../src/host/normalise.js';
import { failureOfAnswer } from '../../src/kube/failures.js';
import { SCRUBBED_CHARS_MAX, SERVER_CAUSES_MAX, SERVER_TEXT_CHARS_MAX } from '../../src/limits.js';
import { scrubSecrets, scrubStrictly } from '../../src/scrub.js';

const call = {
  verb: 'get',
  write: false,
  target: { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 'a' },
} as const;

describe('texts of strangers', () => {
  test('scrubber: a text above the bound -> cut behind the last whole word', () => {
    const clean = scrubSecrets(`${'word '.repeat(SCRUBBED_CHARS_MAX / 5)}hunter2hunter2`);
    expect(clean.length).toBeLessThanOrEqual(SCRUBBED_CHARS_MAX + 1);
    expect(clean).toMatch(/word …$/);
  });

  test('scrubber: a key block in front of a cut token -> nothing of the token', () => {
    const block = `-----BEGIN RSA PRIVATE KEY-----${'A'.repeat(SCRUBBED_CHARS_MAX - 80)}-----END RSA PRIVATE KEY-----`;
    expect(scrubSecrets(`${block} eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2ln`)).not.toContain('eyJ');
  });

  test.each([
    ['a JSON text inside a JSON text', String.raw`{\"password\":\"hunter2\"}`],
    ['a token behind a dash', 'auth-eyJhbGciOiJSUzI1NiJ9.eyJodW50ZXIyIjoiYSJ9.c2ln hunter1'],
    ['cloud-config', '#cloud-config\nusers: [hunter2]'],
  ])('scrubber: %s -> removed', (_, text) => {
    expect(scrubSecrets(text)).not.toMatch(/hunter2|ODW50|eyJh/);
  });

  test('scrubber: a value that is only called a token -> stays in messages, goes from the page', () => {
    expect(scrubSecrets('token: expired')).toBe('token: expired');
    expect(scrubStrictly('token: expired')).toBe('[removed]');
  });

  test('normalised texts: more than is looked at -> cut with an ellipsis', () => {
    expect(normaliseMessage(`a${' '.repeat(1_000_000)}b`)).toMatch(/^a {999}…$/);
  });

  test('a server’s Status: endless message, reason and causes -> cut', () => {
    const long = 'x'.repeat(100_000);
    const status = {
      kind: 'Status',
      message: long,
      reason: long,
      details: { causes: Array.from({ length: 1_000 }, () => ({ reason: 'r', message: long })) },
    };
    const { failure } = failureOfAnswer(call, { status: 500, text: JSON.stringify(status), retryAfter: undefined });
    expect(failure.message).toHaveLength(SERVER_TEXT_CHARS_MAX + 1);
    expect(failure.reason).toHaveLength(SERVER_TEXT_CHARS_MAX + 1);
    expect(failure.causes).toHaveLength(SERVER_CAUSES_MAX);
    expect(failure.causes?.[0]?.message).toHaveLength(SERVER_TEXT_CHARS_MAX + 1);
  });

  test('a server’s Status: texts and causes that are none -> the answer’s own text, no causes', () => {
    const status = { kind: 'Status', message: { a: 1 }, reason: 5, details: { causes: [null, { message: 7 }] } };
    const { failure } = failureOfAnswer(call, { status: 500, text: JSON.stringify(status), retryAfter: undefined });
    expect(failure).toMatchObject({
      reason: '',
      causes: [
        { reason: '', message: '' },
        { reason: '', message: '' },
      ],
    });
    expect(typeof failure.message).toBe('string');
  });
});
