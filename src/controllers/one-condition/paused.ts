// Whether an object is to be left alone: paused, or not selected by the watch filter.

import { annotation, label } from '../../api/names.js';
import type { KubeObject } from '../../kube/contract.js';

/** The pause annotation is there, with any value. */
export function hasPausedAnnotation({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotation.paused] !== undefined;
}

/** The watch filter selects the object; an empty filter selects every one. */
export function isSelected({ metadata }: KubeObject, watchFilter: string): boolean {
  return watchFilter === '' || metadata.labels?.[label.watchFilter] === watchFilter;
}

/** The group of an apiVersion; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** `namespace/name`. */
export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
