// The version of the cluster's control plane, for file templates. Read live, and only when some file is a template.
//
// The kind of the control plane is the user's: its resource and version come from its CustomResourceDefinition.
import type { ControlPlaneVersion } from '../../../bootstrap/bootstrap-types.js';
import { group, resources, storageVersion } from '../../../api/names.js';
import type { KubeObject, Resource } from '../../../kube/contract.js';
import { isApiError } from '../../../kube/failures.js';
import { kinds, targetOf, textOf } from '../objects.js';
import type { Work } from './context.js';

/** Reads the version. A failure is a value: what it means is the renderer's to say. */
export async function readControlPlaneVersion(work: Work): Promise<ControlPlaneVersion> {
  const { controlPlaneRef: reference } = work.turn.cluster.spec ?? {};
  if (reference === undefined || textOf(reference.kind) === '' || textOf(reference.name) === '')
    return { kind: 'absent' };
  const { namespace = '' } = work.turn.cluster.metadata;
  try {
    const resource = await resourceOfKind(work, reference.apiGroup, reference.kind);
    const object = await work.client.get<KubeObject & { readonly spec?: { readonly version?: unknown } }>(
      targetOf(resource, namespace, reference.name),
      work.call,
    );
    const version = textOf(object.spec?.version);
    return version === '' ? { kind: 'absent' } : { kind: 'version', version };
  } catch (error) {
    if (!isApiError(error) || error.failure.kind === 'Aborted') throw error;
    const what = `failed to retrieve ${reference.kind} ${namespace}/${reference.name}`;
    return { kind: 'failed', cause: `${what}: ${error.failure.message}` };
  }
}

/** The newest contract's version of a kind, as its CustomResourceDefinition's labels name it. */
async function resourceOfKind(work: Work, apiGroup: string, kind: string): Promise<Resource> {
  if (apiGroup === group.controlPlane && kind === resources.KubeadmControlPlane.kind) {
    return {
      group: apiGroup,
      version: storageVersion,
      plural: resources.KubeadmControlPlane.plural,
      kind,
      namespaced: true,
    };
  }
  const plural = pluralOf(kind);
  const name = `${plural}.${apiGroup}`;
  const definition = await work.client.get(targetOf(kinds.customResourceDefinition, '', name), {
    ...work.call,
    metadataOnly: true,
  });
  const { labels = {} } = definition.metadata;
  const versions = labels[`${group.cluster}/v1beta2`] || labels[`${group.cluster}/v1beta1`] || '';
  const version = newestVersion(versions.split('_'));
  return { group: apiGroup, version: version === '' ? storageVersion : version, plural, kind, namespaced: true };
}

/**
 * The version that comes first by Kubernetes' priority: stable ones before beta before alpha, higher numbers first; other words
 * come last, in alphabetical order. Empty for none.
 */
export function newestVersion(versions: readonly string[]): string {
  return versions.toSorted(comparePriority)[0] ?? '';
}

function comparePriority(one: string, other: string): number {
  const [a, b] = [priorityOf(one), priorityOf(other)];
  if (a === null || b === null) return a === b ? (one < other ? -1 : Number(one > other)) : a === null ? 1 : -1;
  return b.level - a.level || b.major - a.major || b.minor - a.minor;
}

function priorityOf(
  version: string,
): { readonly level: number; readonly major: number; readonly minor: number } | null {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (parts === null) return null;
  const [, major = '0', level, minor = '0'] = parts;
  return { level: level === undefined ? 2 : level === 'beta' ? 1 : 0, major: Number(major), minor: Number(minor) };
}

/** The plural of a kind by the rules that CRD generators use. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(?:s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
