// ApiClient on any transport: paths, queries, media types and JSON.
//
//   C1. Unknown fields of objects are kept, both ways.
//   C2. Objects of lists and watches always carry apiVersion and kind, which servers leave out of lists of built-in kinds.
//   C3. Every failure is an ApiError (exchange.ts, X4).

import { readLines } from './body.js';
import type {
  ApiClient,
  DeleteOptions,
  KubeObject,
  ListOptions,
  ListResult,
  RequestOptions,
  Resource,
  Target,
  WatchEvent,
  WriteOptions,
} from './contract.js';
import { ApiError } from './contract.js';
import {
  createExchange,
  managementAnswers,
  type Answer,
  type AnswerLimits,
  type Call,
  type Exchange,
  type ExchangeOptions,
} from './exchange.js';
import { callText, failureOfContent, failureOfSilence, type CallName } from './failures.js';
import { jsonExtent } from '../json-text.js';
import { BodyError, TOO_LARGE } from './kept-bytes.js';
import { apiVersionOf, collectionPath, isReviewPath, objectPath, query, selection } from './resource-paths.js';

/** What a client needs. */
export interface ApiClientOptions extends ExchangeOptions {
  /** Name under which our writes appear in managedFields. */
  readonly fieldManager: string;
}

/** What src/kube itself needs beside the contract. */
export interface FullApiClient extends ApiClient {
  /** Host and port of the server, for messages. */
  readonly host: string;
  /** GET of any path: discovery, `/version`. */
  getPath<T>(path: string, options?: RequestOptions): Promise<T>;
  /** GET of any path whose answer says success, whatever its body: some servers answer `/` with nothing or a page. */
  ping(path: string, options?: RequestOptions): Promise<void>;
  close(): Promise<void>;
}

/** A client for one API server and one identity. */
export function createApiClient(options: ApiClientOptions): FullApiClient {
  const exchange = createExchange(options);
  const answers = options.answers ?? managementAnswers;
  const writes = writeCalls(exchange, options.fieldManager, limitsOf(answers, 'object'));
  return Object.freeze({
    host: options.transport.host,
    ...readCalls(exchange, answers),
    ...writes,
    close: () => options.transport.close(),
  });
}

const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

function readCalls(
  exchange: Exchange,
  answers: AnswerLimits,
): Pick<FullApiClient, 'get' | 'list' | 'getPath' | 'ping' | 'watch'> {
  const getAnswer = (
    path: string,
    options: RequestOptions,
  ): { readonly name: CallName; readonly answer: Promise<Answer> } => {
    const name: CallName = { verb: 'get', target: { kind: path, namespace: '', name: '' }, write: false };
    return { name, answer: exchange.call({ name, method: 'GET', url: path, options }) };
  };
  return {
    async get<T extends KubeObject>(target: Target, options: RequestOptions = {}): Promise<T> {
      const accept = options.metadataOnly === true ? { accept: PARTIAL } : {};
      const name = nameOf('get', target, false);
      const answer = await exchange.call({ name, method: 'GET', url: objectPath(target), options, ...accept });
      const value = parse<T>(name, answer, limitsOf(answers, 'object'));
      if (!isObject(value.metadata)) throw failureOfContent(name, 'is not an object of the API', answer);
      return complete(target.resource, value);
    },

    async list<T extends KubeObject>(resource: Resource, options: ListOptions = {}): Promise<ListResult<T>> {
      const name = nameOf('list', { resource, namespace: options.namespace ?? '', name: '' }, false);
      const paging = { limit: options.limit, continue: options.continueToken };
      const url = collectionPath(resource, options.namespace ?? '') + query({ ...selection(options), ...paging });
      const accept = options.metadataOnly === true ? { accept: PARTIAL_LIST } : {};
      const answer = await exchange.call({ name, method: 'GET', url, options, isList: true, ...accept });
      const value = parse<RawList<T>>(name, answer, limitsOf(answers, 'list'));
      // Taken for an empty list, another answer would mean that everything is gone.
      if (!Array.isArray(value.items ?? []) || (value.items === undefined && value.metadata === undefined))
        throw failureOfContent(name, 'is not a list', answer);
      const token = value.metadata?.continue ?? '';
      return {
        resourceVersion: value.metadata?.resourceVersion ?? '',
        continueToken: token === '' ? null : token,
        items: (value.items ?? []).map((item) => complete(resource, item)),
      };
    },

    async getPath<T>(path: string, options: RequestOptions = {}): Promise<T> {
      const { name, answer } = getAnswer(path, options);
      return parse<T>(name, await answer, limitsOf(answers, 'object'));
    },

    async ping(path: string, options: RequestOptions = {}): Promise<void> {
      await getAnswer(path, options).answer;
    },

    watch: (resource, options) => watchEvents(exchange, resource, { ...options, answers }),
  };
}

interface RawList<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

type WatchOptions = Parameters<ApiClient['watch']>[1] & { readonly answers: AnswerLimits };

async function* watchEvents<T extends KubeObject>(
  exchange: Exchange,
  resource: Resource,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void> {
  const name = nameOf('watch', { resource, namespace: options.namespace ?? '', name: '' }, false);
  const url =
    collectionPath(resource, options.namespace ?? '') +
    query({ watch: true, allowWatchBookmarks: true, ...selection(options), timeoutSeconds: options.timeoutSeconds });
  const accept = options.metadataOnly === true ? { accept: PARTIAL } : {};
  const body = await exchange.open({ name, method: 'GET', url, options, ...accept });
  options.onOpened?.();
  try {
    for await (const line of readLines(body, { ...options.answers, onBytes: options.onBytes }))
      yield watchEvent(name, resource, parseEvent<T>(name, line, limitsOf(options.answers, 'object')));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const aborted = options.signal?.aborted === true;
    const code = (error as { code?: unknown }).code;
    const reason = typeof code === 'string' ? code : 'BrokenStream';
    const isOurs = error instanceof BodyError || (reason === 'BadAnswer' && error instanceof Error);
    const message = isOurs ? `the watch of ${name.target.kind} broke: ${error.message}` : 'the watch broke';
    throw failureOfSilence(name, { sent: true, aborted, reason, message });
  }
}

interface RawEvent<T> {
  readonly type: string;
  readonly object: T & { readonly code?: number; readonly reason?: string; readonly message?: string };
}

function parseEvent<T extends KubeObject>(name: CallName, line: string, limits: JsonLimits | null): RawEvent<T> {
  checkExtent(name, line, limits);
  const event = readJson(line);
  if (!isObject(event)) throw failureOfContent(name, 'has a line that is not a JSON object');
  return event as RawEvent<T>;
}

function watchEvent<T extends KubeObject>(
  name: CallName,
  resource: Resource,
  { type, object }: RawEvent<T>,
): WatchEvent<T> {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: complete(resource, object) };
    case 'BOOKMARK':
      return { type, resourceVersion: object.metadata.resourceVersion ?? '' };
    case 'ERROR':
      return { type, status: object.code ?? 500, reason: object.reason ?? '', message: object.message ?? '' };
    default:
      throw failureOfContent(name, 'has an event of an unknown type');
  }
}

function writeCalls(
  exchange: Exchange,
  fieldManager: string,
  limits: JsonLimits | null,
): Pick<ApiClient, 'create' | 'update' | 'mergePatch' | 'apply' | 'delete' | 'post'> {
  const send = async <T extends KubeObject>(
    call: Omit<Call, 'options'>,
    resource: Resource,
    options: WriteOptions,
  ): Promise<T> => complete(resource, parse<T>(call.name, await exchange.call({ ...call, options }), limits));
  const flags = (options: WriteOptions): { fieldManager: string; dryRun?: string } => ({
    fieldManager,
    ...(options.dryRun === true ? { dryRun: 'All' } : {}),
  });

  return {
    create<T extends KubeObject>(resource: Resource, object: object, options: WriteOptions = {}): Promise<T> {
      const { namespace = '', name = '' } = (object as Partial<KubeObject>).metadata ?? {};
      const url = collectionPath(resource, namespace) + query(flags(options));
      const call = nameOf('create', { resource, namespace, name }, true);
      return send<T>({ name: call, method: 'POST', url, body: object }, resource, options);
    },

    update<T extends KubeObject>(target: Target, object: object, options: WriteOptions = {}): Promise<T> {
      const url = objectPath(target, options.subresource) + query(flags(options));
      return send<T>(
        { name: nameOf('update', target, true), method: 'PUT', url, body: object },
        target.resource,
        options,
      );
    },

    mergePatch<T extends KubeObject>(target: Target, body: object, options: WriteOptions = {}): Promise<T> {
      const url = objectPath(target, options.subresource) + query(flags(options));
      const contentType = 'application/merge-patch+json';
      const name = nameOf('patch', target, true);
      return send<T>({ name, method: 'PATCH', url, body, contentType }, target.resource, options);
    },

    apply(target, object, options) {
      const url =
        objectPath(target, options.subresource) +
        query({ ...flags(options), fieldManager: options.fieldManager, force: options.force });
      const contentType = 'application/apply-patch+yaml';
      return send(
        { name: nameOf('apply', target, true), method: 'PATCH', url, body: object, contentType },
        target.resource,
        options,
      );
    },

    async delete(target: Target, options: DeleteOptions = {}): Promise<void> {
      const { dryRun } = flags(options);
      const url = objectPath(target, options.subresource) + query({ dryRun });
      await exchange.call({
        name: nameOf('delete', target, true),
        method: 'DELETE',
        url,
        body: deleteBody(options),
        options,
      });
    },

    async post<T>(path: string, body: object, options: RequestOptions = {}): Promise<T> {
      const { kind = path, metadata } = body as Partial<KubeObject>;
      const target = { kind, namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
      const name: CallName = { verb: 'post', target, write: !isReviewPath(path) };
      return parse<T>(
        name,
        await exchange.call({ name, method: 'POST', url: path, body, options, mayRepeat: false }),
        limits,
      );
    },
  };
}

function deleteBody(options: DeleteOptions): object {
  const { preconditions, propagationPolicy, gracePeriodSeconds } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
}

function nameOf(verb: string, { resource, namespace, name }: Target, write: boolean): CallName {
  return { verb, target: { kind: resource.kind, namespace, name }, write };
}

/** The JSON object of a successful answer. */
function parse<T>(name: CallName, answer: Answer, limits: JsonLimits | null): T {
  checkExtent(name, answer.text, limits);
  const value = readJson(answer.text);
  if (value === undefined) throw failureOfContent(name, answer.text === '' ? 'is empty' : 'is not JSON', answer);
  if (!isObject(value)) throw failureOfContent(name, 'is not a JSON object', answer);
  return value as T;
}

/** How much JSON may be read at once. */
interface JsonLimits {
  readonly valuesMax: number;
  readonly depthMax: number;
}

function limitsOf({ extent }: AnswerLimits, what: 'object' | 'list'): JsonLimits | null {
  if (extent === null) return null;
  const { objectValuesMax, listValuesMax, depthMax } = extent;
  return { valuesMax: what === 'list' ? listValuesMax : objectValuesMax, depthMax };
}

/** Throws for what would take long to read, before it is read. */
function checkExtent(name: CallName, text: string, limits: JsonLimits | null): void {
  if (limits === null) return;
  const { values, depth } = jsonExtent(text);
  const { valuesMax, depthMax } = limits;
  if (values > valuesMax) throw tooMuch(name, `has more than ${valuesMax} values`);
  if (depth > depthMax) throw tooMuch(name, `is nested deeper than ${depthMax} levels`);
}

function tooMuch(name: CallName, what: string): ApiError {
  const message = `the answer of the API server to ${callText(name)} ${what}`;
  return failureOfSilence(name, { sent: true, aborted: false, reason: TOO_LARGE, message });
}

/** Undefined for what is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function complete<T extends KubeObject>(resource: Resource, object: T): T {
  const named = object as { apiVersion?: string; kind?: string };
  if (named.kind === undefined || named.kind === 'PartialObjectMetadata') {
    named.apiVersion = apiVersionOf(resource);
    named.kind = resource.kind;
  }
  return object;
}
