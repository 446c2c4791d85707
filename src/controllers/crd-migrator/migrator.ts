// Carries out the migration of the provider's CustomResourceDefinitions.
//
// Every step is safe to repeat and guarded by uid and resourceVersion: an object that somebody else writes meanwhile is
// thereby migrated, one that is gone needs nothing. The note that a generation is done comes last, so a migration that is
// cut short starts again. Nothing of an object's content changes.
//
//   C1. `storedVersions` shrinks only after every object was written in the storage version.
//   C2. One object that fails does not keep the others from being migrated, but keeps the definition from being done.

import type { CustomResourceDefinition, KubernetesObject } from '../../api/core.js';
import { annotation, group, resources } from '../../api/names.js';
import { ApiError, type ApiClient, type KubeObject, type Resource, type Target } from '../../kube/contract.js';
import { LIST_PAGE_MAX, MIGRATED_OBJECTS_MAX } from '../../limits.js';
import type { Logger } from '../../log.js';
import { cleanedManagedFields, isDue, planMigration, type MigrationPhase, type MigrationPlan } from './plan.js';

const FIELD_MANAGER = 'crdmigrator';
const CLEANUP_TRIES_MAX = 5;

/** The definitions that are migrated. A KubeadmConfig is written through its status, which no webhook judges. */
export const MIGRATED_CRDS: Readonly<Record<string, { readonly throughStatus: boolean }>> = {
  [`${resources.KubeadmConfig.plural}.${group.bootstrap}`]: { throughStatus: true },
  [`${resources.KubeadmConfigTemplate.plural}.${group.bootstrap}`]: { throughStatus: false },
};

const crdResource: Resource = {
  group: group.apiExtensions,
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** What the migrator needs. */
export interface CrdMigratorOptions {
  readonly client: Pick<ApiClient, 'get' | 'list' | 'apply' | 'mergePatch'>;
  readonly phases: readonly MigrationPhase[];
  readonly logger: Logger;
}

/** What a look at a definition came to. */
export type MigrationOutcome = 'not ours' | 'gone' | 'up to date' | 'migrated';

/** A migrator. Its looks must not overlap. */
export interface CrdMigrator {
  /** Looks at a definition and migrates what is due. Throws ApiError, or an Error that sums up several, to be tried again later. */
  look(crd: Pick<CustomResourceDefinition, 'metadata'>, signal: AbortSignal): Promise<MigrationOutcome>;
}

type StoredObject = KubernetesObject & KubeObject;
type StoredCrd = CustomResourceDefinition & KubeObject;

/** Makes a migrator. */
export function createCrdMigrator(options: CrdMigratorOptions): CrdMigrator {
  const migrated = new Set<string>();
  return {
    async look(crd, signal) {
      const name = crd.metadata.name ?? '';
      const how = MIGRATED_CRDS[name];
      if (how === undefined || options.phases.length === 0) return 'not ours';
      if (!isDue(crd)) return 'up to date';
      const target: Target = { resource: crdResource, namespace: '', name };
      const current = await unless404(options.client.get<StoredCrd>(target, { signal }));
      if (current === null) return 'gone';
      const plan = planMigration(current, options.phases);
      if ('problem' in plan) throw new Error(plan.problem);
      const run: Run = { ...options, ...how, crd: current, plan, target, signal, migrated };
      await migrate(run);
      await note(run);
      return 'migrated';
    },
  };
}

interface Run extends CrdMigratorOptions {
  readonly throughStatus: boolean;
  readonly crd: StoredCrd;
  readonly plan: MigrationPlan;
  readonly target: Target;
  readonly signal: AbortSignal;
  readonly migrated: Set<string>;
}

async function migrate(run: Run): Promise<void> {
  const { plan, client, target, crd, signal } = run;
  if (!plan.migratesStorage && !plan.cleansManagedFields) return;
  const objects = await listAll(run);
  if (plan.migratesStorage) {
    await rewrite(run, objects);
    const { resourceVersion } = crd.metadata;
    const body = { metadata: { resourceVersion }, status: { storedVersions: [plan.storageVersion] } };
    await client.mergePatch(target, body, { subresource: 'status', signal });
  }
  if (plan.cleansManagedFields) await clean(run, objects);
}

// Not guarded: a definition that changed meanwhile has another generation and is looked at again.
async function note({ client, target, crd, signal }: Run): Promise<void> {
  const annotations = { [annotation.crdMigrationObservedGeneration]: String(crd.metadata.generation ?? 0) };
  await client.mergePatch(target, { metadata: { annotations } }, { signal });
}

async function listAll({ client, crd, plan, signal }: Run): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = [];
  let continueToken: string | null = null;
  do {
    const page: { readonly items: readonly StoredObject[]; readonly continueToken: string | null } =
      await client.list<StoredObject>(resourceOf(crd, plan), {
        metadataOnly: true,
        limit: LIST_PAGE_MAX,
        signal,
        ...(continueToken === null ? {} : { continueToken }),
      });
    objects.push(...page.items);
    continueToken = page.continueToken;
  } while (continueToken !== null && continueToken !== '');
  return objects;
}

async function rewrite(run: Run, objects: readonly StoredObject[]): Promise<void> {
  const { client, crd, plan, throughStatus, logger, signal, migrated } = run;
  if (objects.length === 0) return;
  logger.info('Running storage version migration', { version: plan.storageVersion, objects: objects.length });
  const failures: string[] = [];
  for (const object of objects) {
    const done = `${crd.metadata.generation ?? 0} ${object.metadata.uid ?? ''}`;
    if (migrated.has(done)) continue;
    const { namespace = '', name, uid, resourceVersion } = object.metadata;
    const target: Target = { resource: resourceOf(crd, plan), namespace, name };
    const body = { ...typeOf(crd, plan), metadata: { namespace, name, uid, resourceVersion } };
    try {
      const subresource = throughStatus ? { subresource: 'status' } : {};
      await client.apply(target, body, { fieldManager: FIELD_MANAGER, signal, ...subresource });
    } catch (error) {
      if (!isSettledByOthers(error)) {
        failures.push(`${namespace}/${name}: ${String(error instanceof Error ? error.message : error)}`);
        continue;
      }
    }
    if (migrated.size >= MIGRATED_OBJECTS_MAX) migrated.clear();
    migrated.add(done);
  }
  if (failures.length > 0) {
    throw new Error(`failed to migrate storage version of ${crd.spec.names.kind} objects: ${summary(failures)}`);
  }
}

async function clean(run: Run, objects: readonly StoredObject[]): Promise<void> {
  const failures: string[] = [];
  for (const object of objects) {
    const { namespace = '', name } = object.metadata;
    try {
      await cleanOne(run, object);
    } catch (error) {
      failures.push(`${namespace}/${name}: ${String(error instanceof Error ? error.message : error)}`);
    }
  }
  if (failures.length > 0) {
    throw new Error(`failed to cleanup managedFields of ${run.crd.spec.names.kind} objects: ${summary(failures)}`);
  }
}

async function cleanOne({ client, crd, plan, signal }: Run, listed: StoredObject): Promise<void> {
  const { namespace = '', name } = listed.metadata;
  const target: Target = { resource: resourceOf(crd, plan), namespace, name };
  let object: StoredObject | null = listed;
  for (let tries = 1; object !== null; tries += 1) {
    const managedFields = cleanedManagedFields(managedFieldsOf(object), plan);
    if (managedFields === null) return;
    const { resourceVersion } = object.metadata;
    try {
      await client.mergePatch(target, { metadata: { resourceVersion, managedFields } }, { signal });
      return;
    } catch (error) {
      if (isKind(error, 'NotFound')) return;
      if (!isKind(error, 'Conflict') || tries >= CLEANUP_TRIES_MAX) throw error;
    }
    object = await unless404(client.get<StoredObject>(target, { metadataOnly: true, signal }));
  }
}

function managedFieldsOf(object: KubernetesObject) {
  return object.metadata.managedFields ?? [];
}

function resourceOf(crd: CustomResourceDefinition, { storageVersion }: MigrationPlan): Resource {
  const { group: apiGroup, names, scope } = crd.spec;
  const { plural, kind } = names;
  return { group: apiGroup, version: storageVersion, plural, kind, namespaced: scope !== 'Cluster' };
}

function typeOf(crd: CustomResourceDefinition, { storageVersion }: MigrationPlan) {
  return { apiVersion: `${crd.spec.group}/${storageVersion}`, kind: crd.spec.names.kind };
}

// Gone needs no migration; written by somebody else meanwhile is a migration.
function isSettledByOthers(error: unknown): boolean {
  return isKind(error, 'NotFound') || isKind(error, 'Conflict');
}

function isKind(error: unknown, kind: string): boolean {
  return error instanceof ApiError && error.failure.kind === kind;
}

async function unless404<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isKind(error, 'NotFound')) return null;
    throw error;
  }
}

function summary(failures: readonly string[]): string {
  const shown = failures.slice(0, 5).join(', ');
  return failures.length > 5 ? `${shown} and ${failures.length - 5} more` : shown;
}
