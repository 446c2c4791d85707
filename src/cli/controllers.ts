// Every controller of the product, by name.

import type { ControllerModule } from './controller-module.js';
import { kubeadmConfigModule } from './modules/kubeadmconfig.js';
import { machineModule } from './modules/machine.js';
import { clusterInitializedModule, machinesUpToDateModule } from './modules/one-condition.js';

/** All controllers, the main one first. */
export const CONTROLLER_MODULES: readonly ControllerModule[] = [
  kubeadmConfigModule,
  machineModule,
  clusterInitializedModule,
  machinesUpToDateModule,
];
