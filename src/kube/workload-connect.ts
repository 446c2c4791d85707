// Makes the client of one workload cluster from its kubeconfig, and checks that the cluster answers.
//
//   O1. A cluster is reachable when it answers `/`, with whatever body, and accepts who we are; whether we may read `/` does not
//       matter.
//   O2. Where the workload cluster is the cluster that this process runs in, its address and CA are those of the pod: the
//       public address may not be reachable from inside. Credentials stay those of the kubeconfig.

import type { Clock } from '../host/contract.js';
import {
  WORKLOAD_ANSWER_BYTES_MAX,
  WORKLOAD_ANSWER_DEPTH_MAX,
  WORKLOAD_ANSWER_VALUES_MAX,
  WORKLOAD_BYTES_MAX,
  WORKLOAD_CALL_TIMEOUT_MS,
  WORKLOAD_FURTHER_SOCKET_MS,
  WORKLOAD_LINE_BYTES_MAX,
  WORKLOAD_LIST_BYTES_MAX,
  WORKLOAD_LIST_VALUES_MAX,
  WORKLOAD_OWN_BYTES,
  WORKLOAD_PROBE_TIMEOUT_MS,
  WORKLOAD_SHARE_BYTES_MAX,
  WORKLOAD_SOCKETS_MAX,
} from '../limits.js';
import { AccessError, type ServerAccess } from './access.js';
import { createApiClient, type FullApiClient } from './client.js';
import type { KubeObject, Resource } from './contract.js';
import type { AnswerLimits, ClientObserver, WriteGate } from './exchange.js';
import { isApiError } from './failures.js';
import { createHttpsTransport } from './https-transport.js';
import { createByteBudget, shareOf, type ByteBudget } from './kept-bytes.js';
import { accessOfKubeconfig } from './kubeconfig.js';
import { createRateLimiters } from './rate-limiter.js';

/** The pod that this process runs in. */
export interface OwnPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Address and CA of the API server of the pod's cluster. */
  readonly server: string;
  readonly ca: () => Promise<string>;
}

/** What connecting needs. */
export interface WorkloadConnectOptions {
  readonly parseYaml: (text: string) => unknown;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly fieldManager: string;
  readonly qps: number;
  readonly burst: number;
  /** Null outside of a pod, or where POD_NAMESPACE, POD_NAME or POD_UID is not set. */
  readonly ownPod: OwnPod | null;
  readonly gate?: WriteGate;
  readonly observer?: ClientObserver;
  /** Told of each client by its host; what comes back is told when it is closed. */
  readonly onOpened?: (host: string) => () => void;
  /** Told how long each request to a host waited for the rate limit. */
  readonly onThrottle?: (host: string) => (waitedMs: number) => void;
}

const pods: Resource = Object.freeze({ group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true });

/** A function that connects. Its errors say in one line why not. */
export function workloadConnect(
  options: WorkloadConnectOptions,
): (kubeconfigText: string, signal: AbortSignal) => Promise<FullApiClient> {
  const whole = createByteBudget(WORKLOAD_BYTES_MAX);
  return async (text, signal) => {
    const answers = answersOf(whole);
    const clientFor = (given: ServerAccess): FullApiClient => newClient(options, given, answers);
    const access = within('error creating REST config: ', () => accessOfKubeconfig(parse(options, text)));
    const client = clientFor(access);
    try {
      await probe(client, signal);
      const inside = await insideAccess(options, access, client, signal);
      if (inside === null) return client;
      await client.close();
      const near = clientFor(inside);
      await probe(near, signal).catch(async (error: unknown) => {
        await near.close();
        throw error;
      });
      return near;
    } catch (error) {
      await client.close();
      throw error;
    }
  };
}

/** What one cluster may make us keep. */
function answersOf(whole: ByteBudget): AnswerLimits {
  return {
    objectBytesMax: WORKLOAD_ANSWER_BYTES_MAX,
    listBytesMax: WORKLOAD_LIST_BYTES_MAX,
    lineBytesMax: WORKLOAD_LINE_BYTES_MAX,
    extent: {
      objectValuesMax: WORKLOAD_ANSWER_VALUES_MAX,
      listValuesMax: WORKLOAD_LIST_VALUES_MAX,
      depthMax: WORKLOAD_ANSWER_DEPTH_MAX,
    },
    budget: shareOf(whole, { bytesMax: WORKLOAD_SHARE_BYTES_MAX, ownBytes: WORKLOAD_OWN_BYTES }),
  };
}

/** Our own words, or the kind of mistake and its place: a parser's text quotes the document. */
function parse({ parseYaml }: WorkloadConnectOptions, text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof AccessError) throw error;
    const { code, pos } = error as { readonly code?: unknown; readonly pos?: readonly unknown[] };
    const kind = typeof code === 'string' ? `: ${code}` : '';
    const place = typeof pos?.[0] === 'number' ? ` at character ${pos[0]}` : '';
    throw new AccessError(`error parsing kubeconfig: it is not YAML${kind}${place}`);
  }
}

function within<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new AccessError(`${prefix}${(error as Error).message}`);
  }
}

function newClient(options: WorkloadConnectOptions, access: ServerAccess, answers: AnswerLimits): FullApiClient {
  const { clock, environment, userAgent, fieldManager, qps, burst, gate, observer, onOpened, onThrottle } = options;
  return within('error creating HTTP client and mapper: error creating HTTP client: ', () => {
    const transport = createHttpsTransport({
      access,
      clock,
      environment,
      socketsMax: WORKLOAD_SOCKETS_MAX,
      furtherAfterMs: WORKLOAD_FURTHER_SOCKET_MS,
    });
    const onWait = onThrottle?.(transport.host);
    const client = createApiClient({
      transport,
      clock,
      userAgent,
      fieldManager,
      timeoutMs: WORKLOAD_CALL_TIMEOUT_MS,
      answers,
      limiters: createRateLimiters({ qps, burst, clock, ...(onWait === undefined ? {} : { onWait }) }),
      ...(gate === undefined ? {} : { gate }),
      ...(observer === undefined ? {} : { observer }),
    });
    const onClosed = onOpened?.(transport.host);
    return onClosed === undefined ? client : { ...client, close: () => client.close().finally(onClosed) };
  });
}

async function probe(client: FullApiClient, signal: AbortSignal): Promise<void> {
  try {
    await client.ping('/', { signal, timeoutMs: WORKLOAD_PROBE_TIMEOUT_MS });
  } catch (error) {
    if (isApiError(error, 'Forbidden', 'NotFound', 'NoSuchResource')) return;
    throw new Error(`error creating HTTP client and mapper: cluster is not reachable: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function insideAccess(
  { ownPod }: WorkloadConnectOptions,
  access: ServerAccess,
  client: FullApiClient,
  signal: AbortSignal,
): Promise<ServerAccess | null> {
  if (ownPod === null) return null;
  const { namespace, name, uid, server } = ownPod;
  try {
    const pod = await client.get<KubeObject>({ resource: pods, namespace, name }, { signal });
    if (pod.metadata.uid !== uid) return null;
    const ca = await ownPod.ca();
    const identity = async (): ReturnType<ServerAccess['identity']> => ({ ...(await access.identity()), ca });
    return { ...access, server, tlsServerName: '', insecureSkipTlsVerify: false, proxyUrl: '', identity };
  } catch (error) {
    if (isApiError(error, 'NotFound')) return null;
    throw new Error(`error checking if we're running on workload cluster: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
