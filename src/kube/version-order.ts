// Things in the order of the versions that they wait for, so that a version that is reached costs only those whom it frees.

import { compareVersions } from './resource-version.js';

/** Something that waits for a version. */
export interface Versioned {
  readonly resourceVersion: string;
}

/** Things in order, oldest version first. */
export interface VersionOrder<T extends Versioned> {
  add(item: T): void;
  /** Takes out those of this version and of older ones. */
  take(resourceVersion: string): readonly T[];
  /** Begins anew with these. */
  reset(items: Iterable<T>): void;
}

/** Who counts still: those who do not are left in the order until they surface, or until there are too many of them. */
export interface Living<T> {
  isAlive(item: T): boolean;
  count(): number;
}

/** So many more than twice the living may be in the order. */
const SLACK = 64;

/** An empty order. */
export function createVersionOrder<T extends Versioned>({ isAlive, count }: Living<T>): VersionOrder<T> {
  let items: T[] = [];
  return {
    add(item) {
      if (items.length > 2 * count() + SLACK) items = items.filter(isAlive);
      // Versions grow: nearly always it is the last one.
      let index = items.length;
      while (index > 0 && compareVersions(items[index - 1]?.resourceVersion ?? '', item.resourceVersion) > 0)
        index -= 1;
      items.splice(index, 0, item);
    },
    take(resourceVersion) {
      const first = items[0];
      if (first === undefined || compareVersions(first.resourceVersion, resourceVersion) > 0) return [];
      const left = items.findIndex((each) => compareVersions(each.resourceVersion, resourceVersion) > 0);
      return items.splice(0, left === -1 ? items.length : left).filter(isAlive);
    },
    reset(those) {
      items = [...those].sort((one, other) => compareVersions(one.resourceVersion, other.resourceVersion));
    },
  };
}
