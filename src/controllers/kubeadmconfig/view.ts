// What is seen of the world around one KubeadmConfig at the start of a turn.
//
// Synchronous from caches, or (for `explain`) from live reads through the same reader. A view is frozen: what an effect
// learns beyond it is noted in the turn (turn.ts) or said to the machine.
import { annotation, label } from '../../api/names.js';
import { tokenId } from '../../bootstrap/bootstrap-token.js';
import { isDefined } from '../../bootstrap/spec-types.js';
import { actorConfigMapName } from '../../host/snapshot-stores.js';
import type { KubeObject } from '../../kube/contract.js';
import { lockName, readLock, type LockView } from './lock-view.js';
import {
  groupOf,
  isKubeadmConfigReference,
  textOf,
  type CachedSecret,
  type StoredCluster,
  type StoredConfig,
  type StoredConfigMap,
} from './objects.js';
import { dataSecretNameOf, ownerOf, type Owner } from './owner.js';
import type { Reader } from './reader.js';

/** What this process remembers of an object: it shows in facts, and costs nothing to forget. */
export interface Remembered {
  /** The newest change of the object or its owner by somebody else since its token was looked at; 0 for none. */
  readonly touch: number;
  /** Id of the token that was read in the data Secret; null when it was not read, empty when there is none. */
  readonly dataTokenId: string | null;
}

/** What is remembered by a process that has just started, or by nobody. */
export const NOTHING_REMEMBERED: Remembered = { touch: 0, dataTokenId: null };

/** One view. */
export interface View {
  readonly key: string;
  readonly config: StoredConfig;
  readonly isHandled: boolean;
  readonly owner: Owner;
  readonly cluster: StoredCluster | null;
  readonly lock: LockView;
  /** The bootstrap Secret: metadata, as far as it carries a cluster's label. */
  readonly dataSecret: CachedSecret | null;
  /** Certificate Secrets of the cluster that a KubeadmConfig owns, and the Cluster should. */
  readonly certificatesToAdopt: readonly CachedSecret[];
  readonly actorConfigMap: StoredConfigMap | null;
  readonly remembered: Remembered;
}

/** What a view needs beside objects. */
export interface ViewOptions {
  readonly watchFilter: string;
  readonly snapshotStore: 'status' | 'annotation' | 'configmap' | 'none';
  readonly remembered: (config: StoredConfig, dataSecret: KubeObject | null) => Remembered;
}

/** The view of a key; null when its object does not exist. */
export function viewOf(reader: Reader, key: string, options: ViewOptions): View | null {
  const slash = key.indexOf('/');
  const namespace = key.slice(0, slash);
  const config = reader.config(namespace, key.slice(slash + 1));
  if (config === undefined) return null;
  const owner = ownerOf(reader, config);
  const cluster = owner.object === null ? null : (reader.cluster(namespace, owner.clusterName) ?? null);
  const dataSecret = reader.secret(namespace, config.metadata.name) ?? null;
  return Object.freeze({
    key,
    config,
    isHandled: options.watchFilter === '' || config.metadata.labels?.[label.watchFilter] === options.watchFilter,
    owner,
    cluster,
    lock: cluster === null ? { kind: 'free' as const } : readLock(reader, cluster),
    dataSecret,
    certificatesToAdopt: cluster === null ? [] : certificatesToAdopt(reader, { config, owner, cluster }),
    actorConfigMap:
      options.snapshotStore === 'configmap'
        ? (reader.configMap(namespace, actorConfigMapName(config.metadata.name)) ?? null)
        : null,
    remembered: options.remembered(config, dataSecret),
  });
}

const certificatePurposes = ['ca', 'sa', 'proxy', 'etcd', 'apiserver-etcd-client'] as const;

/**
 * Certificate Secrets with a KubeadmConfig as owner. The KubeadmConfig that they name adopts them; where it does not exist,
 * any control plane does. A control plane object that controls them knows better.
 */
function certificatesToAdopt(
  reader: Reader,
  { config, owner, cluster }: { config: StoredConfig; owner: Owner; cluster: StoredCluster },
): readonly CachedSecret[] {
  const { namespace = '', name } = cluster.metadata;
  return certificatePurposes.flatMap((purpose) => {
    const secret = reader.secret(namespace, `${name}-${purpose}`);
    const owners = secret?.metadata.ownerReferences ?? [];
    const reference = owners.find(isKubeadmConfigReference);
    if (secret === undefined || reference === undefined) return [];
    if (isDataOf(secret, reference.name)) return [];
    if (owners.some((each) => each.controller === true && !isKubeadmConfigReference(each))) return [];
    const isMine = reference.name === config.metadata.name;
    const isOrphan = owner.isControlPlaneMachine && reader.config(namespace, reference.name) === undefined;
    return isMine || isOrphan ? [secret] : [];
  });
}

/** Whether a Secret is the data of the KubeadmConfig of its own name: its keys say so, or nothing is known that contradicts. */
function isDataOf({ metadata, data }: CachedSecret, config: string): boolean {
  return (
    metadata.name === config && (data === undefined || (Object.hasOwn(data, 'value') && Object.hasOwn(data, 'format')))
  );
}

/** The token that the spec names; empty when it names none. */
export function specToken(config: StoredConfig): string {
  return textOf(config.spec?.joinConfiguration?.discovery?.bootstrapToken?.token);
}

/** Whether the data of this spec has a token: it is defined, and no file discovery replaces it. */
export function hasTokenDiscovery(config: StoredConfig): boolean {
  const discovery = config.spec?.joinConfiguration?.discovery;
  return isDefined(discovery?.bootstrapToken) && !hasFileDiscovery(config);
}

/** Whether the node finds its cluster through a kubeconfig file: then it needs no token. */
export function hasFileDiscovery(config: StoredConfig): boolean {
  return isDefined(config.spec?.joinConfiguration?.discovery?.file);
}

/** Whether the spec's token carries this operator's mark. */
export function isTokenMarked(config: StoredConfig): boolean {
  const id = tokenId(specToken(config));
  return id !== '' && config.metadata.annotations?.[annotation.token] === id;
}

/** Who controls an object; undefined when nobody does. */
export function controllerOf(object: KubeObject) {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export { dataSecretNameOf, groupOf, lockName };
