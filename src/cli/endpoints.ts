// The operator's own HTTP endpoints: /healthz and /readyz, and /metrics with or without authentication.
//
// /healthz: the event loop answers, and the webhook server has not lost its port. /readyz: the webhook server, if it is wanted,
// answers over TLS. Caches and watches are metrics, not health: they may need our own conversion webhook.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TlsOptions } from 'node:tls';
import { listen, type ListenerFault, type ListenerOptions } from '../http/listener.js';
import { requestTarget } from '../http/request-target.js';
import { HEALTH_CONNECTIONS_MAX, PROFILE_ANSWER_TIME_MAX_MS } from '../limits.js';
import { listenAddress } from './addresses.js';
import type { DebugPages } from './debug-pages.js';
import { CommandFailure } from './exit.js';

/** A running endpoint. */
export interface Endpoint {
  readonly port: number;
  close(): Promise<void>;
}

/** Told about handlers that threw. */
export type OnFault = (fault: ListenerFault) => void;

async function serve(options: ListenerOptions, flag: string): Promise<Endpoint> {
  try {
    const listener = await listen(options);
    return { port: listener.port, close: () => listener.close() };
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    const what = syscall === undefined ? 'cannot be served' : `cannot listen on port ${options.port}`;
    throw new CommandFailure(`--${flag}: ${what}: ${code ?? message}`);
  }
}

function plain(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** What health is made of. Each answers null when all is well, otherwise what is wrong. */
export interface HealthChecks {
  /** Whether there is a webhook server to speak of. */
  readonly hasWebhook: () => boolean;
  /** The webhook server, where it serves, is still there: a restart would help. */
  readonly live: () => Promise<string | null>;
  /** The webhook server, where it is wanted, serves: requests may come. */
  readonly ready: () => Promise<string | null>;
}

/** Serves /healthz and /readyz; with `?verbose` as controller-runtime writes it. */
export async function serveHealth(address: string, checks: HealthChecks, onFault: OnFault): Promise<Endpoint | null> {
  const at = listenAddress(address, 'health-addr');
  if (at === null) return null;
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path, query } = requestTarget(request.url);
    const [, page, check = ''] = /^\/(healthz|readyz)(?:\/(ping|webhook))?\/?$/.exec(path) ?? [];
    if (page === undefined || (page === 'readyz' && check === 'ping')) {
      plain(response, 404, 'there is /healthz and /readyz\n');
      return;
    }
    const isPing = page === 'healthz' && check !== 'webhook';
    const isNamed = check !== 'ping' && checks.hasWebhook();
    const problem = check === 'ping' ? null : await (page === 'healthz' ? checks.live() : checks.ready());
    if (problem !== null) {
      plain(response, 500, `${isPing ? '[+]ping ok\n' : ''}[-]webhook failed: ${problem}\n`);
      return;
    }
    const passed = `${isPing ? '[+]ping ok\n' : ''}${isNamed ? '[+]webhook ok\n' : ''}healthz check passed\n`;
    plain(response, 200, query.has('verbose') ? passed : 'ok');
  };
  return serve({ name: 'health', ...at, onRequest, onFault, connectionsMax: HEALTH_CONNECTIONS_MAX }, 'health-addr');
}

/** How /metrics is protected. */
export type MetricsAccess =
  | { readonly kind: 'insecure' }
  | {
      readonly kind: 'secure';
      readonly tls: TlsOptions;
      readonly isAllowed: (request: IncomingMessage) => Promise<200 | 401 | 403 | 500>;
    };

/** Serves pages without authentication on an address of their own. */
export async function servePages(
  { address, flag, name }: { readonly address: string; readonly flag: string; readonly name: string },
  pages: DebugPages,
  onFault: OnFault,
): Promise<Endpoint | null> {
  const at = listenAddress(address, flag);
  if (at === null) return null;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void | Promise<void> => {
    const page = pageOf(pages, requestTarget(request.url).path);
    return page === undefined ? plain(response, 404, thereIs(Object.keys(pages))) : page(request, response);
  };
  return serve({ name, ...at, onRequest, onFault, answerTimeMaxMs: PROFILE_ANSWER_TIME_MAX_MS }, flag);
}

function pageOf(pages: DebugPages, path: string): DebugPages[string] | undefined {
  return Object.hasOwn(pages, path) ? pages[path] : undefined;
}

function thereIs(paths: readonly string[]): string {
  return `there is ${paths.join(', ')}\n`;
}

/** Serves /metrics on the diagnostics address, and behind the same reviews /debug: never without them. */
export async function serveMetrics(
  address: string,
  access: MetricsAccess,
  {
    metrics,
    pages = {},
    onFault,
  }: {
    readonly metrics: () => Promise<{ readonly type: string; readonly body: string }>;
    readonly pages?: DebugPages;
    readonly onFault: OnFault;
  },
): Promise<Endpoint | null> {
  const at = listenAddress(address, 'diagnostics-address');
  if (at === null) return null;
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path } = requestTarget(request.url);
    const page = access.kind === 'insecure' ? undefined : pageOf(pages, path);
    if (path !== '/metrics' && page === undefined) {
      plain(response, 404, thereIs(['/metrics', ...(access.kind === 'insecure' ? [] : Object.keys(pages))]));
      return;
    }
    const status = access.kind === 'insecure' ? 200 : await access.isAllowed(request);
    if (status !== 200) {
      plain(
        response,
        status,
        status === 401 ? 'Unauthorized\n' : status === 403 ? 'Forbidden\n' : 'the API server could not be asked\n',
      );
      return;
    }
    if (page !== undefined) return page(request, response);
    const { type, body } = await metrics();
    plain(response, 200, body, type);
  };
  const tls = access.kind === 'insecure' ? undefined : access.tls;
  return serve(
    { name: 'diagnostics', ...at, tls, onRequest, onFault, answerTimeMaxMs: PROFILE_ANSWER_TIME_MAX_MS },
    'diagnostics-address',
  );
}
