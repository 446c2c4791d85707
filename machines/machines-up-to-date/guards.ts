// The questions of the table, one for each trigger. Pure and total.

import type { Guards } from '../kit/chart.js';
import type { Facts } from './facts.js';

export const isFilteredOut = (f: Facts): boolean => !f.isHandled;
export const isOwnerless = (f: Facts): boolean => !f.hasOwnerCluster;
export const isClusterMissing = (f: Facts): boolean => !f.hasCluster;
export const isPaused = (f: Facts): boolean => f.isPaused;

export const isMachineListMissing = (f: Facts): boolean => f.machines === 'unlisted';
export const hasAdoptableMachine = (f: Facts): boolean => f.machines === 'adoptable';
export const hasForeignMachine = (f: Facts): boolean => f.machines === 'foreign';
export const hasNoMachine = (f: Facts): boolean => f.machines === 'none';
export const isAggregationFailed = (f: Facts): boolean => f.machines === 'failed';
export const hasOutdatedMachine = (f: Facts): boolean => f.machines === 'False';
export const hasUnknownMachine = (f: Facts): boolean => f.machines === 'Unknown';
export const always = (): boolean => true;

/** The guards of the chart, by the names that it shows. */
export const guards = {
  isFilteredOut,
  isOwnerless,
  isClusterMissing,
  isPaused,
  isMachineListMissing,
  hasAdoptableMachine,
  hasForeignMachine,
  hasNoMachine,
  isAggregationFailed,
  hasOutdatedMachine,
  hasUnknownMachine,
  always,
} as const satisfies Guards<Facts>;

/** Name of a guard. */
export type Guard = keyof typeof guards;
