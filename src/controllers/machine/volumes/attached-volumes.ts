// Which volumes are still attached to a Node, in the four lists that people read. Pure.
//
// Claims of Pods that the drain leaves alone do not count: nobody will detach them.

import type { VolumeReport } from '../../../../machines/machine/facts.js';
import {
  keyOf,
  type StoredNode,
  type StoredPersistentVolume,
  type StoredPod,
  type StoredVolumeAttachment,
} from '../objects.js';

/** Names of what is attached: as the Node reports it, and as attachments say. */
export interface Attached {
  /** Entries of the Node's `status.volumesAttached`. */
  readonly nodeEntries: readonly string[];
  /** Names of PersistentVolumes. */
  readonly volumes: readonly string[];
}

/** What is attached, or what is wrong with an attachment. */
export function attachedTo(
  node: StoredNode,
  attachments: readonly StoredVolumeAttachment[],
): Attached | { readonly problem: string } {
  const volumes: string[] = [];
  for (const { metadata, spec, status } of attachments) {
    if (status?.attached !== true || spec.nodeName !== node.metadata.name) continue;
    const name = spec.source.persistentVolumeName;
    if (name === undefined || name === '') {
      return { problem: `spec.source.persistentVolumeName for VolumeAttachment ${metadata.name} is not set` };
    }
    volumes.push(name);
  }
  return { nodeEntries: (node.status?.volumesAttached ?? []).map(({ name }) => name), volumes };
}

/** Claims that these Pods use, as `namespace/name`. */
export function claimsOf(pods: readonly StoredPod[]): ReadonlySet<string> {
  return new Set(
    pods.flatMap(({ metadata, spec }) =>
      (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
        persistentVolumeClaim === undefined ? [] : [`${metadata.namespace ?? ''}/${persistentVolumeClaim.claimName}`],
      ),
    ),
  );
}

/** The lists. */
export function volumeReport(
  { nodeEntries, volumes }: Attached,
  known: readonly StoredPersistentVolume[],
  ignoredClaims: ReadonlySet<string>,
): VolumeReport {
  const entries = new Set(nodeEntries);
  const names = new Set(volumes);
  // Volumes may share a handle: what is found is taken off at the end.
  const found = new Set<string>();
  const claims = new Set<string>();
  const withoutClaim = new Set<string>();
  for (const volume of known) {
    const { csi, claimRef } = volume.spec ?? {};
    const entry = csi === undefined ? '' : `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`;
    const isRelevant = (csi !== undefined && entries.has(entry)) || names.has(volume.metadata.name);
    if (!isRelevant) continue;
    if (csi !== undefined) found.add(entry);
    names.delete(volume.metadata.name);
    if (claimRef?.kind !== 'PersistentVolumeClaim') {
      withoutClaim.add(keyOf(volume));
      continue;
    }
    const claim = `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`;
    if (!ignoredClaims.has(claim)) claims.add(claim);
  }
  return {
    claims: [...claims].toSorted(),
    volumesWithoutClaim: [...withoutClaim].toSorted(),
    nodeEntriesWithoutVolume: [...entries].filter((entry) => !found.has(entry)).toSorted(),
    attachmentsWithoutVolume: [...names].toSorted(),
  };
}
