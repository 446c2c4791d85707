// Differences that are there all the time and change nothing else: marks, owners, generations, Events.
import { annotation } from '../../src/api/names.js';
import type { Difference } from './differences.js';
import type { Rule } from './rules.js';

const isOf = ({ of }: Difference, ...kinds: readonly string[]): boolean => kinds.includes(of.split('/')[0] ?? '');
const text = (value: unknown): string => JSON.stringify(value) ?? '';

/** Infinite where nothing was observed. */
function generationsBehind(told: unknown): number {
  if (told === 'of this generation') return 0;
  return Number(/^(\d+) behind$/.exec(String(told))?.[1] ?? Number.POSITIVE_INFINITY);
}

/** Rules of differences that last. */
export const LASTING_RULES: readonly Rule[] = [
  {
    row: 'actor-s-state',
    allows: ({ path, theirs }) => path === 'status.conditions.ActorState' && theirs === undefined,
  },
  {
    row: 'token-mark',
    allows: ({ path, theirs }) => path === `metadata.annotations.${annotation.token}` && theirs === undefined,
  },
  {
    row: 'observedgeneration',
    allows: ({ path, ours, theirs }) =>
      path.endsWith('observedGeneration') && generationsBehind(ours) < generationsBehind(theirs),
  },
  {
    row: 'holder',
    allows: (difference) =>
      isOf(difference, 'ConfigMap') &&
      difference.path === 'data.lock-information' &&
      String(difference.ours).replace(/,"machineUID":"[^"]*"/, '') === difference.theirs,
  },
  {
    row: 'lock-earlier-life-kubeadmconfig',
    allows: (difference) =>
      isOf(difference, 'ConfigMap') &&
      difference.path === `metadata.annotations.${annotation.claimedBy}` &&
      difference.theirs === undefined,
  },
  {
    row: 'owner-generated-cas',
    allows: ({ of, path, ours }) =>
      /^Secret\/.*-(?:ca|etcd|proxy|sa)$/.test(of) &&
      path === 'metadata.ownerReferences' &&
      /^\[\{"apiVersion":"cluster.x-k8s.io\/v1beta2","kind":"Cluster"/.test(text(ours)),
  },
  {
    // What the collector takes with the first KubeadmConfig where the provider gave it the certificates.
    row: 'owner-generated-cas',
    parts: true,
    allows: ({ of, path, ours, theirs }) =>
      /^Secret\/.*-(?:ca|etcd|proxy|sa)$/.test(of) &&
      path === '' &&
      theirs === undefined &&
      /"ownerReferences":\[\{"apiVersion":"cluster.x-k8s.io\/v1beta2","kind":"Cluster"[^}]*\}\]/.test(text(ours)) &&
      text(ours).includes('<made '),
  },
  {
    row: 'events',
    allows: (difference) => isOf(difference, 'Event') && difference.theirs === undefined,
  },
];
