// The HTTPS server of the webhooks.
//
// It answers on every replica, leader or not. A new certificate is used for new connections while open ones live on, so that
// no request is lost. What it answers is decided in admission.ts and conversion-review.ts; here are bytes, limits and counts.
//
//   W1. Every request gets an answer, also one that cannot be read; a bug in a handler is a 500 and a count.
//   W2. A port without a usable certificate is an error that names the folder.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:tls';
import type { ValidationGates } from '../api/kubeadmconfig/validation.js';
import { ADMISSION_BYTES_MAX, CONVERSION_BYTES_MAX } from '../limits.js';
import type { Logger } from '../log.js';
import { answerAdmission, codeOf, refuseAdmission } from './admission.js';
import { readCertificate, watchCertificate, type CertificateFiles, type Timers } from './certificates.js';
import { answerConversion } from './conversion-review.js';
import { ADMISSION_ENDPOINTS, CONVERSION_PATH, type AdmissionEndpoint } from './endpoints.js';
import type { TlsSettings } from './tls-options.js';

/** What is told about requests: the metrics of controller-runtime. */
export interface WebhookObserver {
  onStart?(path: string): void;
  onAnswer?(path: string, code: number, seconds: number): void;
  onPanic?(path: string): void;
  onCertificateRead?(isUsable: boolean): void;
}

/** How the server is started. Port 0 takes any free port. */
export interface WebhookServerOptions {
  readonly port: number;
  readonly host?: string;
  readonly certificate: CertificateFiles;
  readonly tls?: TlsSettings;
  readonly gates: ValidationGates;
  readonly timers: Timers;
  readonly monotonicMs: () => number;
  readonly logger: Logger;
  readonly observer?: WebhookObserver;
}

/** A running server. */
export interface WebhookServer {
  readonly port: number;
  /** Ends when a TLS connection to the server works; for readiness. */
  check(): Promise<void>;
  /** Takes no new connections, answers what it has, and ends. */
  stop(): Promise<void>;
}

/** Longer than an API server keeps an idle connection (90 s): it is never ours that closes under a request. */
const KEEP_ALIVE_MS = 120_000;

/** Starts the server. Rejects, naming the folder, when there is no usable certificate, and when the port is taken. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { certificate, logger, observer, timers } = options;
  const read = await readCertificate(certificate);
  observer?.onCertificateRead?.('pair' in read);
  if ('problem' in read) {
    throw new Error(
      `webhook server on port ${options.port}: no usable certificate in ${certificate.folder}: ${read.problem}`,
    );
  }
  const running = new Set<ServerResponse>();
  const server = createServer({ ...options.tls, ...read.pair, requestTimeout: 60_000 }, (request, response) => {
    running.add(response);
    response.once('close', () => running.delete(response));
    void serve(options, request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', (error) =>
    logger.verbose(4, 'TLS handshake with a webhook client failed', { err: error }),
  );
  const port = await listen(server, options);
  server.on('error', (error) => logger.error('Webhook server failed', { err: error }));
  const stopWatching = watchCertificate({
    files: certificate,
    initial: read.pair,
    timers,
    logger,
    onChange: (pair) => server.setSecureContext({ ...options.tls, ...pair }),
    ...(observer?.onCertificateRead === undefined ? {} : { onRead: observer.onCertificateRead.bind(observer) }),
  });
  logger.info('Serving webhook server', { port });
  return {
    port,
    check: () => dial(port, options.host),
    stop: () => {
      stopWatching();
      return close(server, running, sockets);
    },
  };
}

async function listen(server: Server, { port, host }: WebhookServerOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

// A connection on which no request has come, or whose handshake is not over, would keep the server open: after the last
// answer all are closed.
async function close(
  server: Server,
  running: ReadonlySet<ServerResponse>,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.all([...running].map((response) => new Promise((resolve) => response.once('close', resolve))));
  for (const socket of sockets) socket.destroy();
  await closed;
}

function dial(port: number, host = 'localhost'): Promise<void> {
  return new Promise((resolve, reject) => {
    // Only the handshake is of interest: the certificate is made for the Service's name, not for this address.
    const socket = connect({ port, host, rejectUnauthorized: false, timeout: 10_000 }, () => {
      socket.destroy();
      resolve();
    });
    const failed = (reason: string) => {
      socket.destroy();
      reject(new Error(`webhook server is not reachable: ${reason}`));
    };
    socket.on('error', (error) => failed(error.message));
    socket.on('timeout', () => failed('timed out'));
  });
}

/** An answer before it is written. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly code: number;
}

async function serve(options: WebhookServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const endpoint = ADMISSION_ENDPOINTS.find((one) => one.path === path);
  if (endpoint === undefined && path !== CONVERSION_PATH) {
    request.resume();
    return write(response, { status: 404, code: 404, body: '404 page not found\n' });
  }
  const { monotonicMs, observer, logger } = options;
  const startedMs = monotonicMs();
  observer?.onStart?.(path);
  const answer = await answerTo(endpoint, request, options).catch((error: unknown): Answer => {
    observer?.onPanic?.(path);
    logger.error('Webhook handler failed', { path, err: error });
    return { status: 500, code: 500, body: 'internal error\n' };
  });
  write(response, answer);
  observer?.onAnswer?.(path, answer.code, (monotonicMs() - startedMs) / 1000);
}

async function answerTo(
  endpoint: AdmissionEndpoint | undefined,
  request: IncomingMessage,
  { gates, logger }: WebhookServerOptions,
): Promise<Answer> {
  const body = await readBody(request, endpoint === undefined ? CONVERSION_BYTES_MAX : ADMISSION_BYTES_MAX);
  if (endpoint !== undefined) {
    const review =
      'problem' in body ? refuseAdmission(body.problem, body.code) : answerAdmission(endpoint, body.json, gates);
    return { status: 200, code: codeOf(review), body: review };
  }
  if ('problem' in body) return { status: body.code, code: body.code, body: `${body.problem}\n` };
  const answer = answerConversion(body.json);
  if ('unreadable' in answer) return { status: 400, code: 400, body: `${answer.unreadable}\n` };
  if (answer.failure !== undefined) logger.error('Failed to convert', { err: answer.failure });
  return { status: 200, code: 200, body: answer.review };
}

type Body = { readonly json: unknown } | { readonly problem: string; readonly code: number };

async function readBody(request: IncomingMessage, bytesMax: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
    }
  } catch {
    return { problem: 'the request ended before its body was complete', code: 400 };
  }
  if (bytes > bytesMax) return { problem: `request entity is too large; limit is ${bytesMax} bytes`, code: 413 };
  if (bytes === 0) return { problem: 'request body is empty', code: 400 };
  const type = request.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim() !== 'application/json') {
    return { problem: `contentType=${type}, expected application/json`, code: 400 };
  }
  try {
    return { json: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch (error) {
    return {
      problem: `couldn't read the body as JSON: ${error instanceof Error ? error.message : String(error)}`,
      code: 400,
    };
  }
}

function write(response: ServerResponse, { status, body }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
