// Who explains which kind from the cluster alone.

import type { Explanation } from '../../machines/kit/explanation.js';
import { readDoubts } from '../controllers/kubeadmconfig/certificate-doubts.js';
import { explainView, readView } from '../controllers/kubeadmconfig/explain.js';
import type { OperatorConfig } from './config.js';
import { explainClusterLive, explainControlPlaneLive } from './explain-condition.js';
import { explainMachineLive } from './explain-machine.js';
import type { ExplainRequest } from './explain-request.js';

/** Explains objects of one kind. */
export interface Explainer {
  /** Words for the kind, the usual one first. */
  readonly kinds: readonly string[];
  /** Whether actors of this kind are persisted. */
  readonly hasSnapshots: boolean;
  /** The answer; null when the object does not exist. Throws ApiError. */
  explain(request: ExplainRequest): Promise<Explanation | null>;
}

const STORES = ['status', 'annotation', 'configmap'] as const;

/** The answer with what is recorded in the named store, or else in the first store that has something. Throws ApiError. */
export async function explainRecorded(
  explainer: Explainer,
  request: ExplainRequest,
  store: OperatorConfig['snapshotStore'] | undefined,
): Promise<Explanation | null> {
  const explainWith = (snapshotStore: OperatorConfig['snapshotStore']): Promise<Explanation | null> =>
    explainer.explain({ ...request, config: { ...request.config, snapshotStore } });
  if (store !== undefined || !explainer.hasSnapshots) return explainWith(store ?? 'status');
  let last: Explanation | null = null;
  for (const each of STORES) {
    last = await explainWith(each);
    if (last === null || last.since !== null) break;
  }
  return last;
}

/** All explainers. */
export const EXPLAINERS: readonly Explainer[] = [
  {
    kinds: ['kubeadmconfig', 'kubeadmconfigs'],
    hasSnapshots: true,
    async explain({ client, config, namespace, name, nowMs }) {
      const { tokenTtlMs, recreateLostTokens, snapshotStore, watchFilter } = config;
      const settings = { tokenTtlMs, recreateLostTokens, snapshotStore, watchFilter };
      const view = await readView(client, `${namespace}/${name}`, {
        settings,
        hasMachinePools: config.featureGates.MachinePool,
      });
      if (view === null) return null;
      return explainView(view, null, { nowMs, settings, warnings: await readDoubts(client, view, { nowMs }) });
    },
  },
  { kinds: ['machine', 'machines', 'ma'], hasSnapshots: true, explain: explainMachineLive },
  { kinds: ['cluster', 'clusters', 'cl'], hasSnapshots: false, explain: explainClusterLive },
  {
    kinds: ['kubeadmcontrolplane', 'kubeadmcontrolplanes', 'kcp'],
    hasSnapshots: false,
    explain: explainControlPlaneLive,
  },
];
