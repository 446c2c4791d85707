// Looking at the world without caches: what a view asks for is read live, and the view is made again until it asks for nothing
// that has not been read.
//
//   L1. Every object is read once; a view is made of one set of answers.
//   L2. What cannot be read is an ApiError, except for kinds that are found at run time: those are facts about the kind.

import type { ContractReference } from '../api/core.js';
import {
  crdNames,
  externalKind,
  type ExternalKind,
  type KindAnswer,
} from '../controllers/machine/external/contract-version.js';
import type { ExternalObjects } from '../controllers/machine/external/external-objects.js';
import type { ExternalLook } from '../controllers/machine/external/readings.js';
import { kinds, type ExternalObjectJson } from '../controllers/machine/objects.js';
import { ApiError, type ApiClient, type KubeObject, type Resource } from '../kube/contract.js';
import { isApiError } from '../kube/failures.js';

/** Reads that answer at once: with what is known, or with nothing for now. */
export interface LiveReads {
  get<T extends KubeObject>(resource: Resource, namespace: string, name: string): T | undefined;
  list<T extends KubeObject>(resource: Resource, namespace: string, labelSelector: string): readonly T[];
  readonly externals: Pick<ExternalObjects, 'look' | 'kindOf'>;
}

type Answer = readonly KubeObject[] | ApiError;

/** Makes a view of live reads. */
export async function lookLive<V>(client: ApiClient, look: (reads: LiveReads) => V): Promise<V> {
  const known = new Map<string, Answer>();
  for (;;) {
    const wanted = new Map<string, () => Promise<Answer>>();
    const view = look(readsOf(client, known, wanted));
    if (wanted.size === 0) return view;
    await Promise.all([...wanted].map(async ([id, read]) => known.set(id, await read())));
  }
}

function readsOf(
  client: ApiClient,
  known: ReadonlyMap<string, Answer>,
  wanted: Map<string, () => Promise<Answer>>,
): LiveReads {
  const answer = (id: string, read: () => Promise<readonly KubeObject[]>): Answer | null => {
    const found = known.get(id);
    if (found === undefined) wanted.set(id, () => settled(read()));
    return found ?? null;
  };
  const object = (resource: Resource, namespace: string, name: string, metadataOnly = false): Answer | null =>
    answer(`${resource.group}/${resource.plural}/${namespace}/${name}`, async () => [
      await client.get({ resource, namespace, name }, { metadataOnly }),
    ]);
  const kindOf = (reference: ContractReference): KindAnswer | null => {
    const answers = crdNames(reference).map((name) => object(kinds.customResourceDefinition, '', name, true));
    if (answers.includes(null)) return null;
    const problem = answers.find((each) => each instanceof ApiError);
    const crd = answers.flatMap((each) => (each === null || each instanceof ApiError ? [] : each))[0];
    return crd === undefined && problem !== undefined ? { problem: problem.message } : externalKind(reference, crd);
  };
  return {
    get: <T extends KubeObject>(resource: Resource, namespace: string, name: string) =>
      found(object(resource, namespace, name))[0] as T | undefined,
    list: <T extends KubeObject>(resource: Resource, namespace: string, labelSelector: string) =>
      found(
        answer(`${resource.plural}/${namespace}?${labelSelector}`, async () => {
          const { items } = await client.list(resource, { namespace, labelSelector });
          return items;
        }),
      ) as readonly T[],
    externals: {
      look(reference, namespace): ExternalLook {
        const answerOfKind = kindOf(reference);
        if (answerOfKind === null) return { kind: 'unwatched' };
        if ('problem' in answerOfKind) return { kind: 'unreadable', message: answerOfKind.problem };
        const { resource, contract } = answerOfKind.kind;
        const read = object(resource, namespace, reference.name);
        if (read === null) return { kind: 'unwatched' };
        if (read instanceof ApiError) return { kind: 'unreadable', message: read.message };
        const [first] = read;
        return first === undefined
          ? { kind: 'missing' }
          : { kind: 'found', object: first as ExternalObjectJson, contract };
      },
      kindOf(reference): ExternalKind | null {
        const answerOfKind = kindOf(reference);
        return answerOfKind !== null && 'kind' in answerOfKind ? answerOfKind.kind : null;
      },
    },
  };
}

/** Nothing found is an answer; what else went wrong is kept as it is. */
async function settled(read: Promise<readonly KubeObject[]>): Promise<Answer> {
  try {
    return await read;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return [];
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function found(answer: Answer | null): readonly KubeObject[] {
  if (answer instanceof ApiError) throw answer;
  return answer ?? [];
}
