// The conformance suite on the embedded API server: over HTTP, and in process as the simulation uses it.
import { afterAll, beforeAll, describe } from '@jest/globals';

import { createEmbeddedApiServer } from '../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../src/embedded/crds.js';
import type { EmbeddedApiServer } from '../../src/embedded/types.js';
import { conformance } from './suite/suite.js';
import { headersOf, httpTarget, lines, type Target } from './suite/target.js';

/** A bare server: like kube-apiserver alone, without the controller manager's collectors. */
function bareServer(): EmbeddedApiServer {
  return createEmbeddedApiServer({
    clock: {
      nowMs: () => Date.now(),
      schedule(delayMs, run) {
        const timer = setTimeout(run, delayMs);
        return () => clearTimeout(timer);
      },
    },
    random: { next: Math.random },
    crds: [...coreDefinitions, ...bootstrapDefinitions],
    users: [
      { name: 'admin', token: 'token-admin', groups: ['system:masters'] },
      { name: 'bob', token: 'token-bob', rules: [] },
    ],
    garbageCollector: false,
    namespaceController: false,
  });
}

/** A target that calls the server's handler. */
function inProcess(server: EmbeddedApiServer): Target {
  return {
    async send(sent) {
      const { method, path, body } = sent;
      const response = await server.handle({
        method,
        url: path,
        headers: headersOf(sent),
        ...(body === undefined ? {} : { body }),
      });
      let text = '';
      if (typeof response.body === 'string') text = response.body;
      else for await (const chunk of response.body) text += chunk;
      return { status: response.status, headers: response.headers, text };
    },
    async stream(sent) {
      const abort = new AbortController();
      const response = await server.handle({
        method: sent.method,
        url: sent.path,
        headers: headersOf(sent),
        signal: abort.signal,
      });
      const chunks =
        typeof response.body === 'string' ? oneChunk(response.body) : response.body[Symbol.asyncIterator]();
      return lines(response.status, chunks, () => abort.abort());
    },
  };
}

async function* oneChunk(text: string): AsyncGenerator<string> {
  yield text;
}

describe('embedded API server', () => {
  const overHttp = bareServer();
  const inside = bareServer();
  let url = '';

  beforeAll(async () => {
    ({ url } = await overHttp.listen());
  });
  afterAll(async () => {
    await overHttp.close();
    await inside.close();
  });

  conformance('over HTTP', { target: () => httpTarget(url) });
  conformance('in process', { target: () => inProcess(inside) });
});
