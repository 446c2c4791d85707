// Who may look, when the inspector is not on loopback: a token per start, or Kubernetes' own reviews.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { cookieOf, type RequestTarget } from '../http/request-target.js';

/** A way to decide who may look. */
export interface InspectorAuth {
  readonly kind: 'none' | 'token' | 'kubernetes';
  isAllowed(request: Pick<IncomingMessage, 'headers'>): Promise<boolean>;
  /** Turns `?token=` of a link into a cookie, because a page's event stream cannot send headers. */
  login?(target: RequestTarget): { readonly cookie: string } | null;
}

/** Everybody who reaches the address may look: loopback only. */
export const NO_AUTH: InspectorAuth = { kind: 'none', isAllowed: () => Promise.resolve(true) };

const COOKIE = 'inspector';

/** One token, made at start. Sent as a Bearer token, or once as `?token=`, which becomes a cookie of this page only. */
export function tokenAuth(token: string, { isTls }: { readonly isTls: boolean }): InspectorAuth {
  const isRight = (given: string | undefined): boolean =>
    given !== undefined && timingSafeEqual(digest(given), digest(token));
  return {
    kind: 'token',
    isAllowed: (request) => Promise.resolve(isRight(bearer(request)) || isRight(cookie(request))),
    login({ query }) {
      const given = query.get('token');
      if (given === null || !isRight(given)) return null;
      const secure = isTls ? '; Secure' : '';
      return { cookie: `${COOKIE}=${encodeURIComponent(given)}; HttpOnly; SameSite=Strict; Path=/${secure}` };
    },
  };
}

/**
 * Asks the cluster: may this token GET `/inspector`? Answers are kept for a minute. A review that failed (null) is no answer: nobody
 * is let in, and the next request asks again.
 */
export function kubernetesAuth(
  review: (token: string, path: string, verb: string) => Promise<boolean | null>,
  nowMs: () => number,
): InspectorAuth {
  const answers = new Map<string, { readonly isAllowed: boolean; readonly untilMs: number }>();
  return {
    kind: 'kubernetes',
    async isAllowed(request) {
      const token = bearer(request) ?? cookie(request);
      if (token === undefined) return false;
      const key = digest(token).toString('hex');
      const known = answers.get(key);
      if (known !== undefined && known.untilMs > nowMs()) return known.isAllowed;
      const isAllowed = await review(token, '/inspector/', 'get').catch(() => null);
      if (isAllowed === null) return false;
      if (answers.size > 1000) answers.clear();
      answers.set(key, { isAllowed, untilMs: nowMs() + 60_000 });
      return isAllowed;
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function bearer(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function cookie(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  return cookieOf(request.headers.cookie, COOKIE);
}
