import { describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import type { KubeObject, RequestOptions } from '../../../src/kube/contract.js';
import { createInProcessClient } from '../../../src/kube/in-process-client.js';
import { createRateLimiters } from '../../../src/kube/rate-limiter.js';
import { resourceNameOfPath, resourceOf } from '../../../src/kube/resource-paths.js';
import { createTestClock } from './test-clock.js';

describe('resource of a path', () => {
  test.each([
    ['/api/v1/namespaces/default/secrets?fieldManager=x', 'secrets'],
    ['/api/v1/namespaces/default/secrets/a', 'secrets'],
    ['/api/v1/secrets?limit=500', 'secrets'],
    ['/api/v1/namespaces/default/pods/p/eviction', 'pods'],
    ['/api/v1/namespaces', 'namespaces'],
    ['/api/v1/namespaces/default', 'namespaces'],
    ['/apis/cluster.x-k8s.io/v1beta2/machines', 'machines.cluster.x-k8s.io'],
    ['/apis/cluster.x-k8s.io/v1beta1/namespaces/a/machines/m/status', 'machines.cluster.x-k8s.io'],
    ['/apis/authentication.k8s.io/v1/tokenreviews', 'tokenreviews.authentication.k8s.io'],
    ['/', ''],
    ['/version', ''],
    ['/apis/cluster.x-k8s.io/v1beta2', ''],
  ])('%s -> %s', (path, expected) => {
    expect(resourceNameOfPath(path)).toBe(expected);
  });
});

// A bucket that holds one token and gets one a second: the second call to a resource leaves a second after the first.
describe('rate limit of a client', () => {
  test('calls to other resources -> leave at once; to the same, whatever its version and subresource -> wait', async () => {
    const { client, clock, left } = limitedClient();
    const secret = { metadata: { name: 'a', namespace: 'd' } };
    const { kubeadmConfigs, secrets, events } = kinds;
    const target = { resource: kubeadmConfigs, namespace: 'd', name: 'a' };
    const calls = [
      client.create(secrets, secret),
      client.create(secrets, secret),
      client.mergePatch(target, {}),
      client.mergePatch({ ...target, resource: { ...kubeadmConfigs, version: 'v1beta1' } }, {}),
      client.mergePatch(target, {}, { subresource: 'status' }),
      client.create(events, secret),
      client.getPath('/version'),
    ];
    await clock.advance(3_000);
    await Promise.all(calls);
    expect(left).toEqual([
      'POST secrets@0',
      'PATCH a@0',
      'POST events@0',
      'GET version@0',
      'POST secrets@1000',
      'PATCH a@1000',
      'PATCH status@2000',
    ]);
  });

  test('a status that may wait -> holds up nothing of its own resource or of others', async () => {
    const { client, clock, left } = limitedClient();
    const target = { resource: kinds.kubeadmConfigs, namespace: 'd', name: 'a' };
    const status = (options: RequestOptions): Promise<KubeObject> =>
      client.mergePatch(target, {}, { ...options, subresource: 'status' });
    const calls = [
      status({}),
      status({ priority: 'low' }),
      client.mergePatch(target, {}),
      client.create(kinds.secrets, {}),
    ];
    await clock.advance(3_000);
    await Promise.all(calls);
    expect(left).toEqual(['PATCH status@0', 'POST secrets@0', 'PATCH a@1000', 'PATCH status@2000']);
  });

  test('watches -> take no token, as in client-go', async () => {
    const { client, clock, left } = limitedClient();
    const calls = [1, 2].map(() => client.watch(kinds.secrets, {})[Symbol.asyncIterator]().next());
    const list = client.list(kinds.secrets);
    await clock.advance(0);
    await Promise.all([...calls, list]);
    expect(left).toEqual(['GET secrets@0', 'GET secrets@0', 'GET secrets@0']);
  });
});

const kinds = {
  kubeadmConfigs: resourceOf(resources.KubeadmConfig),
  secrets: resourceOf(resources.Secret),
  events: resourceOf(resources.Event),
};

function limitedClient() {
  const clock = createTestClock();
  const left: string[] = [];
  const client = createInProcessClient({
    clock,
    limiters: createRateLimiters({ qps: 1, burst: 1, clock }),
    handle: ({ method, url }) => {
      left.push(`${method} ${url.replace(/^.*\//, '').replace(/\?.*/, '')}@${clock.monotonicMs()}`);
      return Promise.resolve({ status: 200, headers: {}, body: url.includes('watch=true') ? '' : '{"metadata":{}}' });
    },
  });
  return { clock, client, left };
}
