// The questions of the table, one for each trigger. Pure and total.

import type { Guards } from '../kit/chart.js';
import type { Facts } from './facts.js';

export const isInitialized = (f: Facts): boolean => f.isInitialized;
export const isFilteredOut = (f: Facts): boolean => !f.isHandled;
export const isPaused = (f: Facts): boolean => f.isPaused;

export const isTopologyPending = (f: Facts): boolean => !f.hasControlPlaneRef && f.hasTopology && !f.isDeleting;
export const isTopologyLeaving = (f: Facts): boolean => !f.hasControlPlaneRef && f.hasTopology;

export const isControlPlaneUnwatched = (f: Facts): boolean => f.hasControlPlaneRef && f.controlPlane === 'unwatched';
export const isControlPlaneUnavailable = (f: Facts): boolean =>
  f.hasControlPlaneRef && f.controlPlane === 'unavailable';
export const isControlPlaneMissing = (f: Facts): boolean => f.hasControlPlaneRef && f.controlPlane === 'missing';
export const isControlPlaneUnreadable = (f: Facts): boolean => f.hasControlPlaneRef && f.controlPlane === 'unreadable';
export const isControlPlaneInitialized = (f: Facts): boolean =>
  f.hasControlPlaneRef && f.controlPlane === 'initialized';
export const hasControlPlane = (f: Facts): boolean => f.hasControlPlaneRef;

export const isMachineListMissing = (f: Facts): boolean => f.machines === 'unlisted';
export const hasNode = (f: Facts): boolean => f.machines === 'node' || f.machines === 'leavingNode';
export const always = (): boolean => true;

/** The guards of the chart, by the names that it shows. */
export const guards = {
  isInitialized,
  isFilteredOut,
  isPaused,
  isTopologyPending,
  isTopologyLeaving,
  isControlPlaneUnwatched,
  isControlPlaneUnavailable,
  isControlPlaneMissing,
  isControlPlaneUnreadable,
  isControlPlaneInitialized,
  hasControlPlane,
  isMachineListMissing,
  hasNode,
  always,
} as const satisfies Guards<Facts>;

/** Name of a guard. */
export type Guard = keyof typeof guards;
