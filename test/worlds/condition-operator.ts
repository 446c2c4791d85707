// The two controllers of one condition each, hosted over any API server: the embedded one or a real one.

import { createClusterInitializedController } from '../../src/controllers/cluster-initialized/controller.js';
import { clusterIndexes, machineIndexes } from '../../src/controllers/cluster-initialized/indexes.js';
import { createMachinesUpToDateController } from '../../src/controllers/machines-up-to-date/controller.js';
import { resources } from '../../src/api/names.js';
import type { Clock, Random } from '../../src/host/contract.js';
import { createHost, type Host } from '../../src/host/host.js';
import type { ApiClient, KubeObject } from '../../src/kube/contract.js';
import { createInformers } from '../../src/kube/informers.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { silentLogger } from '../../src/log.js';

/** A running operator. */
export interface ConditionOperator {
  readonly hosts: readonly Host[];
  /** Reasons and messages of Events, by object. */
  readonly events: readonly string[];
  readonly bugs: readonly unknown[];
  stop(): Promise<void>;
}

/** Starts both controllers; resolves when their caches are there. `breathe` lets time and promises go on meanwhile. */
export async function startConditionOperator(
  client: ApiClient,
  {
    clock,
    random,
    breathe,
    reasons = 'table',
  }: {
    readonly clock: Clock;
    readonly random: Random;
    readonly breathe: () => Promise<void>;
    readonly reasons?: 'table' | 'upstream';
  },
): Promise<ConditionOperator> {
  const life = new AbortController();
  const informers = createInformers({ client, clock, random });
  const clusters = informers.declare({
    resource: resourceOf(resources.Cluster),
    indexes: clusterIndexes as never,
    firstList: 'current',
  });
  const machines = informers.declare({
    resource: resourceOf(resources.Machine),
    indexes: machineIndexes as never,
    firstList: 'current',
  });
  const controlPlanes = informers.declare({
    resource: resourceOf(resources.KubeadmControlPlane),
    firstList: 'current',
  });
  const events: string[] = [];
  const bugs: unknown[] = [];
  const common = {
    client,
    log: silentLogger,
    events: {
      record: ({ kind, metadata }: KubeObject, event: { reason: string; message: string }) =>
        void events.push(`${kind}/${metadata.name} ${event.reason}: ${event.message}`),
    },
    clusters: clusters as never,
    machines: machines as never,
  };
  const parts = [
    createClusterInitializedController({
      ...common,
      clock,
      informers,
      settings: { watchFilter: '', reasons, namespace: '' },
    }),
    createMachinesUpToDateController({
      ...common,
      controlPlanes: controlPlanes as never,
      settings: { watchFilter: '', reasons },
    }),
  ];
  const hosts = parts.map(({ controller }) =>
    createHost({
      controller: controller as never,
      clock,
      random,
      freshness: informers.freshness,
      concurrency: 10,
      log: silentLogger,
      observers: [{ onBug: (_name, _key, error) => void bugs.push(error) }],
    }),
  );
  const ends = parts.map((part, index) => part.wire((key, cause) => hosts[index]?.wake(key, cause)));
  informers.start(life.signal);
  while (!informers.running().every(({ synced }) => synced)) await breathe();
  hosts.forEach((host) => host.start());
  return {
    hosts,
    events,
    bugs,
    async stop() {
      ends.forEach((end) => end());
      life.abort();
      await Promise.all(hosts.map((host) => host.stop({ graceMs: 0 })));
    },
  };
}
