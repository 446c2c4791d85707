import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { kubeadmConfigCrd, kubeadmConfigTemplateCrd, type Crd } from '../../src/api/kubeadmconfig/crd.js';

type Node = Readonly<Record<string, unknown>>;

const definitions: readonly (readonly [string, Crd])[] = [
  ['kubeadmconfigs', kubeadmConfigCrd],
  ['kubeadmconfigtemplates', kubeadmConfigTemplateCrd],
];

function upstream(name: string): { readonly spec: { readonly versions: readonly Node[] } } {
  return JSON.parse(readFileSync(`test/golden/crd/${name}-1.14.json`, 'utf8'));
}

// Documentation is ours.
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, item]) => name !== 'description' || typeof item !== 'string');
  return Object.fromEntries(entries.map(([name, item]) => [name, comparable(item)]));
}

/** Every field of a schema with its path. */
function fields(node: Node, path: string): (readonly [string, Node])[] {
  const properties = (node['properties'] ?? {}) as Readonly<Record<string, Node>>;
  const below = Object.entries(properties).flatMap(([name, child]) => fields(child, `${path}.${name}`));
  const items = node['items'] === undefined ? [] : fields(node['items'] as Node, `${path}[]`);
  return [[path, node], ...below, ...items];
}

function schemaOf(crd: Crd, version: string): Node {
  const found = crd.spec.versions.find(({ name }) => name === version);
  if (found === undefined) throw new Error(`${crd.metadata.name} has no ${version}`);
  return found.schema.openAPIV3Schema as unknown as Node;
}

function field(crd: Crd, version: string, path: string): Node {
  const found = fields(schemaOf(crd, version), '').find(([name]) => name === path)?.[1];
  if (found === undefined) throw new Error(`no field ${path}`);
  return found;
}

describe('CustomResourceDefinitions', () => {
  test.each(definitions)('%s: schema, columns, names, versions -> equal to upstream, field by field', (name, crd) => {
    const theirs = comparable(upstream(name).spec) as { readonly versions: readonly Node[] };
    const ours = comparable(crd.spec) as { readonly versions: readonly Node[] };
    expect({ ...ours, versions: [] }).toEqual({ ...theirs, versions: [] });
    expect(ours.versions.map((version) => version['name'])).toEqual(theirs.versions.map((version) => version['name']));
    for (const [index, version] of ours.versions.entries()) {
      const wanted = theirs.versions[index] ?? {};
      expect({ ...version, schema: null }).toEqual({ ...wanted, schema: null });
      const [here, there] = [version, wanted].map((one) =>
        Object.fromEntries(fields((one['schema'] as { openAPIV3Schema: Node }).openAPIV3Schema, '')),
      );
      expect(Object.keys(here ?? {}).sort()).toEqual(Object.keys(there ?? {}).sort());
      expect(here).toEqual(there);
    }
  });

  test.each(definitions)('%s: every field -> has a documentation text', (_, crd) => {
    for (const { name } of crd.spec.versions) {
      const bare = fields(schemaOf(crd, name), '').filter(
        ([path, node]) => !['.metadata'].includes(path) && typeof node['description'] !== 'string',
      );
      expect(bare.map(([path]) => path)).toEqual([]);
    }
  });
});

describe('the contract of a bootstrap provider', () => {
  const { spec } = kubeadmConfigCrd;

  test('BC-002 BC-003 BC-004 KubeadmConfig: kind and group -> a CustomResourceDefinition of bootstrap.cluster.x-k8s.io', () => {
    expect(kubeadmConfigCrd.kind).toBe('CustomResourceDefinition');
    expect(spec.names.kind).toBe('KubeadmConfig');
    expect(spec.names.listKind).toBe('KubeadmConfigList');
    expect(kubeadmConfigCrd.metadata.name).toBe('kubeadmconfigs.bootstrap.cluster.x-k8s.io');
    expect(spec.versions.filter(({ served }) => served).map(({ name }) => name)).toEqual(['v1beta1', 'v1beta2']);
  });

  test('BC-005 KubeadmConfig: scope -> namespaced', () => {
    expect(spec.scope).toBe('Namespaced');
  });

  test('BC-006 BC-007 BC-008 KubeadmConfig: root -> type and object metadata, spec, status as a subresource', () => {
    for (const { name, subresources } of spec.versions) {
      const { properties } = schemaOf(kubeadmConfigCrd, name);
      expect(Object.keys(properties as object)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
      expect(subresources).toEqual({ status: {} });
    }
  });

  test('BC-009 BC-010 KubeadmConfig: required status fields -> ready in v1beta1, dataSecretName in both versions', () => {
    expect(field(kubeadmConfigCrd, 'v1beta1', '.status.ready')['type']).toBe('boolean');
    expect(field(kubeadmConfigCrd, 'v1beta2', '.status.initialization.dataSecretCreated')['type']).toBe('boolean');
    expect(field(kubeadmConfigCrd, 'v1beta1', '.status.dataSecretName')['type']).toBe('string');
    expect(field(kubeadmConfigCrd, 'v1beta2', '.status.dataSecretName')['type']).toBe('string');
  });

  test('BC-011 BC-012 KubeadmConfig: optional status fields -> failureReason and failureMessage', () => {
    for (const name of ['failureReason', 'failureMessage']) {
      expect(field(kubeadmConfigCrd, 'v1beta1', `.status.${name}`)['type']).toBe('string');
      expect(field(kubeadmConfigCrd, 'v1beta2', `.status.deprecated.v1beta1.${name}`)['type']).toBe('string');
    }
  });
});
