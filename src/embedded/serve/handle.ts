// One request from beginning to end: who, may they, faults, what is asked, the answer.
import type { Core } from '../core.js';
import { failure, noSuchResource, notImplemented } from '../failure.js';
import { parseBody } from '../objects/decode.js';
import type { WatchHost } from '../read/watch.js';
import { requestInfo } from '../route.js';
import type { ApiRequest, ApiResponse, EmbeddedUser, FaultPlan, RequestInfo } from '../types.js';
import type { Access } from './access.js';
import { failureAnswer, jsonAnswer, textAnswer } from './answer.js';
import { aggregatedType, discovery, reviews, serverVersion } from './discovery.js';
import { underFault } from './faults.js';
import { openApiDocument, openApiIndex } from './openapi.js';
import { answerResource } from './resource-request.js';

/** What handling needs of the server. */
export interface Handling {
  readonly core: Core;
  readonly access: Access;
  readonly watchHost: WatchHost;
  faults(): FaultPlan | undefined;
  readonly onRequest?: (info: RequestInfo, status: number, tookMs: number) => void;
}

/** Handles one request. Rejects only where a fault breaks the connection. */
export async function handleRequest(server: Handling, request: ApiRequest): Promise<ApiResponse> {
  const { core } = server;
  const started = core.clock.nowMs();
  let info = requestInfo(request, '');
  const report = (status: number): void => server.onRequest?.(info, status, core.clock.nowMs() - started);
  try {
    const user = server.access.authenticate(request.headers.authorization);
    info = { ...info, user: user.name };
    const fault = server.faults()?.request?.(info);
    const act = (): ApiResponse => settle(() => answer(server, user, info, request));
    const response = fault === undefined ? act() : await underFault(core, fault, request, act);
    report(response.status);
    return response;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ECONNRESET') {
      report(0);
      throw error;
    }
    const response = failureAnswer(error);
    report(response.status);
    return response;
  }
}

function settle(act: () => ApiResponse): ApiResponse {
  try {
    return act();
  } catch (error) {
    return failureAnswer(error);
  }
}

function answer(server: Handling, user: EmbeddedUser, info: RequestInfo, request: ApiRequest): ApiResponse {
  server.access.authorize(user, info);
  if (!info.isResource) return answerPath(server.core, info, request);
  const review = reviews.find(({ group, plural }) => group === info.group && plural === info.resource);
  if (review !== undefined && info.version === 'v1') {
    if (info.verb !== 'create') throw noSuchResource();
    const body = parseBody(request.body, request.headers['content-type'] ?? '');
    return jsonAnswer(201, JSON.stringify(server.access.review(info.resource, body, user)));
  }
  if (info.resource === 'watch') throw notImplemented('the deprecated /watch/ paths');
  if (!isServed(server.core, info)) return textAnswer(404, '404 page not found\n');
  return answerResource(server.watchHost, info, request);
}

/** An unknown resource of a built-in group is a Status; everything else that nobody serves is a plain 404. */
function isServed(core: Core, info: RequestInfo): boolean {
  const inVersion = core.catalog.all().filter(({ group, version }) => group === info.group && version === info.version);
  if (inVersion.some(({ custom }) => !custom) || reviews.some(({ group }) => group === info.group)) return true;
  return inVersion.some(({ plural }) => plural === info.resource);
}

function answerPath(core: Core, info: RequestInfo, request: ApiRequest): ApiResponse {
  const { path } = info;
  if (/^\/(healthz|livez|readyz)(\/ping)?$/.test(path)) return textAnswer(200, 'ok');
  if (info.verb !== 'get')
    throw failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  if (path === '/version') return jsonAnswer(200, JSON.stringify(serverVersion));
  if (path === '/openapi/v3') return jsonAnswer(200, JSON.stringify(openApiIndex(core.catalog)));
  if (path.startsWith('/openapi/v3/')) {
    const document = openApiDocument(core.catalog, path.slice('/openapi/v3/'.length));
    return document === null ? textAnswer(404, '404 page not found\n') : jsonAnswer(200, JSON.stringify(document));
  }
  if (path === '/openapi/v2') throw notImplemented('OpenAPI v2');
  const accept = request.headers.accept ?? '';
  const found = discovery(core.catalog, path, accept);
  if (found === null) return unknownPath(path);
  const response = jsonAnswer(200, JSON.stringify(found));
  const isAggregated = (found as { kind?: string }).kind === 'APIGroupDiscoveryList';
  return isAggregated ? { ...response, headers: { ...response.headers, 'content-type': aggregatedType } } : response;
}

function unknownPath(path: string): ApiResponse {
  if (/^\/api\/./.test(path)) throw noSuchResource();
  return textAnswer(404, '404 page not found\n');
}
