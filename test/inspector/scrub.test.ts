import { describe, expect, test } from '@jest/globals';
import { scrub, scrubDeep } from '../../src/inspector/scrub.js';

const canaries: readonly (readonly [string, string])[] = [
  ['bootstrap token', 'abcdef.0123456789abcdef'],
  ['JWT', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl'],
  ['bearer', 'Bearer canary-canary-canary'],
  ['password pair', 'password=canary-canary'],
  ['JSON pair', '"token": "canary-canary"'],
  ['key block', '-----BEGIN RSA PRIVATE KEY-----\nY2FuYXJ5\n-----END RSA PRIVATE KEY-----'],
  ['cut key block', '-----BEGIN EC PRIVATE KEY-----\nY2FuYXJ5'],
  ['cloud-config', '#cloud-config\nwrite_files: [canary]'],
  ['URL user', 'https://admin:canary@10.0.0.1/'],
  ['certificate key', 'f'.repeat(64)],
  ['long base64', 'Y2FuYXJ5'.repeat(20)],
];

describe('scrubber', () => {
  test.each(canaries)('%s: in an error text -> removed', (_, secret) => {
    const clean = scrub(`request failed: ${secret} was refused`);
    for (const part of ['canary', 'Y2FuYXJ5', '0123456789abcdef', 'ffffffff', 'eyJzdWIi'])
      expect(clean).not.toContain(part);
  });

  test('a CA hash: public -> kept', () => {
    const hash = `sha256:${'a'.repeat(64)}`;
    expect(scrub(`pinned ${hash}`)).toContain(hash);
  });

  test('names and classes: secret-like names and instances -> removed', () => {
    class Client {
      readonly kubeconfig = 'canary';
    }
    const clean = JSON.stringify(
      scrubDeep({ token: 'canary', data: 'canary', nested: [{ client: new Client() }], kept: 'plain' }),
    );
    expect(clean).not.toContain('canary');
    expect(clean).toContain('plain');
    expect(clean).toContain('[Client]');
  });

  test('length: a very long text -> at most 500 characters and an ellipsis', () => {
    expect(scrub('x y '.repeat(50_000)).length).toBe(501);
  });
});
