// The HTTPS server of the webhooks.
//
// It answers on every replica, leader or not. A new certificate is used for new connections while open ones live on, so that
// no request is lost. What it answers is decided in admission.ts and conversion-review.ts; here are bytes, limits and counts.
//
//   W1. Every request gets an answer, also one that cannot be read; a bug in a handler is a 500 and a count.
//   W2. A port without a usable certificate is an error that names the folder, or (`waitForCertificate`) opens when there is one.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as othersRan } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { ValidationGates } from '../api/kubeadmconfig/validation.js';
import { jsonText } from '../json-text.js';
import { listen, type Listener, type ListenerFault } from '../http/listener.js';
import { requestTarget } from '../http/request-target.js';
import {
  ADMISSION_BYTES_MAX,
  ADMISSION_VALUES_MAX,
  CONVERSION_AT_ONCE_VALUES_MAX,
  CONVERSION_BYTES_MAX,
  CONVERSION_OBJECT_VALUES_MAX,
  JSON_VALUES_MAX,
  WEBHOOK_BYTES_IN_FLIGHT_MAX,
  WEBHOOK_CONNECTIONS_MAX,
} from '../limits.js';
import type { Logger } from '../log.js';
import { answerAdmission, codeOf, refuseAdmission } from './admission.js';
import {
  BUSY,
  bytesInFlight,
  createTurns,
  withBody,
  type Body,
  type BodyBounds,
  type BytesInFlight,
  type InTurn,
} from './body.js';
import { readCertificate, watchCertificate, type CertificateFiles, type KeyPair, type Timers } from './certificates.js';
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
  readonly onFault: (fault: ListenerFault) => void;
  /** Without a usable certificate: wait for one (true), or fail. */
  readonly waitForCertificate?: boolean;
  /** Bytes of bodies and of answers in memory at once; WEBHOOK_BYTES_IN_FLIGHT_MAX when absent. */
  readonly bytesInFlightMax?: number;
}

/** A running server. */
export interface WebhookServer {
  /** 0 while the server waits for a certificate. */
  readonly port: number;
  /** What keeps the port from being opened: the problem of the certificate; null once it is open. */
  waitsFor(): string | null;
  /** Whether the port is open. */
  isListening(): boolean;
  /** Ends when a TLS connection to the server works; for readiness. */
  check(): Promise<void>;
  /** Takes no new connections, answers what it has, and ends. */
  stop(): Promise<void>;
}

/** Longer than an API server keeps an idle connection (90 s): it is never ours that closes under a request. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Starts the server. Rejects, naming the folder, when there is no usable certificate and none is waited for, and when the port is
 * taken.
 */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { certificate, logger, observer, timers, tls = {} } = options;
  const read = await readCertificate(certificate, tls);
  observer?.onCertificateRead?.('pair' in read);
  let problem = 'problem' in read ? read.problem : null;
  if (problem !== null && options.waitForCertificate !== true) {
    throw new Error(
      `webhook server on port ${options.port}: no usable certificate in ${certificate.folder}: ${problem}`,
    );
  }
  let listener = 'pair' in read ? await open(options, read.pair) : null;
  if (listener === null) logger.error('Webhook server waits for its certificate', { err: problem });
  const stopWatching = watchCertificate({
    files: certificate,
    tls,
    initial: 'pair' in read ? read.pair : null,
    timers,
    logger,
    async onChange(pair) {
      if (listener !== null) return listener.useCertificate(pair);
      listener = await open(options, pair).catch((error: unknown) => {
        problem = error instanceof Error ? error.message : String(error);
        throw error;
      });
      problem = null;
    },
    onRead: (isUsable) => observer?.onCertificateRead?.(isUsable),
  });
  return {
    get port() {
      return listener?.port ?? 0;
    },
    waitsFor: () => problem,
    isListening: () => listener?.isListening() === true,
    check: () =>
      listener === null
        ? Promise.reject(new Error(`webhook server waits for its certificate: ${problem}`))
        : dial(listener.port, options.host),
    async stop() {
      await stopWatching();
      await listener?.close('drain');
    },
  };
}

async function open(options: WebhookServerOptions, pair: KeyPair): Promise<Listener> {
  const { logger } = options;
  const shared = {
    budget: bytesInFlight(options.bytesInFlightMax ?? WEBHOOK_BYTES_IN_FLIGHT_MAX),
    inTurn: createTurns(),
  };
  const listener = await listen({
    name: 'webhook',
    port: options.port,
    host: options.host,
    tls: { ...options.tls, ...pair },
    onRequest: (request, response) => serve(options, shared, request, response),
    onFault: options.onFault,
    onHandshakeFailure: (error) => logger.verbose(4, 'TLS handshake with a webhook client failed', { err: error }),
    keepAliveMs: KEEP_ALIVE_MS,
    connectionsMax: WEBHOOK_CONNECTIONS_MAX,
    monotonicMs: options.monotonicMs,
  });
  logger.info('Serving webhook server', { port: listener.port });
  return listener;
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
  readonly text: string;
  readonly type: string;
  /** What the metrics count: the code inside a review. */
  readonly code: number;
}

/** What all requests share. */
interface Shared {
  readonly budget: BytesInFlight;
  readonly inTurn: InTurn;
}

const PLAIN = 'text/plain; charset=utf-8';

async function serve(
  options: WebhookServerOptions,
  shared: Shared,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { path } = requestTarget(request.url);
  const endpoint = ADMISSION_ENDPOINTS.find((one) => one.path === path);
  if (endpoint === undefined && path !== CONVERSION_PATH) {
    request.resume();
    return write(response, { status: 404, code: 404, text: '404 page not found\n', type: PLAIN });
  }
  const { monotonicMs, observer, logger } = options;
  const startedMs = monotonicMs();
  observer?.onStart?.(path);
  const whole = await answerTo(endpoint, request, { ...options, ...shared }).catch((error: unknown): Answer => {
    observer?.onPanic?.(path);
    logger.error('Webhook handler failed', { path, err: error });
    return { status: 500, code: 500, text: 'internal error\n', type: PLAIN };
  });
  const answer = keptUntilTaken(whole, shared.budget, response);
  observer?.onAnswer?.(path, answer.code, (monotonicMs() - startedMs) / 1000);
  write(response, answer);
}

const CONVERSION_BOUNDS: BodyBounds = {
  bytesMax: CONVERSION_BYTES_MAX,
  valuesMax: JSON_VALUES_MAX,
  // Inside the review, its request and the list of objects.
  objects: { level: 4, valuesMax: CONVERSION_OBJECT_VALUES_MAX },
  atOnceValuesMax: CONVERSION_AT_ONCE_VALUES_MAX,
};

const ADMISSION_BOUNDS: BodyBounds = {
  bytesMax: ADMISSION_BYTES_MAX,
  valuesMax: ADMISSION_VALUES_MAX,
  atOnceValuesMax: ADMISSION_VALUES_MAX,
};

async function answerTo(
  endpoint: AdmissionEndpoint | undefined,
  request: IncomingMessage,
  { gates, logger, budget, inTurn }: WebhookServerOptions & Shared,
): Promise<Answer> {
  const bounds = endpoint === undefined ? CONVERSION_BOUNDS : ADMISSION_BOUNDS;
  return withBody<Answer>(request, { bounds, budget, inTurn }, (body) =>
    endpoint === undefined ? conversion(body, logger) : admission(endpoint, body, gates),
  );
}

function admission(endpoint: AdmissionEndpoint, body: Body, gates: ValidationGates): Answer {
  const review =
    'problem' in body ? refuseAdmission(body.problem, body.code) : answerAdmission(endpoint, body.json, gates);
  return { status: 200, code: codeOf(review), text: jsonText(review), type: 'application/json' };
}

async function conversion(body: Body, logger: Logger): Promise<Answer> {
  if ('problem' in body) return { status: body.code, code: body.code, text: `${body.problem}\n`, type: PLAIN };
  const answer = await answerConversion(body.json, othersRan);
  if ('unreadable' in answer) return { status: 400, code: 400, text: `${answer.unreadable}\n`, type: PLAIN };
  if (answer.failure !== undefined) logger.error('Failed to convert', { err: answer.failure });
  return { status: 200, code: 200, text: jsonText(answer.review), type: 'application/json' };
}

/** Counts an answer until it is taken; where there is no room for it, the answer that says so. */
function keptUntilTaken(answer: Answer, budget: BytesInFlight, response: ServerResponse): Answer {
  const bytes = Buffer.byteLength(answer.text);
  if (!budget.take(bytes)) return { status: BUSY.code, code: BUSY.code, text: `${BUSY.problem}\n`, type: PLAIN };
  if (response.closed) budget.giveBack(bytes);
  else response.once('close', () => budget.giveBack(bytes));
  return answer;
}

function write(response: ServerResponse, { status, text, type }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
