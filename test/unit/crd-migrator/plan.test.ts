import { describe, expect, test } from '@jest/globals';
import type { CustomResourceDefinition } from '../../../src/api/core.js';
import {
  cleanedManagedFields,
  isDue,
  MIGRATION_PHASES,
  planMigration,
  remainingPhases,
} from '../../../src/controllers/crd-migrator/plan.js';

const crd = (storedVersions: readonly string[], versions?: CustomResourceDefinition['spec']['versions']) => ({
  metadata: { name: 'kubeadmconfigs.bootstrap.cluster.x-k8s.io', generation: 3 },
  spec: {
    group: 'bootstrap.cluster.x-k8s.io',
    names: { kind: 'KubeadmConfig', plural: 'kubeadmconfigs' },
    versions: versions ?? [
      { name: 'v1alpha4', served: false, storage: false },
      { name: 'v1beta1', served: true, storage: false },
      { name: 'v1beta2', served: true, storage: true },
    ],
  },
  status: { storedVersions },
});
const plan = {
  storageVersion: 'v1beta2',
  servedApiVersions: ['bootstrap.cluster.x-k8s.io/v1beta1', 'bootstrap.cluster.x-k8s.io/v1beta2'],
};
const entry = (version: string, manager = 'm') => ({
  manager,
  operation: 'Update',
  apiVersion: `bootstrap.cluster.x-k8s.io/${version}`,
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': {} },
});

describe('migration plan', () => {
  test.each([
    [['v1beta2'], false],
    [['v1beta1', 'v1beta2'], true],
    [['v1beta1'], true],
    [[], true],
  ])('stored versions %j -> storage migration %s', (stored, migratesStorage) => {
    expect(planMigration(crd(stored), MIGRATION_PHASES)).toEqual({
      ...plan,
      migratesStorage,
      cleansManagedFields: true,
    });
  });

  test('skipped phases: each -> is not planned', () => {
    expect(planMigration(crd(['v1beta1']), ['CleanupManagedFields'])).toMatchObject({ migratesStorage: false });
    expect(planMigration(crd(['v1beta1']), ['StorageVersionMigration'])).toMatchObject({ cleansManagedFields: false });
  });

  test('no storage version: plan -> the problem names the definition', () => {
    expect(planMigration(crd([], [{ name: 'v1', served: true, storage: false }]), MIGRATION_PHASES)).toEqual({
      problem: 'could not find storage version for CustomResourceDefinition kubeadmconfigs.bootstrap.cluster.x-k8s.io',
    });
  });

  test('due: generation and annotation -> once per generation', () => {
    const annotated = (value: string) => ({
      metadata: { generation: 3, annotations: { 'crd-migration.cluster.x-k8s.io/observed-generation': value } },
    });
    expect(isDue({ metadata: { generation: 3 } })).toBe(true);
    expect(isDue(annotated('2'))).toBe(true);
    expect(isDue(annotated('3'))).toBe(false);
  });

  test('--skip-crd-migration-phases: unknown word -> the text of the Go manager', () => {
    expect(remainingPhases(['Everything'])).toEqual({
      problem: 'Invalid phase Everything specified in SkipCRDMigrationPhases',
    });
    expect(remainingPhases(['StorageVersionMigration'])).toEqual({ phases: ['CleanupManagedFields'] });
    expect(remainingPhases([...MIGRATION_PHASES])).toEqual({ phases: [] });
  });
});

describe('managed fields', () => {
  test('entries of served versions only: cleaning -> nothing to do', () => {
    expect(cleanedManagedFields([entry('v1beta1'), entry('v1beta2')], plan)).toBeNull();
    expect(cleanedManagedFields([], plan)).toBeNull();
  });

  test('an entry of a version that is gone: cleaning -> removed, the others kept', () => {
    expect(cleanedManagedFields([entry('v1alpha4'), entry('v1beta2', 'kept')], plan)).toEqual([
      entry('v1beta2', 'kept'),
    ]);
  });

  test('only entries of versions that are gone: cleaning -> one minimal entry of the same manager stays', () => {
    expect(cleanedManagedFields([entry('v1alpha4', 'first'), entry('v1alpha3', 'second')], plan)).toEqual([
      {
        manager: 'first',
        operation: 'Update',
        time: '2026-01-01T00:00:00Z',
        apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:name': {} } },
      },
    ]);
  });
});
