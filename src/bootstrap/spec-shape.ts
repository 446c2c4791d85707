// A spec from a file, where no schema has been applied: it is brought into the shape that code can rely on, or the field
// that does not fit is named.
//
// Nulls are read as Go reads them: a member that is null is absent, an item that is null is empty. Nothing else changes.
import { kubeadmConfigSpec } from '../api/kubeadmconfig/v1beta2.js';
import type { Description } from '../api/schema.js';
import { decode } from '../api/wire.js';
import type { KubeadmConfigSpec } from './spec-types.js';

/** The spec, or what does not fit. */
export type SpecShape =
  | { readonly kind: 'spec'; readonly spec: KubeadmConfigSpec }
  | { readonly kind: 'misfit'; readonly field: string; readonly problem: string };

/** Reads a spec from JSON. */
export function readSpec(json: unknown): SpecShape {
  const decoded = decode(kubeadmConfigSpec, json, 'spec');
  if ('problems' in decoded) {
    const [problem = 'spec: does not fit'] = decoded.problems;
    return { kind: 'misfit', field: problem.slice(0, Math.max(0, problem.indexOf(':'))) || 'spec', problem };
  }
  return { kind: 'spec', spec: (withoutNulls(kubeadmConfigSpec, json ?? {}) ?? {}) as KubeadmConfigSpec };
}

/** The paths of what the API does not know. An API server drops it, with a warning. */
export function unknownFields(json: unknown): readonly string[] {
  return unknownIn(kubeadmConfigSpec, json, 'spec');
}

function unknownIn(description: Description, json: unknown, path: string): readonly string[] {
  const { items, properties } = description;
  if (typeof json !== 'object' || json === null) return [];
  if (Array.isArray(json)) {
    return items === undefined ? [] : json.flatMap((item, index) => unknownIn(items, item, `${path}[${index}]`));
  }
  if (properties === undefined) return [];
  return Object.entries(json).flatMap(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return known === undefined ? [`${path}.${name}`] : unknownIn(known, member, `${path}.${name}`);
  });
}

function withoutNulls(description: Description | undefined, json: unknown): unknown {
  if (Array.isArray(json)) {
    return json.map((item) => (item === null ? emptyOf(description?.items) : withoutNulls(description?.items, item)));
  }
  if (typeof json !== 'object' || json === null) return json;
  const members = Object.entries(json).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      withoutNulls(description?.properties?.[name] ?? description?.items, member),
    ]),
  );
}

function emptyOf(description: Description | undefined): unknown {
  switch (description?.openApi.type) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    default:
      return '';
  }
}
