// Who may read the inspector: checks of every request and upgrade, before anything else looks at it.
//
//   G1. Read-only: GET and HEAD.
//   G2. Host must be loopback or listed (421 otherwise): stops DNS rebinding.
//   G3. Origin, if present, must be the Host or listed (403 otherwise): stops other pages.
//   G4. Fetch metadata must say same-origin or none; a top-level navigation to the page is allowed.
//   G5. With authentication on, a request without it gets 401.

/** What a guard needs to see of a request. */
export interface GuardedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly upgrade: boolean;
}

/** Settings of the guards. */
export interface GuardOptions {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Whether TLS or plain: decides the origin's scheme. */
  readonly scheme: 'http' | 'https';
}

/** Null lets the request pass; otherwise the answer's status and one line. */
export type Refusal = { readonly status: 401 | 403 | 404 | 405 | 421; readonly message: string } | null;

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Checks method, Host, Origin and fetch metadata. */
export function guard(request: GuardedRequest, options: GuardOptions): Refusal {
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, message: 'read-only: GET and HEAD' };
  const host = request.headers['host'] ?? '';
  if (!LOOPBACK.test(host) && !options.allowedHosts.some((allowed) => isSameHost(host, allowed))) {
    return { status: 421, message: 'this Host is not served: add it with --inspector-allowed-hosts' };
  }
  const origin = request.headers['origin'];
  if (origin !== undefined && origin !== `${options.scheme}://${host}` && !options.allowedOrigins.includes(origin)) {
    return { status: 403, message: 'this Origin may not read the inspector: add it with --inspector-allowed-origins' };
  }
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return null;
  const isNavigation = request.headers['sec-fetch-mode'] === 'navigate' && request.path === '/' && !request.upgrade;
  const isAllowedOrigin = origin !== undefined && options.allowedOrigins.includes(origin);
  return isNavigation || isAllowedOrigin ? null : { status: 403, message: 'requests of other sites are not answered' };
}

function isSameHost(host: string, allowed: string): boolean {
  return (
    host.toLowerCase() === allowed.toLowerCase() || host.toLowerCase().replace(/:\d+$/, '') === allowed.toLowerCase()
  );
}

/** True for an address that only this machine reaches. */
export function isLoopbackAddress(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}

/** Splits `host:port`, `:port` and `[::1]:port`; null when it is none of them. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } | null {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:]*):(\d{1,5})$/.exec(address);
  if (match === null || Number(match[2]) > 65_535) return null;
  return { host: (match[1] ?? '').replace(/^\[|\]$/g, ''), port: Number(match[2]) };
}

/** Headers of every answer. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
};
