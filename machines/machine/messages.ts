// Texts with placeholders that a Machine's conditions carry, byte for byte as upstream writes them.
//
// Other controllers search these texts, so no word here is ours to change. Times are RFC 3339 in whole seconds, UTC.

import type { DrainReport, FailedEviction, VolumeReport } from './facts.js';

const namesShown = 3;
const failuresShown = 5;
const volumesShown = 5;

/** The sentence of an eviction that a budget refused, as conditions have it. */
export const budgetSentence = "cannot evict pod as it would violate the pod's disruption budget.";
/** Start of every other refusal. */
export const evictionPrefix = 'failed to evict Pod, ';
/** What is said of Pods that were asked to go. */
export const terminatingText = 'deletionTimestamp set, but still not removed from the Node';
/** What is said of Pods that are waited for. */
export const completionText = 'waiting for completion';

/** `Waiting for pre-drain hooks to succeed (hooks: a,b)`. */
export function hooksMessage(when: 'pre-drain' | 'pre-terminate', hooks: readonly string[]): string {
  return `Waiting for ${when} hooks to succeed (hooks: ${hooks.join(',')})`;
}

/** First line of everything that is said about an unfinished drain. */
export function drainHeader(startedAt: string): string {
  return `Drain not completed yet (started at ${startedAt}):`;
}

/** Everything that is said about an unfinished drain. */
export function drainMessage(startedAt: string, report: DrainReport): string {
  const failures = report.failed.toSorted((one, other) => (one.message < other.message ? -1 : 1));
  const more = failures.slice(failuresShown).reduce((sum, { pods }) => sum + pods.length, 0);
  return [
    drainHeader(startedAt),
    ...bullet(report.terminating, terminatingText),
    ...failures.slice(0, failuresShown).flatMap(({ pods, message }) => bullet(pods, evictionText(message))),
    ...(more === 0 ? [] : [`* ${more} ${more === 1 ? 'Pod' : 'Pods'} with other issues`]),
    ...bullet(report.waitNow, completionText),
    ...later('the following Pods will be evicted', report.evictLater),
    ...later('waiting for the following Pods to complete without eviction', report.waitLater),
  ].join('\n');
}

function bullet(pods: readonly string[], what: string): readonly string[] {
  if (pods.length === 0) return [];
  return [`* ${pods.length === 1 ? 'Pod' : 'Pods'} ${listed(pods, namesShown)}: ${what}`];
}

function later(what: string, pods: readonly string[]): readonly string[] {
  if (pods.length === 0) return [];
  return [`After above Pods have been removed from the Node, ${what}: ${listed(pods, namesShown)}`];
}

/** `a, b, c, ... (2 more)`. */
function listed(names: readonly string[], shown: number): string {
  const rest = names.length - shown;
  return names.slice(0, shown).join(', ') + (rest > 0 ? `, ... (${rest} more)` : '');
}

/** Why a Pod was not evicted, from the server's words. */
export function evictionText(message: string): string {
  const text = message.replaceAll("Cannot evict pod as it would violate the pod's disruption budget.", budgetSentence);
  return text.startsWith(budgetSentence) ? text : evictionPrefix + text;
}

/** Gathers Pods under the message that they share. */
export function byMessage(
  failures: readonly { readonly pod: string; readonly message: string }[],
): readonly FailedEviction[] {
  const groups = new Map<string, string[]>();
  for (const { pod, message } of failures) groups.set(message, [...(groups.get(message) ?? []), pod]);
  return [...groups].map(([message, pods]) => ({ message, pods: pods.toSorted() }));
}

/** True when nothing has to be waited for any more. */
export function isDrained({ terminating, failed, waitNow, evictLater, waitLater }: DrainReport): boolean {
  return [terminating, failed, waitNow, evictLater, waitLater].every((group) => group.length === 0);
}

/** First line of everything that is said about volumes. */
export function volumesHeader(startedAt: string): string {
  return `Waiting for Node volumes to be detached (started at ${startedAt})`;
}

/** Everything that is said about volumes that are still attached. */
export function volumesMessage(startedAt: string, report: VolumeReport): string {
  const line = (what: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`* ${what}: ${listed(names, volumesShown)}`];
  return [
    volumesHeader(startedAt),
    ...line('PersistentVolumeClaims', report.claims),
    ...line('PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim', report.volumesWithoutClaim),
    ...line(
      'Node with .status.volumesAttached entries not matching a PersistentVolume',
      report.nodeEntriesWithoutVolume,
    ),
    ...line(
      'VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume',
      report.attachmentsWithoutVolume,
    ),
  ].join('\n');
}

/** True when nothing is attached any more. */
export function isDetached(report: VolumeReport): boolean {
  return Object.values(report).every((names: readonly string[]) => names.length === 0);
}

/** `Failed to delete DockerMachine, please check controller logs for errors`. */
export function deletionFailedMessage(kind: string): string {
  return `Failed to delete ${kind}, please check controller logs for errors`;
}

/** `Waiting for DockerMachine to be deleted`. */
export function waitingForDeletionMessage(kind: string): string {
  return `Waiting for ${kind} to be deleted`;
}

/** `failureMessage` of a Machine whose infrastructure went away. */
export function infrastructureLossMessage(kind: string, key: string): string {
  return `Machine infrastructure resource ${kind} ${key} has been deleted after provisioning was completed`;
}
