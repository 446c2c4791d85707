// Which API version of a provider's kind is read, and which contract it follows: the labels of its CRD decide.
//
// Only metadata of CRDs is read. Pure.

import type { ContractReference } from '../../../api/core.js';
import type { KubeObject, Resource } from '../../../kube/contract.js';

/** The contracts that are understood, the preferred one first. */
export const contracts = ['v1beta2', 'v1beta1'] as const;
/** Name of a contract. */
export type Contract = (typeof contracts)[number];

/** Where objects of a kind are, and how their fields are named. */
export interface ExternalKind {
  readonly resource: Resource;
  readonly contract: Contract;
}

/** A kind, or why it cannot be used, as an error of the phase that asked. */
export type KindAnswer = { readonly kind: ExternalKind } | { readonly problem: string };

/** True for a reference of which no field is set. */
export function isEmptyReference(reference: Partial<ContractReference> | undefined): boolean {
  const { apiGroup = '', kind = '', name = '' } = reference ?? {};
  return apiGroup === '' && kind === '' && name === '';
}

/** The name of a kind's CRD, by the rules of English plurals. */
export function crdName({ apiGroup, kind }: Pick<ContractReference, 'apiGroup' | 'kind'>): string {
  return `${plural(kind.toLowerCase())}.${apiGroup}`;
}

function plural(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}

/** Names that the CRD may have where its plural is not the regular one, the regular one first. */
export function crdNames(reference: Pick<ContractReference, 'apiGroup' | 'kind'>): readonly string[] {
  const word = reference.kind.toLowerCase();
  return [...new Set([crdName(reference), `${word}s.${reference.apiGroup}`, `${word}.${reference.apiGroup}`])];
}

/** The kind that a CRD describes; `crd` is undefined when there is none. */
export function externalKind(reference: ContractReference, crd: KubeObject | undefined): KindAnswer {
  const name = crdName(reference);
  if (crd === undefined) {
    const cause = `customresourcedefinitions.apiextensions.k8s.io "${name}" not found`;
    return { problem: `failed to get object from ref: failed to get CustomResourceDefinition metadata: ${cause}` };
  }
  for (const contract of contracts) {
    const versions = crd.metadata.labels?.[`cluster.x-k8s.io/${contract}`] ?? '';
    const [version] = versions.split('_').toSorted(byStability);
    if (version === undefined || version === '') continue;
    const word = crd.metadata.name.split('.')[0] ?? '';
    const resource = { group: reference.apiGroup, version, plural: word, kind: reference.kind, namespaced: true };
    return { kind: { resource, contract } };
  }
  const list = contracts.map((contract) => `"${contract}"`).join(' ');
  return {
    problem: `failed to get object from ref: cannot find any versions matching contract versions [${list}] for CRD ${crd.metadata.name} as contract version label(s) are either missing or empty (see https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview.html#api-version-labels)`,
  };
}

/** Kubernetes' order of versions, the most stable and newest first. */
function byStability(one: string, other: string): number {
  const [a, b] = [parse(one), parse(other)];
  for (let index = 0; index < a.length; index += 1) {
    const between = (b[index] ?? 0) - (a[index] ?? 0);
    if (between !== 0) return between;
  }
  return one < other ? -1 : one > other ? 1 : 0;
}

function parse(version: string): readonly number[] {
  const [, major = '', stage, minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === '') return [-1, 0, 0];
  return [stage === undefined ? 2 : stage === 'beta' ? 1 : 0, Number(major), Number(minor)];
}
