// The process's caches: one informer factory over the management cluster, and the stream of Secret names.

import type { Clock, Random } from '../host/contract.js';
import { resources } from '../api/names.js';
import type { ApiClient } from '../kube/contract.js';
import { createInformers } from '../kube/informers.js';
import type { InformerBase } from '../kube/informer.js';
import { createNameStream } from '../kube/name-stream.js';
import { resourceOf } from '../kube/resource-paths.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { OperatorConfig } from './config.js';
import type { SharedCaches } from './controller-module.js';

/** What caches are made of. */
export interface CachesOptions {
  readonly client: ApiClient;
  readonly config: Pick<OperatorConfig, 'namespace'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** The caches, not started. Controllers declare what they read before `start`. */
export function createCaches({
  client,
  config,
  clock,
  random,
  metrics,
  log,
}: CachesOptions): SharedCaches & { start(signal: AbortSignal): void } {
  const base: InformerBase = {
    client,
    clock,
    random,
    observer: {
      onList: (resource, cause) => metrics.watchLists.inc({ ...names(resource), cause }),
      onWatch: (resource) => metrics.watchStarts.inc(names(resource)),
      onFailure(resource, failure, retryInMs) {
        metrics.watchFailures.inc({ ...names(resource), reason: failure.kind });
        log.verbose(2, 'Watch failed', {
          resource: resource.plural,
          reason: failure.kind,
          err: failure.message,
          retryInMs,
        });
      },
      onBug(resource, error) {
        metrics.listenerErrors.inc(names(resource));
        log.error('A listener of a cache threw', { resource: resource.plural, err: error });
      },
    },
  };
  const informers = createInformers(base);
  const secretNames = createNameStream(base, {
    resource: resourceOf(resources.Secret),
    ...(config.namespace === '' ? {} : { namespace: config.namespace }),
  });
  return {
    informers,
    secretNames,
    start(signal) {
      informers.start(signal);
      void secretNames.run(signal);
    },
  };
}

function names(resource: { readonly group: string; readonly version: string; readonly plural: string }): {
  group: string;
  version: string;
  resource: string;
} {
  return { group: resource.group, version: resource.version, resource: resource.plural };
}
