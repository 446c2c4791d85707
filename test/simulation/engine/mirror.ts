// What is true: the objects of the management cluster as its store has them, for judges and actors of a simulation.
import type { ApiObject, EmbeddedApiServer, StoreEvent } from '../../../src/embedded/types.js';
import { decoded, NAMESPACE } from './objects.js';

/** Truth by resource and name, all in the one namespace. */
export interface Truth {
  get(resource: Plural, name: string): Loose | undefined;
  all(resource: Plural): readonly Loose[];
  /** Counts changes. */
  readonly changes: number;
  /** Called with every change, after the truth knows it. */
  onChange(listener: (event: StoreEvent) => void): void;
}

export type Plural =
  'clusters' | 'machines' | 'machinepools' | 'kubeadmconfigs' | 'demomachines' | 'secrets' | 'configmaps' | 'leases';

/** An object whose fields are read without knowing their types. */
export type Loose = ApiObject & {
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly data?: Readonly<Record<string, string>>;
};
export type Fields = { readonly [field: string]: unknown };

/** Follows a server's store. */
export function createTruth({ store }: EmbeddedApiServer): Truth {
  const objects = new Map<string, Map<string, Loose>>();
  const listeners: ((event: StoreEvent) => void)[] = [];
  let changes = 0;
  const of = (plural: string): Map<string, Loose> => {
    const known = objects.get(plural) ?? new Map<string, Loose>();
    objects.set(plural, known);
    return known;
  };
  store.subscribe((event) => {
    const plural = event.resource.split('/')[1] ?? '';
    const { name } = event.object.metadata;
    changes += 1;
    if (event.type === 'DELETED') of(plural).delete(name);
    else of(plural).set(name, event.object as Loose);
    listeners.forEach((listener) => listener(event));
  });
  return {
    get: (resource, name) => of(resource).get(name),
    all: (resource) =>
      [...of(resource).values()].filter(({ metadata }) => resource === 'leases' || metadata.namespace === NAMESPACE),
    get changes() {
      return changes;
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** A field below an object; undefined where the way ends. */
export function at(object: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Fields | undefined | null)?.[name], object);
}

/** A text below an object; empty where there is none. */
export function textAt(object: unknown, ...path: readonly string[]): string {
  const value = at(object, ...path);
  return typeof value === 'string' ? value : '';
}

/** The token in a KubeadmConfig's spec. */
export function specToken(config: Loose | undefined): string {
  return textAt(config, 'spec', 'joinConfiguration', 'discovery', 'bootstrapToken', 'token');
}

/** What a data Secret holds. */
export function dataOf(secret: Loose | undefined): {
  readonly isInit: boolean;
  readonly token: string;
  readonly value: string;
} {
  const value = textAt(secret, 'data', 'value');
  const text = decoded(value);
  return {
    isInit: text.includes('kind: InitConfiguration'),
    token: /\btoken: ([a-z0-9]{6}\.[a-z0-9]{16})\b/.exec(text)?.[1] ?? '',
    value,
  };
}

/** The uid of an object's controller; empty when it has none. */
export function controllerOf(object: Loose | ApiObject | undefined): { readonly uid: string; readonly kind: string } {
  const found = object?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return { uid: found?.uid ?? '', kind: found?.kind ?? '' };
}

/** The owner Machine or pool that refers to a KubeadmConfig. */
export function ownerOf(
  truth: Truth,
  config: string,
): { readonly kind: 'Machine' | 'MachinePool'; readonly object: Loose } | null {
  const machine = truth
    .all('machines')
    .find((each) => textAt(each, 'spec', 'bootstrap', 'configRef', 'name') === config);
  if (machine !== undefined) return { kind: 'Machine', object: machine };
  const pool = truth
    .all('machinepools')
    .find((each) => textAt(each, 'spec', 'template', 'spec', 'bootstrap', 'configRef', 'name') === config);
  return pool === undefined ? null : { kind: 'MachinePool', object: pool };
}

/** Whether a Cluster says that its control plane is initialised. */
export function isInitialized(cluster: Loose | undefined): boolean {
  const conditions = (at(cluster, 'status', 'conditions') ?? []) as readonly Fields[];
  return conditions.some(({ type, status }) => type === 'ControlPlaneInitialized' && status === 'True');
}

/** Whether a KubeadmConfig will never finish: gone, on its way out, or failed for good. */
export function isConfigLost(config: Loose | undefined): boolean {
  if (config?.metadata.deletionTimestamp !== undefined || config === undefined) return true;
  const failed = at(config, 'status', 'deprecated', 'v1beta1');
  return textAt(failed, 'failureReason') !== '' || textAt(failed, 'failureMessage') !== '';
}

/**
 * The data Secret of a KubeadmConfig that its owner was told to use; empty for none. A pool that is rolled out by another
 * KubeadmConfig still names the old one's.
 */
export function dataSecretNameOf(owner: Loose | undefined, config: string): string {
  const ofPool = textAt(owner, 'spec', 'template', 'spec', 'bootstrap', 'dataSecretName');
  return textAt(owner, 'spec', 'bootstrap', 'dataSecretName') || (ofPool === config ? ofPool : '');
}
