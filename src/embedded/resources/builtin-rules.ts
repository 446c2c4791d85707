// Where a built-in kind differs from the general rules: what is set at creation, what an update may not change.
import type { FieldProblem } from '../failure.js';
import { at, equal, isObject, listAt, textAt, withPath } from '../json.js';
import type { ApiObject } from '../types.js';
import { customResource, withDefinitionDefaults } from './custom.js';
import type { ResourceDefinition } from './definition.js';

type Rules = Partial<
  Pick<ResourceDefinition, 'normalize' | 'prepareCreate' | 'prepareUpdate' | 'validate' | 'decodeProblem'>
>;

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function set(object: ApiObject, path: readonly string[], value: unknown): ApiObject {
  return withPath(object, path, value) as ApiObject;
}

function forbiddenField(field: string, why: string): FieldProblem {
  return { field, reason: 'FieldValueForbidden', detail: `Forbidden: ${why}` };
}

function immutable(field: string, value: unknown): FieldProblem {
  return { field, reason: 'FieldValueInvalid', detail: `Invalid value: ${JSON.stringify(value)}: field is immutable` };
}

/** stringData is write-only: it goes into data, encoded. */
function mergeStringData(object: ApiObject): ApiObject {
  const { stringData } = object;
  if (!isObject(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  const data = { ...(isObject(object.data) ? object.data : {}), ...Object.fromEntries(encoded) };
  return set({ ...object, data }, ['stringData'], undefined);
}

function dataProblem(object: ApiObject): string | null {
  for (const value of Object.values(isObject(object.data) ? object.data : {})) {
    if (typeof value !== 'string' && value !== null) {
      return 'json: cannot unmarshal object into Go struct field Secret.data of type []uint8';
    }
    if (typeof value === 'string' && !base64.test(value)) {
      const wrong = value.search(/[^A-Za-z0-9+/]/);
      return `illegal base64 data at input byte ${wrong === -1 ? value.length - (value.length % 4) : wrong}`;
    }
  }
  return null;
}

/** Secrets and ConfigMaps that are marked immutable stay as they are. */
function immutableProblems(object: ApiObject, old: ApiObject | null): FieldProblem[] {
  if (old?.immutable !== true) return [];
  const problems: FieldProblem[] = [];
  if (object.immutable !== true)
    problems.push(forbiddenField('immutable', 'field is immutable when `immutable` is set'));
  for (const field of ['data', 'binaryData']) {
    if (equal(object[field] ?? {}, old[field] ?? {})) continue;
    problems.push(forbiddenField(field, 'field is immutable when `immutable` is set'));
  }
  return problems;
}

/** An API server drops empty maps of built-in kinds. */
function withoutEmpty(object: ApiObject, ...fields: readonly string[]): ApiObject {
  const empty = fields.filter((field) => {
    const value = object[field];
    return value === null || (isObject(value) && Object.keys(value).length === 0);
  });
  return empty.reduce((result, field) => set(result, [field], undefined), object);
}

function keepStatus(object: ApiObject, old: ApiObject): ApiObject {
  return set(object, ['status'], old.status);
}

const workload: Rules = { prepareCreate: (object) => set(object, ['status'], {}) };

function normalSecret(object: ApiObject): ApiObject {
  return withoutEmpty(mergeStringData({ ...object, type: textAt(object, 'type') || 'Opaque' }), 'data');
}

/** A definition that cannot be served is not stored. */
function servable(crd: ApiObject): ApiObject {
  customResource(crd);
  return crd;
}

/** Built-in kinds with rules of their own, by kind. */
export const builtinRules: Readonly<Record<string, Rules>> = {
  Secret: {
    decodeProblem: dataProblem,
    normalize: normalSecret,
    validate(object, old) {
      if (old !== null && object.type !== old.type)
        return [immutable('type', object.type), ...immutableProblems(object, old)];
      return immutableProblems(object, old);
    },
  },
  ConfigMap: {
    normalize: (object) => withoutEmpty(object, 'data', 'binaryData'),
    validate: immutableProblems,
  },
  Namespace: {
    normalize: (object) => set(object, ['metadata', 'labels', 'kubernetes.io/metadata.name'], object.metadata.name),
    prepareCreate: (object) =>
      set(set(object, ['spec', 'finalizers'], ['kubernetes']), ['status'], { phase: 'Active' }),
    prepareUpdate: (object, old) => set(keepStatus(object, old), ['spec', 'finalizers'], at(old, 'spec', 'finalizers')),
  },
  Pod: {
    prepareCreate: (object) => set(object, ['status'], { phase: 'Pending' }),
    validate(object, old) {
      if (old === null) {
        return listAt(object, 'spec', 'containers').length > 0
          ? []
          : [{ field: 'spec.containers', reason: 'FieldValueRequired', detail: 'Required value' }];
      }
      if (textAt(object, 'spec', 'nodeName') === textAt(old, 'spec', 'nodeName')) return [];
      return [forbiddenField('spec', 'pod updates may not change fields other than `spec.containers[*].image`')];
    },
  },
  CustomResourceDefinition: {
    normalize: withDefinitionDefaults,
    prepareCreate: (object) => servable(set(object, ['status'], undefined)),
    prepareUpdate: (object, old) => servable(keepStatus(object, old)),
  },
  PersistentVolume: { prepareCreate: (object) => set(object, ['status'], { phase: 'Pending' }) },
  PersistentVolumeClaim: { prepareCreate: (object) => set(object, ['status'], { phase: 'Pending' }) },
  DaemonSet: workload,
  Deployment: workload,
  ReplicaSet: workload,
  StatefulSet: workload,
  PodDisruptionBudget: workload,
  VolumeAttachment: { prepareCreate: (object) => set(object, ['status'], { attached: false }) },
};
