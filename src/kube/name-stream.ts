// Tells which objects of a resource change, and keeps nothing: for Secrets that somebody waits for by name.
//
// Only metadata travels. What happened while the stream was broken is not known, so then everybody is told to look.

import type { ApiFailure, Resource } from './contract.js';
import { reflectorObserver, type InformerBase } from './informer.js';
import { runReflector } from './reflector.js';

/** One change, or changes that nobody saw. */
export type NameChange =
  { readonly kind: 'changed'; readonly namespace: string; readonly name: string } | { readonly kind: 'missed' };

/** A stream of names. */
export interface NameStream {
  subscribe(listener: (change: NameChange) => void): () => void;
  /** Runs until the signal ends. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  problem(): ApiFailure | null;
}

/** A stream over one namespace, or over all. */
export function createNameStream(
  base: InformerBase,
  options: { readonly resource: Resource; readonly namespace?: string },
): NameStream {
  const listeners = new Set<(change: NameChange) => void>();
  const { resource, namespace = '' } = options;
  let problem: ApiFailure | null = null;
  const tell = (change: NameChange): void => {
    problem = null;
    for (const listener of [...listeners]) {
      try {
        listener(change);
      } catch (error) {
        base.observer?.onBug?.(resource, error);
      }
    }
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    problem: () => problem,
    run: (signal) =>
      runReflector(
        {
          ...base,
          resource,
          ...(namespace === '' ? {} : { namespace }),
          metadataOnly: true,
          eventsOnly: true,
          firstList: 'current',
          observer: reflectorObserver(resource, base.observer, {
            failed: (failure) => (problem = failure),
            recovered: () => (problem = null),
          }),
          target: {
            mark: () => 0,
            replace: () => tell({ kind: 'missed' }),
            apply: (_, { metadata }) =>
              tell({ kind: 'changed', namespace: metadata.namespace ?? '', name: metadata.name }),
            bookmark: () => void (problem = null),
          },
        },
        signal,
      ),
  };
}
