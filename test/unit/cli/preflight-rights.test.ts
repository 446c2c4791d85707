// A right that is missing: what cannot be done without ends the start, anything else is told and missed when it is needed.
import { describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import { preflight } from '../../../src/cli/preflight.js';
import type { ControllerName } from '../../../src/cli/run-flags.js';
import type { FullApiClient } from '../../../src/kube/client.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { failure } from '../kube/scripted-client.js';

interface Review {
  readonly spec: { readonly resourceAttributes: { readonly verb: string; readonly resource: string } };
}

/** What a start says whose account may not do these (`patch configmaps`). */
async function start(...denied: readonly string[]): Promise<Said> {
  return startOf(['kubeadmconfig'], ...denied);
}

interface Said {
  readonly warnings: readonly string[];
  readonly error: string | null;
}

async function startOf(controllers: readonly ControllerName[], ...denied: readonly string[]): Promise<Said> {
  const warnings: string[] = [];
  const may = (verb: string, resource: string): boolean => !denied.includes(`${verb} ${resource}`);
  const client = {
    host: 'server',
    getPath: () => Promise.resolve({ gitVersion: 'v1.36.3', versions: [{ version: 'v1beta2' }] }),
    list: ({ plural }: { readonly plural: string }) =>
      may('list', plural)
        ? Promise.resolve({ resourceVersion: '1', continueToken: null, items: [] })
        : Promise.reject(failure('Forbidden')),
    post: (_: string, { spec: { resourceAttributes } }: Review) =>
      Promise.resolve({ status: { allowed: may(resourceAttributes.verb, resourceAttributes.resource) } }),
  } as unknown as FullApiClient;
  const watched = [resources.KubeadmConfig, resources.Secret, resources.ConfigMap, resources.Cluster].map(resourceOf);
  try {
    await preflight(client, {
      config: { controllers, namespace: '', shadow: false },
      resources: watched,
      leaseNamespaces: ['capi'],
      signal: new AbortController().signal,
      log: { warning: (message, fields) => void warnings.push(`${message}: ${String(fields?.['right'])}`) },
    });
    return { warnings, error: null };
  } catch (error) {
    return { warnings, error: (error as Error).message };
  }
}

test('API server that is silent: told to stop -> both requests hear it, and the check ends', async () => {
  const life = new AbortController();
  const signals: unknown[] = [];
  const client = {
    host: 'server',
    getPath: (_: string, { signal }: { readonly signal?: AbortSignal } = {}) => {
      signals.push(signal);
      return new Promise((__, reject) => signal?.addEventListener('abort', () => reject(failure('Aborted'))));
    },
  } as unknown as FullApiClient;
  const checked = preflight(client, {
    config: { controllers: ['kubeadmconfig'], namespace: '', shadow: false },
    resources: [],
    leaseNamespaces: [],
    signal: life.signal,
    log: { warning: () => undefined },
  });
  expect(signals).toEqual([life.signal, life.signal]);
  life.abort();
  await expect(checked).rejects.toThrow();
});

describe('start with rights missing', () => {
  test('every right is there -> no word', async () => {
    expect(await start()).toEqual({ warnings: [], error: null });
  });

  test('rights that are not needed yet -> the start goes on, and each is named with the rule to add', async () => {
    const { warnings, error } = await start('patch configmaps', 'delete secrets', 'update leases');
    expect(error).toBeNull();
    expect(warnings).toEqual([
      'A right is missing: the operator may not delete secrets: add a rule with apiGroups [""], resources ["secrets"], verbs ["delete"] to its ClusterRole',
      'A right is missing: the operator may not patch configmaps: add a rule with apiGroups [""], resources ["configmaps"], verbs ["patch"] to its ClusterRole',
      'A right is missing: the operator may not update leases.coordination.k8s.io: add a rule with apiGroups ["coordination.k8s.io"], resources ["leases"], verbs ["update"] to its Role in namespace capi',
    ]);
  });

  test('a controller that is switched on by name: may not write what it is for -> the start fails and says so', async () => {
    const { error } = await startOf(['kubeadmconfig', 'cluster-initialized'], 'patch clusters');
    expect(error).toMatch(/^the operator may not patch clusters\.cluster\.x-k8s\.io\/status: add a rule with/);
  });

  test('one that nothing works without, and others -> the error names all of them', async () => {
    const { error } = await start('watch kubeadmconfigs', 'create secrets');
    expect(error?.split('\n').map((line) => line.split(':')[0])).toEqual([
      'the operator may not watch kubeadmconfigs.bootstrap.cluster.x-k8s.io',
      'the operator may not create secrets',
    ]);
  });

  test.each(['list kubeadmconfigs', 'watch kubeadmconfigs', 'list secrets', 'get leases'])(
    'may not %s -> nothing would work: the start fails and says so',
    async (right) => {
      const { error } = await start(right);
      const [verb, plural] = right.split(' ');
      expect(error).toMatch(new RegExp(`^the operator may not ${verb} ${plural}.*: add a rule with`));
    },
  );
});
