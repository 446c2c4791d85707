// The finished layouts, by machine.

import { kubeadmconfigLayout } from './layouts/kubeadmconfig.js';
import type { ChartLayout } from './model.js';

/** Where everything is on each chart. */
export const LAYOUTS: Readonly<Record<string, ChartLayout>> = {
  kubeadmconfig: kubeadmconfigLayout,
};
