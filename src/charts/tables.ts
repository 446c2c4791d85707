// Every machine of the product, for whoever shows all of them. Importing a machine starts nothing.

import { table as kubeadmConfig } from '../../machines/kubeadmconfig/table.js';
import type { AnyTable } from './model.js';

/** All transition tables, the main one first. */
export const ALL_TABLES: readonly AnyTable[] = [kubeadmConfig].map((table) => table as unknown as AnyTable);
