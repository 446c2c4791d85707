import { expect, test } from '@jest/globals';
import {
  createExternalObjects,
  type ExternalObjectsOptions,
} from '../../../src/controllers/machine/external/external-objects.js';
import type { KubeObject, Resource } from '../../../src/kube/contract.js';
import { createStore, type Store } from '../../../src/kube/store.js';
import { silentLogger } from '../../../src/log.js';
import { createTestClock } from '../kube/test-clock.js';

const group = 'infrastructure.cluster.x-k8s.io';
const reference = { apiGroup: group, kind: 'InfraMachine', name: 'w-0' };
const crd = (versions: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `inframachines.${group}`,
    uid: 'crd',
    resourceVersion,
    labels: { 'cluster.x-k8s.io/v1beta2': versions },
  },
});
const machine = (version: string, resourceVersion: string): KubeObject => ({
  apiVersion: `${group}/${version}`,
  kind: 'InfraMachine',
  metadata: { name: 'w-0', namespace: 'ns', uid: 'i', resourceVersion },
});

/** Informers that hold stores which tests fill, and tell what is held. */
function informers() {
  const stores = new Map<string, Store<KubeObject>>();
  const held: string[] = [];
  const idOf = ({ plural, version }: Resource): string => `${plural}/${version}`;
  const hold = ({ resource }: { readonly resource: Resource }) => {
    const id = idOf(resource);
    const cache = stores.get(id) ?? createStore<KubeObject>({ resource });
    stores.set(id, cache);
    held.push(id);
    return {
      cache,
      whenSynced: () => cache.whenSynced(),
      release: () => void held.splice(held.indexOf(id), 1),
    };
  };
  /** A list of an API server comes in. */
  const fill = (id: string, items: readonly KubeObject[], resourceVersion: string): void => {
    const store = stores.get(id);
    store?.replace(items, resourceVersion, { mark: store.mark(), consistent: true });
  };
  return { fill, held, port: { hold, problems: () => [] } as unknown as ExternalObjectsOptions['informers'] };
}

test('a provider goes on to another version of its API -> its objects are watched and told of in that one alone', async () => {
  const clock = createTestClock();
  const { fill, held, port } = informers();
  const externals = createExternalObjects({ informers: port, clock, log: silentLogger, namespace: '' });
  const told: string[] = [];
  externals.subscribe(({ after }) => void told.push(after?.apiVersion ?? 'gone'));
  const signal = new AbortController().signal;
  const opened = externals.open(reference, signal);
  fill('customresourcedefinitions/v1', [crd('v1beta1', '1')], '1');
  await clock.settle();
  fill('inframachines/v1beta1', [machine('v1beta1', '1')], '1');
  await clock.settle();
  expect(await opened).toBeNull();
  expect(held).toEqual(['customresourcedefinitions/v1', 'inframachines/v1beta1']);

  fill('customresourcedefinitions/v1', [crd('v1beta1_v1beta2', '2')], '2');
  expect(externals.look(reference, 'ns').kind).toBe('unwatched');
  const again = externals.open(reference, signal);
  await clock.settle();
  fill('inframachines/v1beta2', [machine('v1beta2', '2')], '2');
  await clock.settle();
  expect(await again).toBeNull();
  expect(held).toEqual(['customresourcedefinitions/v1', 'inframachines/v1beta2']);
  told.length = 0;
  fill('inframachines/v1beta1', [machine('v1beta1', '3')], '3');
  fill('inframachines/v1beta2', [machine('v1beta2', '3')], '3');
  expect(told).toEqual([`${group}/v1beta2`]);
});
