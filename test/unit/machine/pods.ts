// Pods, rules and classifications of the drain's unit tests.
import type { MachineDrainRule } from '../../../src/api/core.js';
import {
  classifyPod,
  type ClassifyContext,
  type PodAnswer,
} from '../../../src/controllers/machine/drain/classify-pod.js';
import { matchingRules } from '../../../src/controllers/machine/drain/drain-rules.js';
import type {
  StoredCluster,
  StoredDrainRule,
  StoredMachine,
  StoredPod,
} from '../../../src/controllers/machine/objects.js';

export const nowMs = Date.parse('2024-10-09T16:20:00Z');
export const secondsAgo = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString();

export interface PodOptions {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  /** Kind of its controller; `none` for no owner at all. */
  readonly controller?: string;
  readonly deletionTimestamp?: string;
  readonly phase?: string;
  readonly spec?: NonNullable<StoredPod['spec']>;
}

/** A Pod that a ReplicaSet controls, unless it is said otherwise. */
export function pod(name: string, options: PodOptions = {}): StoredPod {
  const { namespace = 'default', controller = 'ReplicaSet', phase = 'Running', spec, labels, annotations } = options;
  const owner = { apiVersion: 'apps/v1', kind: controller, name: 'owner', uid: 'o', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(controller === 'none' ? {} : { ownerReferences: [owner] }),
      ...(options.deletionTimestamp === undefined ? {} : { deletionTimestamp: options.deletionTimestamp }),
    },
    spec: spec ?? {},
    status: { phase },
  } as StoredPod;
}

/** A rule; without a spec of Pods or Machines it is for all. */
export function rule(name: string, drain: object, more: object = {}): StoredDrainRule {
  const spec = { drain, ...more } as MachineDrainRule['spec'];
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDrainRule',
    metadata: { name, namespace: 'default' },
    spec,
  };
}

/** What is done with a Pod on a Node that answers, in namespaces that exist. */
export function answerOf(given: StoredPod, context: Partial<ClassifyContext> = {}): PodAnswer {
  return classifyPod(given, {
    nowMs,
    terminatingMaxMs: null,
    daemonSet: () => 'exists',
    rules: [],
    namespaceLabels: () => ({}),
    ...context,
  });
}

/** Labels of the Machine and of its Cluster, for rules. */
export interface RuleWorld {
  readonly machine?: Record<string, string>;
  readonly cluster?: Record<string, string>;
}

/** Names of the rules that are for a Machine, in order; or what is wrong with them. */
export function rulesFor(rules: readonly StoredDrainRule[], { machine = {}, cluster = {} }: RuleWorld = {}): unknown {
  const found = matchingRules(
    rules,
    { metadata: { name: 'm', labels: machine } } as unknown as StoredMachine,
    { metadata: { name: 'c', labels: cluster } } as unknown as StoredCluster,
  );
  return found.kind === 'rules' ? found.rules.map(({ metadata }) => metadata.name) : found.problem;
}
