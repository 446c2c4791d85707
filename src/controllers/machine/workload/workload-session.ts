// One connection to a workload cluster in use: the watch of its Nodes, caches for waits, and a client whose calls are noted.
//
//   E1. Whoever made the session is told of each sign of life and of each failure, and nothing after the session's end. That the
//       server answers is one thing, that it lets Nodes be read another.
//   E2. A broken watch is the reflector's to repair; a session ends only with its connection, or when its cluster is down.

import type { Clock, Random } from '../../../host/contract.js';
import type { ApiClient, ApiFailure, Cache, CacheChange, KubeObject } from '../../../kube/contract.js';
import { isApiError, isOfThisSide, isSilence } from '../../../kube/failures.js';
import { createInformer } from '../../../kube/informer.js';
import { createInformers, type Informers } from '../../../kube/informers.js';
import { watchedClient } from '../../../kube/watched-client.js';
import type { Logger } from '../../../log.js';
import { kinds, type StoredNode } from '../objects.js';

/** Index of Nodes by `spec.providerID`. */
export const providerIdIndex = 'spec.providerID';

/** A session that runs. */
export interface Session {
  /** The connection's own client, by which a new connection is told from this one. */
  readonly connection: ApiClient;
  /** The same for effects: what becomes of its calls is told. */
  readonly client: ApiClient;
  readonly nodes: Cache<StoredNode>;
  readonly informers: Informers;
  readonly lifetime: AbortController;
}

/** Told what a session hears. */
export interface SessionListener {
  /** The server answers, if only with a refusal. */
  onHeard(): void;
  /** A list or a watch of Nodes was answered, or has shown something. */
  onNodesRead(): void;
  /** A list or a watch of Nodes failed. */
  onNodesFailure(message: string): void;
  /** Nothing was heard of the server. */
  onFailure(message: string): void;
  /** A call was not answered. */
  onSilence(message: string): void;
  /** The Nodes are known from now on. */
  onSynced(): void;
  onNode(change: CacheChange<StoredNode>): void;
}

/** What a session needs. */
export interface SessionOptions {
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly log: Logger;
}

/** Starts watching. */
export function startSession(connection: ApiClient, options: SessionOptions, told: SessionListener): Session {
  const { clock, random, log } = options;
  const lifetime = new AbortController();
  const { signal } = lifetime;
  const base = { client: connection, clock, random };
  const onBug = (resource: { readonly kind: string }, error: unknown): void =>
    log.error('A listener of a workload cache failed', { kind: resource.kind, err: error });
  const alive = (tell: () => void): void => void (signal.aborted || tell());
  const nodesRead = (): void => alive(() => told.onNodesRead());
  const nodesFailed = (failure: ApiFailure): void => {
    told.onNodesFailure(failure.message);
    if (isAnswered(failure)) told.onHeard();
    else if (!isOfThisSide(failure)) told.onFailure(failure.message);
  };
  const nodes = createInformer<StoredNode>(
    {
      ...base,
      observer: {
        onBug,
        onList: nodesRead,
        onWatchOpened: nodesRead,
        onFailure: (_, failure) => alive(() => nodesFailed(failure)),
      },
    },
    {
      resource: kinds.node,
      firstList: 'current',
      project: projectNode,
      indexes: { [providerIdIndex]: (node) => (node.spec?.providerID ? [node.spec.providerID] : []) },
    },
  );
  const informers = createInformers({ ...base, observer: { onBug } });
  informers.start(signal);
  const client = watchedClient(connection, {
    began: () => undefined,
    ended: (error) =>
      alive(() => {
        if (isSilence(error)) told.onSilence(messageOf(error));
        else if (isAnswer(error)) told.onHeard();
      }),
  });
  nodes.store.subscribe((change) => alive(() => told.onNode(change)));
  nodes.store.onMove(nodesRead);
  void nodes.run(signal);
  void nodes.store.whenSynced().then(() => alive(() => told.onSynced()));
  return { connection, client, nodes: nodes.store, informers, lifetime };
}

/** True for a success and for what an API server refuses; a 5xx may come from what stands before it. */
export function isAnswer(error: unknown): boolean {
  if (error === undefined) return true;
  return isApiError(error) && isAnswered(error.failure);
}

function isAnswered({ status }: ApiFailure): boolean {
  return status !== null && status < 500;
}

/** A Node without what nobody reads: images and volumes in use are most of it. */
function projectNode(object: KubeObject): StoredNode {
  const { apiVersion, kind, metadata, spec, status } = object as StoredNode;
  const { conditions, nodeInfo, volumesAttached } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata,
    ...(spec === undefined ? {} : { spec }),
    status: {
      ...(conditions === undefined ? {} : { conditions }),
      ...(nodeInfo === undefined ? {} : { nodeInfo }),
      ...(volumesAttached === undefined ? {} : { volumesAttached }),
    },
  };
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
