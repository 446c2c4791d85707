// The process's caches: one informer factory over the management cluster, and the stream of Secret names.

import type { Clock, Random } from '../host/contract.js';
import { resources } from '../api/names.js';
import type { ApiClient } from '../kube/contract.js';
import { createInformers } from '../kube/informers.js';
import type { InformerBase } from '../kube/informer.js';
import { createNameStream } from '../kube/name-stream.js';
import { informerObserver } from '../kube/observers.js';
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
  /** Whether anybody asks for the names of Secrets: default true. */
  readonly namesSecrets?: boolean;
}

/** The caches, not started. Controllers declare what they read before `start`. */
export function createCaches({
  client,
  config,
  clock,
  random,
  metrics,
  log,
  namesSecrets = true,
}: CachesOptions): SharedCaches & { start(signal: AbortSignal): void } {
  const base: InformerBase = { client, clock, random, observer: informerObserver(metrics, log) };
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
      if (namesSecrets) void secretNames.run(signal);
    },
  };
}
