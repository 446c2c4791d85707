// A kubeconfig Secret may name any server that this process can reach. What such a server answers must not come back to the author
// of the Secret, who may read conditions and Events but not that server.
import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { workloadConnect } from '../../../src/kube/workload-connect.js';
import { systemClock } from '../../../src/system.js';
import { addClusterSecrets, addMachine, cluster, create } from './objects.js';
import { configOf, says } from './readings.js';
import { createWorld } from './world.js';

const PAGE = '<html>internal admin page: build 42, db password hunter2 is set, API key AKIA1234567890EXAMPLE</html>';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface Asked {
  readonly requests: readonly string[];
  readonly said: string;
  readonly condition: string;
}

/** A join whose kubeconfig leads to a server that is no API server. */
async function joinVia(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Asked> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'nobody'}`);
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const attempts: Promise<unknown>[] = [];
  const connect = workloadConnect({
    parseYaml: (text) => JSON.parse(text) as unknown,
    clock: systemClock,
    environment: {},
    userAgent: 'x',
    fieldManager: 'x',
    qps: 20,
    burst: 30,
    ownPod: null,
  });
  const world = createWorld({
    connect(text, signal) {
      const attempt = connect(text, signal);
      attempts.push(attempt);
      return attempt;
    },
  });
  const kubeconfig = JSON.stringify({
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}/admin/console?q=1` } }],
    users: [{ name: 'u', user: { token: 'of-the-secret' } }],
  });
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user, { kubeconfig });
  await addMachine(world.user, 'w-0', { spec: { joinConfiguration: { nodeRegistration: { name: 'n' } } } });
  const operator = await world.start();
  await world.settle();
  await Promise.allSettled(attempts);
  await world.settle();
  const config = await configOf(world.user, 'w-0');
  return {
    requests,
    condition: says(config, 'DataSecretAvailable'),
    said: JSON.stringify([config, operator.events, operator.logs, operator.transitions]),
  };
}

describe('kubeconfig that leads to a server which is no API server', () => {
  test.each([
    ['500', 500, {}],
    ['404', 404, {}],
    ['302', 302, { location: 'http://127.0.0.1:1/hunter2' }],
    ['401', 401, { 'www-authenticate': 'Basic realm="hunter2"' }],
  ])(
    'a page with status %s -> nothing of it in conditions, Events, transitions or the log',
    async (_, code, headers) => {
      const { said, condition, requests } = await joinVia((_request, response) => {
        response.writeHead(code, { 'content-type': 'text/html', ...headers });
        response.end(PAGE);
      });
      expect(condition).toMatch(/^False /);
      expect(said).not.toMatch(/hunter2|AKIA|admin page|build 42/);
      expect(requests[0]).toBe('GET /admin/console/ Bearer of-the-secret');
      expect(requests.filter((each) => !/^\w+ \/admin\/console\/.* Bearer of-the-secret$/.test(each))).toEqual([]);
    },
  );

  test('a page with status 200 to everything -> nothing of it is told', async () => {
    const { said } = await joinVia((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(PAGE);
    });
    expect(said).not.toMatch(/hunter2|AKIA|admin page|build 42/);
  });

  test('lines that are no HTTP -> nothing of them is told', async () => {
    const { said, condition } = await joinVia((request) => {
      request.socket.end('220 mail.internal hunter2 ESMTP\r\n');
    });
    expect(condition).toMatch(/^False /);
    expect(said).not.toMatch(/hunter2|mail\.internal/);
  });
});
