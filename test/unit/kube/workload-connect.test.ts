import { afterEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { OwnPod } from '../../../src/kube/workload-connect.js';
import { workloadConnect } from '../../../src/kube/workload-connect.js';
import { systemClock } from '../../../src/system.js';
import { json, startFakeServer, status, type FakeServer, type Script } from './fake-server.js';

const servers: FakeServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: Script): Promise<FakeServer> {
  const server = await startFakeServer(script);
  servers.push(server);
  return server;
}

const kubeconfig = (server: string, user: object = { token: 't' }): string =>
  JSON.stringify({
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user }],
  });

function connect(text: string, ownPod: OwnPod | null = null): Promise<{ host: string; close(): Promise<void> }> {
  return workloadConnect({
    parseYaml: (yaml) => parse(yaml) as unknown,
    clock: systemClock,
    environment: {},
    userAgent: 'x',
    fieldManager: 'x',
    qps: 20,
    burst: 30,
    ownPod,
  })(text, new AbortController().signal);
}

describe('workload cluster: connecting', () => {
  test.each([
    ['200', 200, {}],
    ['403: reachable, and who we are is accepted', 403, status(403, 'Forbidden', 'no')],
    ['404', 404, status(404, 'NotFound', 'none')],
  ])('answer to / %s -> connected', async (_, code, body) => {
    const server = await serve((_request, response) => json(response, code, body));
    const client = await connect(kubeconfig(server.url));
    expect([`http://${client.host}`, server.seen[0]?.url, server.seen[0]?.headers.authorization]).toEqual([
      server.url,
      '/',
      'Bearer t',
    ]);
    await client.close();
  });

  test.each([
    ['200 without a body', 200, undefined, ''],
    ['200 with a page', 200, 'text/html', '<html>console</html>'],
    ['200 with plain text', 200, 'text/plain', 'ok'],
    ['204', 204, undefined, ''],
  ])('answer to / %s -> connected', async (_, code, contentType, body) => {
    const server = await serve((_request, response) => {
      response.writeHead(code, contentType === undefined ? {} : { 'content-type': contentType });
      response.end(body);
    });
    const client = await connect(kubeconfig(server.url));
    expect(`http://${client.host}`).toBe(server.url);
    await client.close();
  });

  test('401 -> not reachable, with the server text', async () => {
    const server = await serve((_, response) => json(response, 401, status(401, 'Unauthorized', 'Unauthorized')));
    await expect(connect(kubeconfig(server.url))).rejects.toThrow(
      'error creating HTTP client and mapper: cluster is not reachable: Unauthorized',
    );
  });

  test.each([
    ['500', 500],
    ['302', 302],
    ['418', 418],
  ])('a server that is no API server answers %s -> its status is told, and nothing of its content', async (_, code) => {
    const server = await serve((_request, response) => {
      response.writeHead(code, { 'content-type': 'text/html', location: 'http://elsewhere/' });
      response.end('<html>internal page: password hunter2</html>');
    });
    const failure = connect(kubeconfig(server.url));
    await expect(failure).rejects.toThrow(`the server answered ${code}, and it is no Kubernetes API`);
    await expect(failure).rejects.not.toThrow(/hunter2|elsewhere/);
  });

  test('nobody there -> not reachable', async () => {
    const server = await serve(() => undefined);
    await server.close();
    servers.length = 0;
    await expect(connect(kubeconfig(server.url))).rejects.toThrow(
      /cluster is not reachable: cannot reach the API server at .*: connection refused$/,
    );
  });

  test.each([
    [
      'exec plugin',
      kubeconfig('https://x:1', { exec: { command: 'id' } }),
      'error creating REST config: ExecProvider is not supported in ClusterCache',
    ],
    ['no YAML', 'token: [secret-token', /^error creating REST config: error parsing kubeconfig: [^\n]*$/],
    ['no kubeconfig', 'hello', 'error creating REST config: error parsing kubeconfig: it is not a YAML mapping'],
  ])('kubeconfig with %s -> refused with the reason', async (_, text, message) => {
    await expect(connect(text)).rejects.toThrow(message);
    await expect(connect(text)).rejects.not.toThrow(/secret-token/);
  });
});

describe('workload cluster: the one that we run in', () => {
  const ownPod = (server: string, uid = 'me'): OwnPod => ({
    namespace: 'capi',
    name: 'pod',
    uid,
    server,
    ca: () => Promise.resolve(''),
  });
  const withPod: Script = ({ url }, response) =>
    url === '/'
      ? json(response, 200, {})
      : json(response, 200, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod', namespace: 'capi', uid: 'me' } });

  test('our pod is there -> the address of the pod, the credentials of the kubeconfig', async () => {
    const [far, near] = [await serve(withPod), await serve(withPod)];
    const client = await connect(kubeconfig(far.url), ownPod(near.url));
    expect([
      `http://${client.host}`,
      far.seen.map(({ url }) => url),
      near.seen.map(({ url, headers }) => `${url} ${headers.authorization ?? ''}`),
    ]).toEqual([near.url, ['/', '/api/v1/namespaces/capi/pods/pod'], ['/ Bearer t']]);
    await client.close();
  });

  test.each([
    ['another pod of that name', withPod, 'other'],
    [
      'no such pod',
      (({ url }, response) =>
        url === '/' ? json(response, 200, {}) : json(response, 404, status(404, 'NotFound', 'no pod'))) as Script,
      'me',
    ],
  ])('%s -> the address of the kubeconfig', async (_, script, uid) => {
    const far = await serve(script);
    const client = await connect(kubeconfig(far.url), ownPod('http://127.0.0.1:1', uid));
    expect(`http://${client.host}`).toBe(far.url);
    await client.close();
  });

  test('pod cannot be read -> an error that says so', async () => {
    const far = await serve(({ url }, response) =>
      url === '/' ? json(response, 200, {}) : json(response, 403, status(403, 'Forbidden', 'no pods for you')),
    );
    await expect(connect(kubeconfig(far.url), ownPod('http://127.0.0.1:1'))).rejects.toThrow(
      "error checking if we're running on workload cluster: no pods for you",
    );
  });
});
