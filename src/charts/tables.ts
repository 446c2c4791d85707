// Every machine of the product, for whoever shows all of them. Importing a machine starts nothing.

import { table as clusterInitialized } from '../../machines/cluster-initialized/table.js';
import { table as kubeadmConfig } from '../../machines/kubeadmconfig/table.js';
import { machineTable } from '../../machines/machine/table.js';
import { table as machinesUpToDate } from '../../machines/machines-up-to-date/table.js';
import type { AnyTable } from './model.js';

/** All transition tables, the main one first. */
export const ALL_TABLES: readonly AnyTable[] = [kubeadmConfig, machineTable, clusterInitialized, machinesUpToDate].map(
  (table) => table as unknown as AnyTable,
);
