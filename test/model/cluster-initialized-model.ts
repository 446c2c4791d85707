// The model of ControlPlaneInitialized: every combination of its facts.

import { createChart } from '../../machines/cluster-initialized/chart.js';
import { table } from '../../machines/cluster-initialized/table.js';
import { base } from '../unit/cluster-initialized/examples.js';
import { anyModel } from './kit/model.js';

const both = [false, true];

/** The machine and its surroundings. */
export const clusterInitializedModel = anyModel({
  table,
  createChart,
  base,
  axes: {
    isHandled: both,
    isPaused: both,
    isDeleting: both,
    isInitialized: both,
    hasControlPlaneRef: both,
    hasTopology: both,
    controlPlane: ['unwatched', 'unavailable', 'missing', 'unreadable', 'initialized', 'notInitialized'],
    machines: ['unlisted', 'node', 'leavingNode', 'noNode'],
    isControlPlaneDeleting: both,
    isTwinInitialized: both,
    reasons: ['table', 'upstream'],
  },
  answers: {
    watchControlPlane: () =>
      (['unavailable', 'missing', 'unreadable', 'initialized', 'notInitialized'] as const).map((controlPlane) => ({
        type: 'CONTROL_PLANE_WATCHED' as const,
        learned: { controlPlane },
      })),
  },
  failures: [{ request: 'watchControlPlane', kind: 'ControlPlaneUnavailable', message: 'no' }],
});
