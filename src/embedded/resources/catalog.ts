// All resources that are served right now: the built-in ones, and one for each CustomResourceDefinition in the store.
import { noSuchResource } from '../failure.js';
import type { ApiObject, RequestInfo } from '../types.js';
import { builtinResources } from './builtin.js';
import { customResource } from './custom.js';
import type { ResourceDefinition } from './definition.js';

/** Finds resources; kept up to date as definitions come and go. */
export interface Catalog {
  all(): readonly ResourceDefinition[];
  find(group: string, version: string, plural: string): ResourceDefinition | undefined;
  /** By `plural` or `plural.group`, as kubectl names resources. */
  byName(name: string): ResourceDefinition | undefined;
  byKind(apiVersion: string, kind: string): ResourceDefinition | undefined;
  /** Serves what a definition defines, instead of what it defined before. */
  define(crd: ApiObject): ResourceDefinition;
  /** Stops serving it. */
  undefine(crdName: string): ResourceDefinition | undefined;
  /** Counts changes: discovery answers may be kept until it moves. */
  generation(): number;
}

/** A catalog with the built-in resources. */
export function createCatalog(): Catalog {
  const custom = new Map<string, ResourceDefinition>();
  let byPath = new Map<string, ResourceDefinition>();
  let byKind = new Map<string, ResourceDefinition>();
  let generation = 0;

  const index = (): void => {
    generation += 1;
    const all = [...builtinResources, ...custom.values()];
    byPath = new Map(all.map((found) => [`${found.group}/${found.version}/${found.plural}`, found]));
    byKind = new Map(all.map((found) => [`${found.group}/${found.kind}`, found]));
  };
  index();

  return {
    all: () => [...byPath.values()],
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    byName(name) {
      const [plural = '', ...group] = name.split('.');
      return [...byPath.values()].find((found) => found.plural === plural && found.group === group.join('.'));
    },
    byKind(apiVersion, kind) {
      const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
      return byKind.get(`${group}/${kind}`);
    },
    define(crd) {
      const defined = customResource(crd);
      custom.set(crd.metadata.name, defined);
      index();
      return defined;
    },
    undefine(crdName) {
      const gone = custom.get(crdName);
      custom.delete(crdName);
      index();
      return gone;
    },
    generation: () => generation,
  };
}

/** The resource that a request names, or 404. */
export function resourceOf(catalog: Catalog, info: RequestInfo): ResourceDefinition {
  const found = catalog.find(info.group, info.version, info.resource);
  if (found === undefined) throw noSuchResource();
  return found;
}
