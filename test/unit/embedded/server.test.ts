import { request } from 'node:http';

import { afterEach, describe, expect, test } from '@jest/globals';

import { sampleWorld } from '../../../src/embedded/sample-world.js';
import type { ApiResponse, EmbeddedApiServer } from '../../../src/embedded/types.js';
import { createTestClock } from '../kube/test-clock.js';
import { testServer } from './fixture.js';

let server: EmbeddedApiServer;
afterEach(async () => {
  await server.close();
});

function send(method: string, url: string, body?: object, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return server.handle({ method, url, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

function collectionOf({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  if (kind === 'Namespace') return '/api/v1/namespaces';
  return `/apis/${apiVersion}/namespaces/demo/${kind.toLowerCase()}s`;
}

describe('embedded API server', () => {
  test('sample world: every size -> each object is accepted strictly', async () => {
    server = testServer(createTestClock());
    const objects = [...sampleWorld(), ...sampleWorld({ clusters: 2, workers: 5, poolReplicas: 0 }).slice(1)];
    for (const object of objects as { apiVersion: string; kind: string; metadata: { name: string } }[]) {
      const { status, body } = await send('POST', `${collectionOf(object)}?fieldValidation=Strict`, object);
      expect([object.metadata.name, status, status === 201 ? '' : body]).toEqual([object.metadata.name, 201, '']);
    }
    const ignition = server.store
      .list('kubeadmconfigs.bootstrap.cluster.x-k8s.io')
      .filter(({ spec }) => (spec as { format?: string }).format === 'ignition');
    expect(ignition.length).toBe(3);
  });

  test('a schema that requires metadata: a MachineDrainRule -> created, patched, and without spec refused', async () => {
    server = testServer(createTestClock());
    const rules = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinedrainrules';
    const rule = (spec?: object): object => ({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDrainRule',
      metadata: { name: 'r' },
      ...(spec === undefined ? {} : { spec }),
    });
    expect((await send('POST', rules, rule())).status).toBe(422);
    expect((await send('POST', rules, rule({ drain: { behavior: 'Skip' } }))).status).toBe(201);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patch = { spec: { drain: { behavior: 'Drain', order: 5 } } };
    expect((await send('PATCH', `${rules}/r`, patch, headers)).status).toBe(200);
  });

  test('seeds: two servers with the same seed and calls -> the same bytes', async () => {
    const play = async (): Promise<unknown[]> => {
      server = testServer(createTestClock());
      const answers = [
        await send('POST', '/api/v1/namespaces/default/secrets', { metadata: { generateName: 'x-' } }),
        await send('GET', '/api/v1/secrets'),
        await send('GET', '/apis'),
      ];
      return answers.map(({ body }) => body);
    };
    expect(await play()).toEqual(await play());
  });

  test('definitions: a rule or keyword that is not carried out -> refused with 501, never skipped', async () => {
    server = testServer(createTestClock());
    const definition = (spec: object): object => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.test' },
      spec: {
        group: 'example.test',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          },
        ],
      },
    });
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const rule = { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a > 1' }] };
    for (const spec of [rule, { type: 'string', oneOf: [] }, { type: 'object', not: {} }]) {
      const { status, body } = await send('POST', path, definition(spec));
      expect(status).toBe(501);
      expect(body).toMatch(/things\.example\.test asks of its schema/);
    }
    expect((await send('POST', path, definition({ type: 'object' }))).status).toBe(201);
  });

  test.each([
    ['GET', '/openapi/v2'],
    ['GET', '/api/v1/watch/secrets'],
    ['GET', '/api/v1/namespaces/default/pods/p/log'],
    ['POST', '/api/v1/namespaces/default/serviceaccounts/s/token'],
    ['GET', '/apis/apps/v1/namespaces/default/deployments/d/scale'],
  ])('%s %s: not claimed -> 501 with a sentence', async (method, url) => {
    server = testServer(createTestClock());
    const { status, body } = await send(method, url, method === 'POST' ? {} : undefined);
    expect(status).toBe(501);
    expect(body).toMatch(/the embedded API server does not implement/);
  });

  test('users: rules -> allow by verb, group, resource, subresource and name', async () => {
    server = testServer(createTestClock(), {
      users: [
        {
          name: 'narrow',
          token: 'n',
          rules: [
            { verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets'] },
            { verbs: ['*'], apiGroups: ['cluster.x-k8s.io'], resources: ['machines/status'] },
            { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'] },
            { verbs: ['get'], nonResourceURLs: ['/logs/*'] },
          ],
        },
      ],
    });
    const as = { authorization: 'Bearer n' };
    const status = async (method: string, url: string, body?: object): Promise<number> =>
      (await send(method, url, body, as)).status;
    expect(await status('GET', '/api/v1/secrets')).toBe(200);
    expect(await status('GET', '/api/v1/secrets?watch=true')).toBe(403);
    expect(await status('GET', '/api/v1/namespaces/default/configmaps/mine')).toBe(404);
    expect(await status('GET', '/api/v1/namespaces/default/configmaps/other')).toBe(403);
    expect(await status('PATCH', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/m', {})).toBe(403);
    expect(await status('GET', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/m/status')).toBe(404);
    expect(await status('GET', '/metrics')).toBe(403);
    expect(await status('GET', '/logs/x')).toBe(404);
    expect(await status('GET', '/openapi/v3/api/v1')).toBe(200);
    expect(await status('GET', '/healthz')).toBe(200);
    expect((await send('GET', '/api/v1/secrets')).status).toBe(403);
    expect((await send('GET', '/api/v1/secrets', undefined, { authorization: 'Bearer x' })).status).toBe(401);
  });

  test('host header: a foreign name -> refused, so that no web page gets in', async () => {
    server = testServer(createTestClock());
    const { port } = await server.listen();
    const status = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request({ port, host: '127.0.0.1', path: '/api', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', reject);
        sent.end();
      });
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`localhost:${port}`)).toBe(200);
    expect(await status('evil.example.com')).toBe(421);
  });

  test('kubeconfig: names the listener, the user and the token', async () => {
    server = testServer(createTestClock(), { users: [{ name: 'admin', token: 't' }] });
    expect(() => server.kubeconfig()).toThrow('listening');
    const { url } = await server.listen();
    expect(server.kubeconfig()).toContain(`server: ${url}`);
    expect(server.kubeconfig()).toContain('token: t');
  });
});
