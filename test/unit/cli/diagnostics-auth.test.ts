import { describe, expect, test } from '@jest/globals';
import {
  createAccessReviewer,
  refusalOf,
  type AccessQuestion,
  type Verdict,
} from '../../../src/cli/diagnostics-auth.js';

const signal = new AbortController().signal;
const user = { username: 'system:serviceaccount:monitoring:prometheus', uid: 'u', groups: ['g'], extra: { k: ['v'] } };
const question: AccessQuestion = { authorization: 'Bearer secret-token', path: '/metrics', method: 'GET' };

interface Asked {
  readonly path: string;
  readonly body: { readonly kind: string; readonly spec: Readonly<Record<string, unknown>> };
}

function reviewer(answers: { readonly authenticated?: boolean | Error; readonly allowed?: boolean | Error }) {
  const asked: Asked[] = [];
  let now = 0;
  const say = (answer: boolean | Error | undefined, status: (yes: boolean) => object): Promise<unknown> =>
    answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ status: status(answer ?? true) });
  const made = createAccessReviewer({
    nowMs: () => now,
    post: (path, body) => {
      asked.push({ path, body: body as Asked['body'] });
      return path.endsWith('tokenreviews')
        ? say(answers.authenticated, (authenticated) => ({ authenticated, user }))
        : say(answers.allowed, (allowed) => ({ allowed }));
    },
  });
  return { made, asked, advance: (ms: number) => (now += ms) };
}

describe('diagnostics authentication', () => {
  test('a token that may read the path: ask -> allowed, by both reviews', async () => {
    const { made, asked } = reviewer({});
    const verdict = await made.ask(question, signal);
    expect(verdict).toEqual({ kind: 'allowed', user: user.username });
    expect(refusalOf(verdict)).toBeNull();
    expect(asked).toEqual([
      {
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'secret-token' } },
      },
      {
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: user.username,
            uid: 'u',
            groups: ['g'],
            extra: { k: ['v'] },
            nonResourceAttributes: { path: '/metrics', verb: 'get' },
          },
        },
      },
    ]);
  });

  test.each([undefined, '', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b'])(
    'no bearer token (%s): ask -> 401 without asking the cluster',
    async (authorization) => {
      const { made, asked } = reviewer({});
      expect(refusalOf(await made.ask({ ...question, authorization }, signal))?.status).toBe(401);
      expect(asked).toEqual([]);
    },
  );

  test.each<[string, Parameters<typeof reviewer>[0], number, string]>([
    ['an unknown token', { authenticated: false }, 401, 'Unauthorized'],
    ['a token without the right', { allowed: false }, 403, `Authorization denied for user ${user.username}`],
    ['a failed TokenReview', { authenticated: new Error('down') }, 500, 'Authentication failed'],
    [
      'a failed SubjectAccessReview',
      { allowed: new Error('down') },
      500,
      `Authorization for user ${user.username} failed`,
    ],
  ])('%s: ask -> refused in the words of the Go manager', async (_, answers, status, text) => {
    const { made } = reviewer(answers);
    expect(refusalOf(await made.ask(question, signal))).toEqual({ status, text });
  });

  test('answers: the same question again -> remembered for a minute; another path is asked about', async () => {
    const { made, asked, advance } = reviewer({ allowed: false });
    await made.ask(question, signal);
    await made.ask(question, signal);
    expect(asked).toHaveLength(2);
    await made.ask({ ...question, path: '/debug' }, signal);
    expect(asked).toHaveLength(4);
    advance(60_000);
    await made.ask(question, signal);
    expect(asked).toHaveLength(6);
  });

  test('failures: the same question again -> asked again', async () => {
    const { made, asked } = reviewer({ authenticated: new Error('down') });
    const verdicts: Verdict[] = [await made.ask(question, signal), await made.ask(question, signal)];
    expect(verdicts.map(({ kind }) => kind)).toEqual(['failed', 'failed']);
    expect(asked).toHaveLength(2);
  });
});
