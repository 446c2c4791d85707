// The KubeadmConfig controller: one machine, its eyes (view, facts), its hands (effects) and its voice (status, Events).
//
// `run`, `demo` and tests make it with `createKubeadmConfigController`, give the controller to a host, and wire it.
import type { Facts, Reply, Request, State } from '../../../machines/kubeadmconfig/facts.js';
import { chart } from '../../../machines/kubeadmconfig/chart.js';
import { table } from '../../../machines/kubeadmconfig/table.js';
import type { Explanation } from '../../../machines/kit/explanation.js';
import type { Controller, Key, Random } from '../../host/contract.js';
import { EFFECT_TIME_MAX_MS } from '../../limits.js';
import { doubtsOfView } from './certificate-doubts.js';
import { acquireInitLock } from './effects/acquire-init-lock.js';
import { adoptCertificates } from './effects/certificate-secrets.js';
import { effectOf, type KubeadmConfigEffect } from './effects/context.js';
import { giveUpInitLock } from './effects/give-up-init-lock.js';
import { checkTokenAge, refreshToken, restoreToken } from './effects/refresh-token.js';
import { releaseInitLock } from './effects/release-init-lock.js';
import { repairDataSecretOwner } from './effects/repair-data-secret-owner.js';
import { storeInitData } from './effects/store-init-data.js';
import { rotateToken, storeJoinData } from './effects/store-join-data.js';
import { explainView, type KnownActor } from './explain.js';
import { factsOf } from './facts-of-view.js';
import { CONNECTION_BACKOFF_MS } from './limits.js';
import { createMemory, type Memory } from './memory.js';
import { endTurn } from './persist.js';
import type { Caches, Ports } from './ports.js';
import { forgetKeys } from './prepared-keys.js';
import { storedEnvelope } from './status-patch.js';
import type { Reader } from './reader.js';
import { viewOf, type View } from './view.js';
import { endsBackoff, wireCaches, type Wake } from './wiring.js';

/** The controller's type for the host. */
export type KubeadmConfigController = Controller<View, State, Facts, Request, Reply>;

/** The controller with its wires. */
export interface KubeadmConfigParts {
  readonly controller: KubeadmConfigController;
  /** Subscribes to caches and connections and wakes keys; returns the way out. */
  wire(wake: Wake): () => void;
  /** Why an object is where it is, as the host sees it; null when it does not exist. */
  explain(key: Key, actor: KnownActor | null): Explanation | null;
  /** KubeadmConfigs that hold a token of ours and no data: for the metric of that name. */
  markedTokensWithoutData(): number;
}

/** Makes the controller. Nothing happens before it is wired and its host is started. */
export function createKubeadmConfigController(ports: Ports): KubeadmConfigParts {
  const memory = createMemory(ports.clock.nowMs());
  const reader = cacheReader(ports.caches);
  const { settings } = ports;
  const controller: KubeadmConfigController = {
    name: 'kubeadmconfig',
    kind: 'KubeadmConfig',
    group: 'bootstrap.cluster.x-k8s.io',
    chart,
    table,
    effects: effectsOf(ports, memory),
    effectTimeoutMs: EFFECT_TIME_MAX_MS,
    observe: (key) =>
      viewOf(reader, key, {
        watchFilter: settings.watchFilter,
        snapshotStore: settings.snapshotStore,
        remembered: (_, dataSecret) => ({
          touch: memory.touchedBy(key),
          dataTokenId: memory.dataToken(dataSecret, key),
        }),
      }),
    // The turn that ran while it went, and its owner's last changes, have left their traces.
    forget: (key) => {
      memory.forget(key);
      forgetKeys(ports, memory, key);
    },
    uid: (view) => view.config.metadata.uid ?? '',
    facts: (view, nowMs, context) => factsOf(view, { nowMs, context }, settings),
    mayPersistSnapshot: (_, facts) => mayPersistSnapshot(facts),
    readEnvelope: (view) => storedEnvelope(view, settings.snapshotStore),
    persist: (view, outcome, context) => endTurn(ports, memory, { view, outcome, context }),
    endsBackoff,
    backoffMs,
  };
  return {
    controller,
    wire: (wake) => wireCaches(ports, memory, wake),
    explain: (key, actor) => {
      const view = controller.observe(key);
      if (view === null) return null;
      const nowMs = ports.clock.nowMs();
      const { namespace = '' } = view.config.metadata;
      const warnings = doubtsOfView(view, (name) => ports.caches.secrets.get(namespace, name)?.data, nowMs);
      return explainView(view, actor, { nowMs, settings, warnings });
    },
    markedTokensWithoutData: () => memory.markedCount,
  };
}

/** Whether anything may be written about an object: it has owner and Cluster, and is not paused, deleting, failed or filtered out. */
export function mayPersistSnapshot(facts: Facts): boolean {
  const isOwned = facts.owner === 'Machine' || facts.owner === 'MachinePool';
  return (
    isOwned && facts.hasCluster && facts.isHandled && !facts.isDeleting && !facts.isFailedForGood && !facts.isPaused
  );
}

function effectsOf(ports: Ports, memory: Memory): { readonly [R in Request]: KubeadmConfigEffect } {
  const effect = (work: Parameters<typeof effectOf>[2]): KubeadmConfigEffect => effectOf(ports, memory, work);
  return {
    repairDataSecretOwner: effect(repairDataSecretOwner),
    adoptCertificates: effect(adoptCertificates),
    acquireInitLock: effect(acquireInitLock),
    storeInitData: effect(storeInitData),
    giveUpInitLock: effect(giveUpInitLock),
    releaseInitLock: effect(releaseInitLock),
    storeJoinData: effect(storeJoinData),
    refreshToken: effect(refreshToken),
    checkTokenAge: effect(checkTokenAge),
    restoreToken: effect(restoreToken),
    rotateToken: effect(rotateToken),
  };
}

/** Failed connections come back after 1 s to 30 s with jitter; every other failure as usual. */
function backoffMs(failure: { readonly kind: string } | null, failures: number, random: Random): number | null {
  if (failure?.kind !== 'WorkloadUnreachable') return null;
  const { first, max } = CONNECTION_BACKOFF_MS;
  const wholeMs = Math.min(max, first * 2 ** Math.min(10, failures - 1));
  return Math.max(first, Math.floor(wholeMs * (0.5 + random.next() / 2)));
}

function cacheReader(caches: Caches): Reader {
  return {
    hasMachinePools: caches.machinePools !== null,
    config: (namespace, name) => caches.configs.get(namespace, name),
    machine: (namespace, name) => caches.machines.get(namespace, name),
    machinePool: (namespace, name) => caches.machinePools?.get(namespace, name),
    cluster: (namespace, name) => caches.clusters.get(namespace, name),
    secret: (namespace, name) => caches.secrets.get(namespace, name),
    configMap: (namespace, name) => caches.configMaps.get(namespace, name),
  };
}
