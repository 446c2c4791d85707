// Who explains which kind from the cluster alone.

import type { Explanation } from '../../machines/kit/explanation.js';
import { readDoubts } from '../controllers/kubeadmconfig/certificate-doubts.js';
import { explainView, readView } from '../controllers/kubeadmconfig/explain.js';
import { explainClusterLive, explainControlPlaneLive } from './explain-condition.js';
import { explainMachineLive } from './explain-machine.js';
import type { ExplainRequest } from './explain-request.js';

/** Explains objects of one kind. */
export interface Explainer {
  /** Words for the kind, the usual one first. */
  readonly kinds: readonly string[];
  /** The answer; null when the object does not exist. Throws ApiError. */
  explain(request: ExplainRequest): Promise<Explanation | null>;
}

/** All explainers. */
export const EXPLAINERS: readonly Explainer[] = [
  {
    kinds: ['kubeadmconfig', 'kubeadmconfigs'],
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
  { kinds: ['machine', 'machines', 'ma'], explain: explainMachineLive },
  { kinds: ['cluster', 'clusters', 'cl'], explain: explainClusterLive },
  { kinds: ['kubeadmcontrolplane', 'kubeadmcontrolplanes', 'kcp'], explain: explainControlPlaneLive },
];
