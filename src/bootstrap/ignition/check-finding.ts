// What the checks of an Ignition configuration find. Types only.
import type { EntryKind } from './report.js';

/** A step into the configuration: a key or an index. */
export type PathStep = string | number;

/** A finding and the path of the value it is about. */
export interface CheckFinding {
  readonly kind: EntryKind;
  readonly message: string;
  readonly path: readonly PathStep[];
}

/** Collects findings. */
export type Report = (kind: EntryKind, message: string, path: readonly PathStep[]) => void;
