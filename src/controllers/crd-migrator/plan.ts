// What has to be done so that a version of an API can be removed one day: pure decisions about a CustomResourceDefinition.
//
// Objects are stored in the version in which they were last written, and their managed fields name the versions of old
// writers. Both must be rewritten before a version may go. A definition is looked at once per generation.

import type { CustomResourceDefinition, ManagedFieldsEntry } from '../../api/core.js';
import { annotation } from '../../api/names.js';

/** The phases of a migration, by the names of the flag `--skip-crd-migration-phases`. */
export const MIGRATION_PHASES = ['StorageVersionMigration', 'CleanupManagedFields'] as const;
/** A phase of a migration. */
export type MigrationPhase = (typeof MIGRATION_PHASES)[number];

/** What is to be done for one definition. */
export interface MigrationPlan {
  readonly storageVersion: string;
  /** Objects must be written once more, and then the list of stored versions. */
  readonly migratesStorage: boolean;
  /** Managed fields of versions that are not served must go. */
  readonly cleansManagedFields: boolean;
  /** `group/version` of every served version. */
  readonly servedApiVersions: readonly string[];
}

/** The phases that are left after skipping some, or why the list of skipped ones is wrong. */
export function remainingPhases(
  skipped: readonly string[],
): { readonly phases: readonly MigrationPhase[] } | { readonly problem: string } {
  const unknown = skipped.find((name) => !(MIGRATION_PHASES as readonly string[]).includes(name));
  if (unknown !== undefined) return { problem: `Invalid phase ${unknown} specified in SkipCRDMigrationPhases` };
  return { phases: MIGRATION_PHASES.filter((phase) => !skipped.includes(phase)) };
}

/** Tells whether a definition has changed since it was migrated last. Metadata is enough. */
export function isDue(crd: Pick<CustomResourceDefinition, 'metadata'>): boolean {
  const { generation, annotations } = crd.metadata;
  return annotations?.[annotation.crdMigrationObservedGeneration] !== String(generation ?? 0);
}

/** Plans the migration of a definition, or says why it cannot be planned. */
export function planMigration(
  crd: CustomResourceDefinition,
  phases: readonly MigrationPhase[],
): MigrationPlan | { readonly problem: string } {
  const storageVersion = crd.spec.versions.find(({ storage }) => storage)?.name;
  if (storageVersion === undefined) {
    return { problem: `could not find storage version for CustomResourceDefinition ${crd.metadata.name}` };
  }
  const stored = crd.status?.storedVersions ?? [];
  const isMigrated = stored.length === 1 && stored[0] === storageVersion;
  return {
    storageVersion,
    migratesStorage: phases.includes('StorageVersionMigration') && !isMigrated,
    cleansManagedFields: phases.includes('CleanupManagedFields'),
    servedApiVersions: crd.spec.versions.filter(({ served }) => served).map(({ name }) => `${crd.spec.group}/${name}`),
  };
}

/**
 * The managed fields without entries of versions that are not served, or null when there is nothing to remove. If none is
 * left, one minimal entry stays: without any, the API server would invent one at the next apply that co-owns everything.
 */
export function cleanedManagedFields(
  entries: readonly ManagedFieldsEntry[],
  plan: Pick<MigrationPlan, 'servedApiVersions' | 'storageVersion'>,
): readonly ManagedFieldsEntry[] | null {
  const kept = entries.filter(
    ({ apiVersion }) => apiVersion !== undefined && plan.servedApiVersions.includes(apiVersion),
  );
  const [first] = entries;
  if (kept.length === entries.length || first === undefined) return null;
  return kept.length > 0 ? kept : [seedOf(first, plan)];
}

function seedOf(
  { manager, operation, time, apiVersion = '' }: ManagedFieldsEntry,
  { storageVersion }: Pick<MigrationPlan, 'storageVersion'>,
): ManagedFieldsEntry {
  const [group = ''] = apiVersion.split('/');
  return {
    ...(manager === undefined ? {} : { manager }),
    ...(operation === undefined ? {} : { operation }),
    ...(time === undefined ? {} : { time }),
    apiVersion: `${group}/${storageVersion}`,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:name': {} } },
  };
}
