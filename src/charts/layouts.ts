// The finished layouts, by machine.

import { clusterInitializedLayout } from './layouts/cluster-initialized.js';
import { kubeadmconfigLayout } from './layouts/kubeadmconfig.js';
import { machineLayout } from './layouts/machine.js';
import { machinesUpToDateLayout } from './layouts/machines-up-to-date.js';
import type { ChartLayout } from './model.js';

/** Where everything is on each chart. */
export const LAYOUTS: Readonly<Record<string, ChartLayout>> = {
  kubeadmconfig: kubeadmconfigLayout,
  machine: machineLayout,
  'cluster-initialized': clusterInitializedLayout,
  'machines-up-to-date': machinesUpToDateLayout,
};
