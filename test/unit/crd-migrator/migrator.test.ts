import { describe, expect, test } from '@jest/globals';
import type { CustomResourceDefinition } from '../../../src/api/core.js';
import { kubeadmConfigCrd, kubeadmConfigTemplateCrd, storedVersionOnly } from '../../../src/api/kubeadmconfig/crd.js';
import { createCrdMigrator } from '../../../src/controllers/crd-migrator/migrator.js';
import { MIGRATION_PHASES } from '../../../src/controllers/crd-migrator/plan.js';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { ApiError, type ApiClient, type ApiFailureKind, type KubeObject } from '../../../src/kube/contract.js';
import { createInProcessClient } from '../../../src/kube/in-process-client.js';
import { silentLogger } from '../../../src/log.js';
import { createTestClock } from '../kube/test-clock.js';

type StoredCrd = CustomResourceDefinition & KubeObject;

const crdResource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
const configResource = {
  group: 'bootstrap.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'kubeadmconfigs',
  kind: 'KubeadmConfig',
  namespaced: true,
};
const crdTarget = { resource: crdResource, namespace: '', name: 'kubeadmconfigs.bootstrap.cluster.x-k8s.io' };
const signal = new AbortController().signal;

async function world(): Promise<{ client: ApiClient; crd: () => Promise<StoredCrd> }> {
  const clock = createTestClock();
  let draws = 0;
  const server = createEmbeddedApiServer({
    clock,
    random: { next: () => (draws += 0.001) % 1 },
    crds: [kubeadmConfigCrd, kubeadmConfigTemplateCrd].map(storedVersionOnly),
    namespaces: ['ns'],
  });
  const client = createInProcessClient({ handle: server.handle, clock });
  const crd = () => client.get<StoredCrd>(crdTarget);
  for (const name of ['a', 'b', 'c']) {
    const object = {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfig',
      metadata: { name, namespace: 'ns' },
      spec: { verbosity: 1 },
    };
    await client.create(configResource, object);
  }
  const { metadata } = await crd();
  const status = { storedVersions: ['v1beta1', 'v1beta2'] };
  await client.mergePatch(
    crdTarget,
    { metadata: { resourceVersion: metadata.resourceVersion }, status },
    { subresource: 'status' },
  );
  return { client, crd };
}

function failure(kind: ApiFailureKind): ApiError {
  return new ApiError({
    kind,
    status: 500,
    reason: kind,
    message: `${kind} happened`,
    retryAfterMs: null,
    verb: 'PATCH',
    target: { kind: 'KubeadmConfig', namespace: 'ns', name: 'b' },
  });
}

describe('CRD migrator', () => {
  test('several stored versions: look -> objects untouched in content, one stored version, generation noted', async () => {
    const { client, crd } = await world();
    const before = await client.list<KubeObject>(configResource);
    const migrator = createCrdMigrator({ client, phases: MIGRATION_PHASES, logger: silentLogger });
    expect(await migrator.look(await crd(), signal)).toBe('migrated');
    const after = await crd();
    expect(after.status?.storedVersions).toEqual(['v1beta2']);
    expect(after.metadata.annotations).toEqual({
      'crd-migration.cluster.x-k8s.io/observed-generation': String(after.metadata.generation),
    });
    const objects = await client.list<KubeObject>(configResource);
    const content = ({ items }: typeof before) =>
      items.map(({ metadata, ...rest }) => ({ ...rest, name: metadata.name }));
    expect(content(objects)).toEqual(content(before));
    expect(await migrator.look(after, signal)).toBe('up to date');
  });

  test('another definition, or a gone one: look -> nothing is done', async () => {
    const { client, crd } = await world();
    const migrator = createCrdMigrator({ client, phases: MIGRATION_PHASES, logger: silentLogger });
    expect(await migrator.look({ metadata: { name: 'machines.cluster.x-k8s.io', generation: 1 } }, signal)).toBe(
      'not ours',
    );
    const seen = await crd();
    const gone: Pick<ApiClient, 'get'> = { get: () => Promise.reject(failure('NotFound')) };
    const blind = createCrdMigrator({ client: { ...client, ...gone }, phases: MIGRATION_PHASES, logger: silentLogger });
    expect(await blind.look(seen, signal)).toBe('gone');
  });

  test('one object fails: look -> the others are migrated, stored versions stay; the next look writes only the failed one', async () => {
    const { client, crd } = await world();
    const written: string[] = [];
    let isBroken = true;
    const apply: ApiClient['apply'] = (target, body, options) => {
      written.push(target.name);
      if (isBroken && target.name === 'b') return Promise.reject(failure('Unavailable'));
      return client.apply(target, body, options);
    };
    const migrator = createCrdMigrator({
      client: { ...client, apply },
      phases: MIGRATION_PHASES,
      logger: silentLogger,
    });
    await expect(migrator.look(await crd(), signal)).rejects.toThrow(
      'failed to migrate storage version of KubeadmConfig objects: ns/b: Unavailable happened',
    );
    expect(written).toEqual(['a', 'b', 'c']);
    expect((await crd()).status?.storedVersions).toEqual(['v1beta1', 'v1beta2']);
    isBroken = false;
    expect(await migrator.look(await crd(), signal)).toBe('migrated');
    expect(written).toEqual(['a', 'b', 'c', 'b']);
  });

  test.each(['Conflict', 'NotFound'] as const)('%s while rewriting: look -> counts as migrated', async (kind) => {
    const { client, crd } = await world();
    const apply: ApiClient['apply'] = () => Promise.reject(failure(kind));
    const migrator = createCrdMigrator({
      client: { ...client, apply },
      phases: MIGRATION_PHASES,
      logger: silentLogger,
    });
    expect(await migrator.look(await crd(), signal)).toBe('migrated');
    expect((await crd()).status?.storedVersions).toEqual(['v1beta2']);
  });

  test('KubeadmConfig and template: rewriting -> through the status, and through the object itself', async () => {
    const { client, crd } = await world();
    const subresources: (string | undefined)[] = [];
    const apply: ApiClient['apply'] = (target, body, options) => {
      subresources.push(options.subresource);
      return client.apply(target, body, options);
    };
    const migrator = createCrdMigrator({
      client: { ...client, apply },
      phases: MIGRATION_PHASES,
      logger: silentLogger,
    });
    await migrator.look(await crd(), signal);
    expect(new Set(subresources)).toEqual(new Set(['status']));
  });

  test('all phases skipped: look -> nothing is done', async () => {
    const { client, crd } = await world();
    const migrator = createCrdMigrator({ client, phases: [], logger: silentLogger });
    expect(await migrator.look(await crd(), signal)).toBe('not ours');
    expect((await crd()).status?.storedVersions).toEqual(['v1beta1', 'v1beta2']);
  });
});
