// What the caches of a process show, beside what is there: once faults stop the two are the same.
import type { SharedCaches } from '../../../src/cli/controller-module.js';
import type { StoreInspection } from '../../../src/embedded/types.js';
import type { Cache, KubeObject } from '../../../src/kube/contract.js';
import type { InformerOptions } from '../../../src/kube/informer.js';

/** A cache that a process reads, with what it leaves out. */
export interface ShownCache {
  readonly cache: Cache<KubeObject>;
  /** The label that its objects have; undefined where it holds all. */
  readonly label: string | undefined;
}

/** The caches of a process, with a list of those that it reads at the moment. */
export function withShown<T extends SharedCaches>(caches: T): { readonly caches: T; readonly shown: Set<ShownCache> } {
  const shown = new Set<ShownCache>();
  const add = (cache: unknown, label: string | undefined): ShownCache => {
    const each = { cache: cache as Cache<KubeObject>, label };
    shown.add(each);
    return each;
  };
  const { informers } = caches;
  return {
    shown,
    caches: {
      ...caches,
      informers: {
        ...informers,
        declare<O extends KubeObject>(options: InformerOptions<O>) {
          const cache = informers.declare<O>(options);
          add(cache, options.labelSelector);
          return cache;
        },
        hold<O extends KubeObject>(options: InformerOptions<O>) {
          const held = informers.hold<O>(options);
          const each = add(held.cache, options.labelSelector);
          return { ...held, release: () => (shown.delete(each), held.release()) };
        },
      },
    },
  };
}

/** What caches show that is not so, and what they do not show; empty for nothing. */
export function untruths(shown: Iterable<ShownCache>, store: StoreInspection): readonly string[] {
  return [...shown].flatMap(({ cache, label }) => {
    const { group, plural } = cache.resource;
    const isHeld = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
      label === undefined || metadata.labels?.[label] !== undefined;
    const there = versions(store.list(group === '' ? plural : `${plural}.${group}`).filter(isHeld));
    const cached = versions(cache.list());
    return [...new Set([...there.keys(), ...cached.keys()])]
      .filter((name) => there.get(name) !== cached.get(name))
      .map(
        (name) => `${plural}/${name} at ${cached.get(name) ?? 'nothing'} instead of ${there.get(name) ?? 'nothing'}`,
      );
  });
}

function versions(objects: readonly Pick<KubeObject, 'metadata'>[]): ReadonlyMap<string, string> {
  return new Map(
    objects.map(({ metadata: { namespace = '', name, resourceVersion = '' } }) => [
      `${namespace}/${name}`,
      resourceVersion,
    ]),
  );
}
