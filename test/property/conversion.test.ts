import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { convert } from '../../src/api/kubeadmconfig/conversion.js';
import { kubeadmConfigSpec as specV1, kubeadmConfigStatus as statusV1 } from '../../src/api/kubeadmconfig/v1beta1.js';
import { kubeadmConfigSpec as specV2, kubeadmConfigStatus as statusV2 } from '../../src/api/kubeadmconfig/v1beta2.js';
import type { Description } from '../../src/api/schema.js';
import { decode, encode, isObject, type Json, type JsonObject } from '../../src/api/wire.js';

const group = 'bootstrap.cluster.x-k8s.io';
const numRuns = process.env['TEST_SIZE'] === 'nightly' ? 20_000 : 300;
const formed = ['2027-01-02T03:04:05Z', 'abcdef.0123456789abcdef', '1h2m3s', '0s', '500m', '2Gi'];

/** Values that a description describes. */
function described(description: Description): fc.Arbitrary<Json> {
  const { properties, items, normalise, openApi, presence } = description;
  if (properties !== undefined) {
    const names = Object.keys(properties);
    const requiredKeys = names.filter((name) => properties[name]?.isRequired);
    const arbitraries = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, described(property)]),
    );
    return fc.record(arbitraries, { requiredKeys }) as fc.Arbitrary<Json>;
  }
  if (items !== undefined && openApi.type === 'array') {
    const minLength = openApi.minItems ?? (presence === 'set' ? 0 : 1);
    return fc.array(described(items), { minLength, maxLength: 3 });
  }
  if (items !== undefined) return fc.dictionary(fc.constantFrom('a', 'b', '_c'), described(items), { maxKeys: 2 });
  if (normalise !== undefined) {
    return fc.constantFrom(
      ...formed.filter((text) => {
        const result = normalise(text);
        return 'text' in result && result.text === text;
      }),
    );
  }
  if (openApi.enum !== undefined) return fc.constantFrom(...openApi.enum);
  if (openApi.type === 'boolean') return fc.boolean();
  if (openApi.type === 'integer') return fc.integer({ min: openApi.minimum ?? 0, max: openApi.maximum ?? 1000 });
  return fc.constantFrom('x', 'y', '<&>', 'é');
}

const object = (version: string, spec: Json, status: Json): JsonObject => ({
  apiVersion: `${group}/${version}`,
  kind: 'KubeadmConfig',
  metadata: { name: 'c', namespace: 'ns', annotations: { kept: 'yes' } },
  spec,
  status,
});

function converted(source: JsonObject, version: string): JsonObject {
  const outcome = convert(source, `${group}/${version}`);
  if ('failure' in outcome) throw new Error(outcome.failure);
  return outcome.object;
}

/** What v1beta1 keeps of any value: arguments by name, one each; the first of two volumes or files decides for both. */
function withUniqueNames(value: Json, key = ''): Json {
  if (Array.isArray(value)) {
    const id = key === 'files' ? 'path' : key === 'extraVolumes' ? 'hostPath' : /[aA]rgs$/.test(key) ? 'name' : '';
    const seen = new Map<Json, Json>();
    const list = (value as readonly Json[]).map((item) => withUniqueNames(item));
    if (id === '' || list.some((item) => !isObject(item))) return list;
    for (const item of list) seen.set((item as JsonObject)[id] ?? '', item);
    const unique = [...seen.values()] as JsonObject[];
    return id === 'name' ? unique.sort((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1)) : unique;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withUniqueNames(item, name)]));
}

/** v1beta1 cannot leave `layout` out: it comes back as an explicit false, as from the Go implementation. */
function withLayouts(spec: Json): Json {
  if (!isObject(spec) || !isObject(spec['diskSetup'])) return spec;
  const { partitions, ...rest } = spec['diskSetup'];
  if (!Array.isArray(partitions)) return spec;
  const explicit = (partitions as readonly JsonObject[]).map((partition) => ({ layout: false, ...partition }));
  return { ...spec, diskSetup: { ...rest, partitions: explicit } };
}

/** The one time limit that comes from another field in v1beta1. */
function withSharedTimeLimit(spec: Json): Json {
  if (!isObject(spec)) return spec;
  const { initConfiguration: init, joinConfiguration: join } = spec as Readonly<Record<string, JsonObject | undefined>>;
  const limit = (init?.['timeouts'] as JsonObject | undefined)?.['controlPlaneComponentHealthCheckSeconds'];
  const timeouts = (join?.['timeouts'] ?? {}) as JsonObject;
  if (limit === undefined && timeouts['tlsBootstrapSeconds'] === undefined) return spec;
  const { controlPlaneComponentHealthCheckSeconds: _own, ...rest } = timeouts;
  const shared = limit === undefined ? {} : { controlPlaneComponentHealthCheckSeconds: limit };
  return { ...spec, joinConfiguration: { ...join, timeouts: { ...rest, ...shared } } };
}

// An object of which all lists are empty says nothing, and one that says nothing may be absent: the smallest form is compared.
function smallest(description: Description, value: Json): Json {
  const read = decode(description, value, '');
  if ('problems' in read) return read.problems.join();
  const written = read.value === undefined ? {} : encode(description, read.value);
  return JSON.stringify(written) === JSON.stringify(value) ? written : smallest(description, written);
}

describe('conversion of any object', () => {
  test('down and up: any v1beta2 object -> the same object', () => {
    fc.assert(
      fc.property(described(specV2), described(statusV2), (anySpec, anyStatus) => {
        const spec = smallest(specV2, withLayouts(withSharedTimeLimit(withUniqueNames(anySpec))));
        const status = smallest(statusV2, anyStatus);
        const back = converted(converted(object('v1beta2', spec, status), 'v1beta1'), 'v1beta2');
        expect(smallest(specV2, back['spec'] ?? {})).toEqual(spec);
        const { deprecated, ...rest } = back['status'] as JsonObject;
        const { deprecated: wanted, ...others } = status as JsonObject;
        expect(rest).toEqual(others);
        expect(deprecated).toEqual({ v1beta1: {}, ...(wanted as JsonObject | undefined) });
        expect(back['metadata']).toEqual({ name: 'c', namespace: 'ns', annotations: { kept: 'yes' } });
      }),
      { numRuns, verbose: 0 },
    );
  });

  test('up, down and up: any v1beta1 object -> the same v1beta2 object', () => {
    fc.assert(
      fc.property(described(specV1), described(statusV1), (spec, status) => {
        const up = converted(object('v1beta1', withUniqueNames(spec), status), 'v1beta2');
        const again = converted(converted(up, 'v1beta1'), 'v1beta2');
        expect(smallest(specV2, again['spec'] ?? {})).toEqual(smallest(specV2, up['spec'] ?? {}));
        expect(again['status']).toEqual(up['status']);
      }),
      { numRuns, verbose: 0 },
    );
  });

  test('any JSON at all: convert -> an object or a failure, never a throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom('v1beta1', 'v1beta2'), (spec, status, version) => {
        const source = object(version, spec as Json, status as Json);
        const outcome = convert(source, `${group}/${version === 'v1beta1' ? 'v1beta2' : 'v1beta1'}`);
        expect('object' in outcome || 'failure' in outcome).toBe(true);
      }),
      { numRuns, verbose: 0 },
    );
  });
});
