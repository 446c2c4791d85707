// Who may read `/metrics`: whoever the cluster says may, as with the Go manager.
//
// The bearer token goes into a TokenReview, the user it belongs to into a SubjectAccessReview on the path and the verb.
// Answers are kept for a short time under a hash of the token; the token itself is never kept, logged or shown.
//
//   D1. Without a definite yes of both reviews nothing is served.
//   D2. A review that fails is not an answer: it is not remembered.

import { createHash } from 'node:crypto';

/** Posts an object to the API server and returns its answer. */
export type PostReview = (path: string, body: object, signal: AbortSignal) => Promise<unknown>;

/** What is known of a user. */
interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What became of a question. */
export type Verdict =
  | { readonly kind: 'allowed'; readonly user: string }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'denied'; readonly user: string }
  | { readonly kind: 'failed'; readonly user?: string; readonly cause: unknown };

/** What is asked. */
export interface AccessQuestion {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  readonly path: string;
  /** HTTP method. */
  readonly method: string;
}

/** Asks the cluster who may do what. */
export interface AccessReviewer {
  ask(question: AccessQuestion, signal: AbortSignal): Promise<Verdict>;
}

const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const ACCESS_REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const ANSWER_AGE_MAX_MS = 60_000;
const ANSWERS_MAX = 1_000;

/** Makes a reviewer. */
export function createAccessReviewer({
  post,
  nowMs,
}: {
  readonly post: PostReview;
  readonly nowMs: () => number;
}): AccessReviewer {
  const answers = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>();
  return {
    async ask({ authorization, path, method }, signal) {
      const token = bearerToken(authorization);
      if (token === null) return { kind: 'unauthenticated' };
      const verb = method.toLowerCase();
      const key = `${createHash('sha256').update(token).digest('hex')} ${verb} ${path}`;
      const known = answers.get(key);
      if (known !== undefined && known.untilMs > nowMs()) return known.verdict;
      const verdict = await review(post, { token, path, verb }, signal);
      if (answers.size >= ANSWERS_MAX) answers.clear();
      if (verdict.kind !== 'failed') answers.set(key, { verdict, untilMs: nowMs() + ANSWER_AGE_MAX_MS });
      return verdict;
    },
  };
}

/** Status and text of a refusal, in the Go manager's words; null when the request is allowed. */
export function refusalOf(verdict: Verdict): { readonly status: number; readonly text: string } | null {
  switch (verdict.kind) {
    case 'allowed':
      return null;
    case 'unauthenticated':
      return { status: 401, text: 'Unauthorized' };
    case 'denied':
      return { status: 403, text: `Authorization denied for user ${verdict.user}` };
    case 'failed':
      return {
        status: 500,
        text: verdict.user === undefined ? 'Authentication failed' : `Authorization for user ${verdict.user} failed`,
      };
  }
}

async function review(
  post: PostReview,
  { token, path, verb }: { readonly token: string; readonly path: string; readonly verb: string },
  signal: AbortSignal,
): Promise<Verdict> {
  let user: ReviewedUser | null;
  try {
    user = await userOf(post, token, signal);
  } catch (cause) {
    return { kind: 'failed', cause };
  }
  if (user === null) return { kind: 'unauthenticated' };
  const name = user.username ?? '';
  try {
    const isAllowed = await mayAccess(post, user, { path, verb }, signal);
    return { kind: isAllowed ? 'allowed' : 'denied', user: name };
  } catch (cause) {
    return { kind: 'failed', user: name, cause };
  }
}

async function userOf(post: PostReview, token: string, signal: AbortSignal): Promise<ReviewedUser | null> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
  const answer = (await post(TOKEN_REVIEWS, body, signal)) as {
    readonly status?: { readonly authenticated?: boolean; readonly user?: ReviewedUser };
  };
  return answer.status?.authenticated === true ? (answer.status.user ?? {}) : null;
}

async function mayAccess(
  post: PostReview,
  { username, uid, groups, extra }: ReviewedUser,
  nonResourceAttributes: { readonly path: string; readonly verb: string },
  signal: AbortSignal,
): Promise<boolean> {
  const spec = { user: username, uid, groups, extra, nonResourceAttributes };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const answer = (await post(ACCESS_REVIEWS, body, signal)) as {
    readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
  };
  return answer.status?.allowed === true && answer.status.denied !== true;
}

function bearerToken(authorization: string | undefined): string | null {
  const match = /^bearer +(\S+)\s*$/i.exec(authorization ?? '');
  return match?.[1] ?? null;
}
