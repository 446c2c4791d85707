// Fields that selectors may name: name and namespace of every kind, and what the kind adds. All others are refused.
import { at, textAt } from '../json.js';
import type { FieldReader } from '../selectors.js';
import type { ApiObject } from '../types.js';

/** The reader of a kind with selectable fields, as paths. */
export function fieldReader(namespaced: boolean, selectable: Readonly<Record<string, readonly string[]>>): FieldReader {
  return (field) => {
    if (field === 'metadata.name') return (object: ApiObject) => object.metadata.name;
    if (field === 'metadata.namespace' && namespaced) return (object: ApiObject) => object.metadata.namespace ?? '';
    const path = selectable[field];
    if (path === undefined) return undefined;
    return (object: ApiObject) => {
      const value = at(object, ...path);
      return typeof value === 'boolean' ? String(value) : textAt(object, ...path);
    };
  };
}
