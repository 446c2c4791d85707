import { describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import type { ApiClient, ApiFailureKind } from '../../../src/kube/contract.js';
import { createDiscovery } from '../../../src/kube/discovery.js';
import { checkAccess } from '../../../src/kube/preflight.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { failure } from './scripted-client.js';
import { createTestClock } from './test-clock.js';

const configs = {
  resource: resourceOf(resources.KubeadmConfig),
  verbs: ['list', 'watch', 'update status'],
  essential: ['list', 'watch'],
};
const secrets = { resource: resourceOf(resources.Secret), verbs: ['list', 'create'], namespace: 'capi' };
const { signal } = new AbortController();

function client(options: {
  list?: ApiFailureKind;
  denied?: readonly string[];
  review?: ApiFailureKind;
}): Pick<ApiClient, 'list' | 'post'> {
  return {
    list: () =>
      options.list === undefined
        ? Promise.resolve({ resourceVersion: '1', continueToken: null, items: [] })
        : Promise.reject(failure(options.list, { message: 'cannot reach it' })),
    post: <T>(_: string, body: object) => {
      const { verb, subresource } = (body as { spec: { resourceAttributes: { verb: string; subresource?: string } } })
        .spec.resourceAttributes;
      const name = subresource === undefined ? verb : `${verb} ${subresource}`;
      return options.review === undefined
        ? Promise.resolve({ status: { allowed: options.denied?.includes(name) !== true } } as T)
        : Promise.reject(failure(options.review));
    },
  };
}

describe('preflight', () => {
  test('everything is there and allowed -> no problems', async () => {
    expect(await checkAccess(client({}), [configs, secrets], signal)).toEqual({
      unreachable: null,
      problems: [],
      missingRights: [],
    });
  });

  test('missing CustomResourceDefinition -> named, with its version and what to install', async () => {
    const { problems } = await checkAccess(
      client({ list: 'NoSuchResource' }),
      [{ ...configs, source: 'the definitions' }, secrets],
      signal,
    );
    expect(problems).toEqual([
      'the API server does not serve kubeadmconfigs.bootstrap.cluster.x-k8s.io in version v1beta2: install the definitions first',
      'the API server does not serve secrets in version v1',
    ]);
  });

  test('forbidden verbs -> each named with the rule to add; what must be read is a problem, the rest is missed later', async () => {
    const { problems, missingRights } = await checkAccess(
      client({ list: 'Forbidden', denied: ['list', 'watch', 'update status', 'create'] }),
      [configs, secrets],
      signal,
    );
    expect(problems).toEqual([
      'the operator may not list, watch kubeadmconfigs.bootstrap.cluster.x-k8s.io: add a rule with apiGroups ["bootstrap.cluster.x-k8s.io"], resources ["kubeadmconfigs"], verbs ["list","watch"] to its ClusterRole',
    ]);
    expect(missingRights).toEqual([
      'the operator may not update kubeadmconfigs.bootstrap.cluster.x-k8s.io/status: add a rule with apiGroups ["bootstrap.cluster.x-k8s.io"], resources ["kubeadmconfigs/status"], verbs ["update"] to its ClusterRole',
      'the operator may not list, create secrets: add a rule with apiGroups [""], resources ["secrets"], verbs ["list","create"] to its Role in namespace capi',
    ]);
  });

  test.each([
    ['Unauthorized', /401 Unauthorized/],
    ['Refused', /^cannot reach it$/],
  ] as const)('server that answers %s -> unreachable, and nothing else is claimed', async (kind, message) => {
    const found = await checkAccess(client({ list: kind }), [configs, secrets], signal);
    expect(found.unreachable).toMatch(message);
    expect(found.problems).toEqual([]);
  });

  test('server that is overloaded, or waits for a webhook -> no problem: it gets over it', async () => {
    const found = await checkAccess(client({ list: 'Unavailable' }), [configs, secrets], signal);
    expect(found).toEqual({
      unreachable: null,
      problems: [],
      missingRights: [],
    });
  });

  test('server that cannot say what we may do -> believed to allow it', async () => {
    expect((await checkAccess(client({ review: 'NoSuchResource' }), [configs], signal)).problems).toEqual([]);
  });
});

describe('discovery', () => {
  const answers: Record<string, unknown> = {
    '/apis/infrastructure.cluster.x-k8s.io': { preferredVersion: { version: 'v1beta1' } },
    '/apis/infrastructure.cluster.x-k8s.io/v1beta1': {
      resources: [
        { name: 'dockermachines', kind: 'DockerMachine', namespaced: true },
        { name: 'dockermachines/status', kind: 'DockerMachine', namespaced: true },
      ],
    },
    '/api/v1': { resources: [{ name: 'nodes', kind: 'Node', namespaced: false }] },
  };
  const discoveryWith = () => {
    const asked: string[] = [];
    const clock = createTestClock();
    const getPath = <T>(path: string): Promise<T> => {
      asked.push(path);
      return path in answers ? Promise.resolve(answers[path] as T) : Promise.reject(failure('NoSuchResource'));
    };
    return { discovery: createDiscovery({ getPath }, clock), asked, clock };
  };
  const docker = { group: 'infrastructure.cluster.x-k8s.io', kind: 'DockerMachine' };

  test('kind without a version -> the preferred one, asked once', async () => {
    const { discovery, asked } = discoveryWith();
    for (let round = 0; round < 3; round += 1) {
      expect(await discovery.find(docker)).toEqual({
        group: docker.group,
        version: 'v1beta1',
        plural: 'dockermachines',
        kind: 'DockerMachine',
        namespaced: true,
      });
    }
    expect(await discovery.find({ group: '', version: 'v1', kind: 'Node' })).toMatchObject({
      plural: 'nodes',
      namespaced: false,
    });
    expect(asked).toHaveLength(3);
  });

  test('kind that is not there -> null, and looked for again after a while', async () => {
    const { discovery, asked, clock } = discoveryWith();
    const late = { ...docker, version: 'v1beta1', kind: 'LateMachine' };
    expect([await discovery.find(late), await discovery.find(late), asked.length]).toEqual([null, null, 1]);
    await clock.advance(10_000);
    await discovery.find(late);
    expect([asked.length, await discovery.find({ group: 'none.io', kind: 'X' })]).toEqual([2, null]);
  });
});
