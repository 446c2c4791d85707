// The Pods of a Node with what is to be done with each, read live.

import type { StringMap } from '../../../api/core.js';
import { resources } from '../../../api/names.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import type { ApiClient } from '../../../kube/contract.js';
import { isApiError } from '../../../kube/failures.js';
import {
  controllerOf,
  kinds,
  keyOf,
  type StoredCluster,
  type StoredDrainRule,
  type StoredMachine,
  type StoredNode,
  type StoredPod,
} from '../objects.js';
import { listAll } from '../workload/list-all.js';
import { classifyPod, type DaemonSetAnswer } from './classify-pod.js';
import type { DaemonSets } from './daemon-sets.js';
import { matchingRules } from './drain-rules.js';
import { classifyProblem, type ClassifiedPod } from './group-pods.js';

/** What is asked, and about which Node. */
export interface NodePodsOptions {
  readonly client: Pick<ApiClient, 'list' | 'get'>;
  readonly daemonSets: DaemonSets;
  readonly node: string;
  readonly machine: StoredMachine;
  readonly cluster: StoredCluster;
  /** The rules of the Machine's namespace. */
  readonly rules: readonly StoredDrainRule[];
  readonly nowMs: number;
  /** Pods that have been terminating for longer are skipped; null for no such limit. */
  readonly terminatingMaxMs: number | null;
  readonly signal: AbortSignal;
}

/** True for a Node whose kubelet is not heard any more. */
export function isUnreachable({ status }: StoredNode): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'Unknown') === true;
}

/** Classifies the Pods of a Node. Throws EffectFailure where one of them cannot be. */
export async function classifiedPods(options: NodePodsOptions): Promise<readonly ClassifiedPod[]> {
  const { client, node, machine, cluster, signal } = options;
  const pods = await prefixed(
    'failed to get Pods for eviction',
    listAll<StoredPod>(client, kinds.pod, { fieldSelector: `spec.nodeName=${node}`, signal }),
  );
  if (pods.length === 0) return [];
  const matching = matchingRules(options.rules, machine, cluster);
  if (matching.kind === 'invalid') {
    const { namespace = '', name } = matching.rule.metadata;
    const { apiVersion, kind } = resources.MachineDrainRule;
    const object = { apiVersion, kind, namespace, name };
    throw new EffectFailure('InvalidDrainRule', `failed to get Pods for eviction: ${matching.problem}`, object);
  }
  const namespaces = await prefixed(
    'failed to get Pods for eviction: failed to list Namespaces',
    listAll(client, kinds.namespace, { signal }),
  );
  const labels = new Map<string, StringMap>(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const daemonSets = await daemonSetAnswers(options, pods);
  const classified = pods.map((pod) => ({
    pod,
    answer: classifyPod(pod, {
      nowMs: options.nowMs,
      terminatingMaxMs: options.terminatingMaxMs,
      rules: matching.rules,
      daemonSet: (namespace, name) => daemonSets.get(`${namespace}/${name}`) ?? 'missing',
      namespaceLabels: (namespace) => labels.get(namespace) ?? null,
    }),
  }));
  const problem = classifyProblem(classified);
  if (problem !== null) throw new EffectFailure('UnclearPods', problem);
  return classified;
}

/** Which of the DaemonSets that Pods name exist. */
async function daemonSetAnswers(
  { daemonSets, client, cluster, signal }: NodePodsOptions,
  pods: readonly StoredPod[],
): Promise<ReadonlyMap<string, DaemonSetAnswer>> {
  const answers = new Map<string, DaemonSetAnswer>();
  for (const pod of pods) {
    const controller = controllerOf(pod);
    const namespace = pod.metadata.namespace ?? '';
    const key = `${namespace}/${controller?.name ?? ''}`;
    if (controller?.kind !== 'DaemonSet' || answers.has(key)) continue;
    const { uid = keyOf(cluster) } = cluster.metadata;
    answers.set(key, await daemonSets({ client, cluster: uid, namespace, name: controller.name, signal }));
  }
  return answers;
}

/** The same work, whose failure says what it was for. */
export async function prefixed<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isApiError(error)) throw error;
    const { kind, message, target } = error.failure;
    const object = target.name === '' ? undefined : { apiVersion: '', ...target };
    throw new EffectFailure(`Api${kind}`, `${what}: ${message}`, object);
  }
}

/** The failure of work on a Node: it is about the Node where it names nothing else. */
export function aboutNode(error: unknown, name: string): unknown {
  if (!(error instanceof EffectFailure) || error.object !== undefined) return error;
  const { apiVersion, kind } = resources.Node;
  return new EffectFailure(error.kind, error.message, { apiVersion, kind, namespace: '', name }, error.place);
}
