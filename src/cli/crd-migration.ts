// Runs the storage migration of the provider's definitions under the Lease of the bootstrap group.

import { resources } from '../api/names.js';
import { createCrdMigrator, MIGRATED_CRDS } from '../controllers/crd-migrator/migrator.js';
import { MIGRATION_PHASES } from '../controllers/crd-migrator/plan.js';
import type { ApiClient, KubeObject } from '../kube/contract.js';
import { resourceOf } from '../kube/resource-paths.js';
import { createInformers } from '../kube/informers.js';
import type { OperatorOptions } from './operator-options.js';

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 300_000;

/** The migration, before its Lease is held. */
export interface CrdMigration {
  /** Watches the definitions by metadata and migrates what is due, one at a time. To be called once the Lease is held. */
  start(): void;
  stop(): void;
}

/** A migration that looks at nothing until it is started. */
export function createCrdMigration(
  { config, clock, random, log }: OperatorOptions,
  { client, signal }: { readonly client: ApiClient; readonly signal: AbortSignal },
): CrdMigration {
  const phases = MIGRATION_PHASES.filter((phase) => !config.skipCrdMigrationPhases.includes(phase));
  if (phases.length === 0 || config.shadow) return { start: () => undefined, stop: () => undefined };
  const migrator = createCrdMigrator({ client, phases, logger: log });
  const informers = createInformers({ client, clock, random });
  const ends: (() => void)[] = [];
  const cancels = new Map<string, () => void>();
  let last: Promise<unknown> = Promise.resolve();
  const caches = Object.keys(MIGRATED_CRDS).map((name) =>
    informers.declare<KubeObject>({
      resource: resourceOf(resources.CustomResourceDefinition),
      fieldSelector: `metadata.name=${name}`,
      metadataOnly: true,
    }),
  );
  const look = (name: string, delayMs: number): void => {
    cancels.get(name)?.();
    cancels.set(
      name,
      clock.schedule(delayMs, () => enqueue(name, delayMs)),
    );
  };
  const enqueue = (name: string, delayMs: number): void => {
    last = last.then(async () => {
      if (signal.aborted) return;
      const crd = caches.map((cache) => cache.get('', name)).find((each) => each !== undefined);
      if (crd === undefined) return;
      try {
        await migrator.look(crd, signal);
      } catch (error) {
        log.verbose(2, 'Storage migration is tried again', { CustomResourceDefinition: name, err: error });
        look(name, Math.min(RETRY_MAX_MS, Math.max(RETRY_FIRST_MS, delayMs * 2)));
      }
    });
  };
  return {
    start() {
      if (signal.aborted) return;
      ends.push(
        ...caches.map((cache) => cache.subscribe(({ after }) => after !== undefined && look(after.metadata.name, 0))),
      );
      informers.start(signal);
    },
    stop() {
      for (const end of ends.splice(0)) end();
      for (const cancel of cancels.values()) cancel();
    },
  };
}
