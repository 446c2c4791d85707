// The operator's own HTTP endpoints: /healthz and /readyz, and /metrics with or without authentication.
//
// /healthz: the event loop answers. /readyz: the webhook server, if it runs, answers over TLS (upstream's one check, `webhook`).
// Caches and watches are metrics, not readiness: they may need our own conversion webhook.

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { listenAddress, type ListenAddress } from './addresses.js';
import { CommandFailure } from './exit.js';

/** A running endpoint. */
export interface Endpoint {
  readonly port: number;
  close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(server: Server, address: ListenAddress, flag: string): Promise<Endpoint> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CommandFailure(`--${flag}: cannot listen on port ${address.port}: ${error.code ?? error.message}`)),
    );
    server.listen({ port: address.port, ...(address.host === undefined ? {} : { host: address.host }) }, resolve);
  });
  server.on('error', () => undefined);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function plain(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** Serves /healthz and /readyz; with `?verbose` as controller-runtime writes it. `webhookCheck` answers null when all is well, otherwise what is wrong. */
export async function serveHealth(
  address: string,
  webhookCheck: () => Promise<string | null>,
): Promise<Endpoint | null> {
  const at = listenAddress(address, 'health-addr');
  if (at === null) return null;
  const handler: Handler = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://health');
    const path = pathname.replace(/\/$/, '');
    const passed = (check: string): string =>
      searchParams.has('verbose') ? `[+]${check} ok\nhealthz check passed\n` : 'ok';
    if (path === '/healthz') {
      plain(response, 200, passed('ping'));
      return;
    }
    if (path !== '/readyz' && path !== '/readyz/webhook' && path !== '/healthz/webhook') {
      plain(response, 404, 'there is /healthz and /readyz\n');
      return;
    }
    void webhookCheck().then(
      (problem) =>
        problem === null
          ? plain(response, 200, passed('webhook'))
          : plain(response, 500, `[-]webhook failed: ${problem}\n`),
      () => plain(response, 500, '[-]webhook failed\n'),
    );
  };
  return serve(createHttpServer(handler), at, 'health-addr');
}

/** How /metrics is protected. */
export type MetricsAccess =
  | { readonly kind: 'insecure' }
  | {
      readonly kind: 'secure';
      readonly tls: ServerOptions;
      readonly isAllowed: (request: IncomingMessage) => Promise<200 | 401 | 403 | 500>;
    };

/** Serves /metrics on the diagnostics address. */
export async function serveMetrics(
  address: string,
  access: MetricsAccess,
  metrics: () => Promise<{ readonly type: string; readonly body: string }>,
): Promise<Endpoint | null> {
  const at = listenAddress(address, 'diagnostics-address');
  if (at === null) return null;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://metrics').pathname;
    if (path !== '/metrics') {
      plain(response, 404, 'there is /metrics\n');
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
    const { type, body } = await metrics();
    plain(response, 200, body, type);
  };
  const handler: Handler = (request, response) => {
    void answer(request, response).catch(() =>
      response.headersSent ? response.destroy() : plain(response, 500, 'metrics failed\n'),
    );
  };
  const server = access.kind === 'insecure' ? createHttpServer(handler) : createHttpsServer(access.tls, handler);
  return serve(server, at, 'diagnostics-address');
}
