// List types and merge keys of built-in kinds: what strategic merge patch and server-side apply need to know. Fields that are
// not named here are kept as they come; maps merge by key, lists are replaced.
import type { Schema } from '../schema/schema.js';

function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, 'x-embedded-open': true };
}

/** A list whose items are found by `keys`; strategic merge uses `mergeKey`, by default the first of them. */
function listBy(keys: readonly string[], items: Schema = object({}), mergeKey: string | undefined = keys[0]): Schema {
  return {
    type: 'array',
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    ...(mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': mergeKey }),
  };
}

/** A list of plain values that merge as a set. */
const setOfText: Schema = {
  type: 'array',
  items: { type: 'string' },
  'x-kubernetes-list-type': 'set',
  'x-kubernetes-patch-merge-key': null,
};

const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } };
const atomicMap: Schema = { ...object({}), 'x-kubernetes-map-type': 'atomic' };

/** metadata of every kind. The field list is complete: anything else is unknown. */
export const objectMetaSchema: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    generateName: { type: 'string' },
    namespace: { type: 'string' },
    selfLink: { type: 'string' },
    uid: { type: 'string' },
    resourceVersion: { type: 'string' },
    generation: { type: 'integer' },
    creationTimestamp: { type: 'string' },
    deletionTimestamp: { type: 'string' },
    deletionGracePeriodSeconds: { type: 'integer' },
    labels: texts,
    annotations: texts,
    finalizers: setOfText,
    ownerReferences: listBy(['uid'], { ...object({}), 'x-kubernetes-map-type': 'atomic' }),
    managedFields: { type: 'array', items: object({}) },
  },
};

const conditions = listBy(['type']);

const container = object({
  env: listBy(['name']),
  ports: listBy(
    ['containerPort', 'protocol'],
    object({ protocol: { type: 'string', default: 'TCP' } }),
    'containerPort',
  ),
  volumeMounts: listBy(['mountPath']),
  volumeDevices: listBy(['devicePath']),
});

const podSpec = object({
  containers: listBy(['name'], container),
  initContainers: listBy(['name'], container),
  ephemeralContainers: listBy(['name'], container),
  volumes: listBy(['name']),
  imagePullSecrets: listBy(['name']),
  hostAliases: listBy(['ip']),
  topologySpreadConstraints: listBy(['topologyKey', 'whenUnsatisfiable'], object({}), 'topologyKey'),
  nodeSelector: { ...texts, 'x-kubernetes-map-type': 'atomic' },
});

const template = object({ metadata: objectMetaSchema, spec: podSpec });
const workload = {
  spec: object({ template, selector: atomicMap }),
  status: object({ conditions }),
};

const byKind: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  Pod: { spec: podSpec, status: object({ conditions, podIPs: listBy(['ip']), hostIPs: { type: 'array' } }) },
  Node: { spec: object({ podCIDRs: setOfText }), status: object({ conditions, addresses: listBy(['type']) }) },
  Namespace: { status: object({ conditions }) },
  Service: {
    spec: object({
      ports: listBy(['port', 'protocol'], object({ protocol: { type: 'string', default: 'TCP' } }), 'port'),
      selector: { ...texts, 'x-kubernetes-map-type': 'atomic' },
    }),
    status: object({ conditions }),
  },
  ServiceAccount: { secrets: listBy(['name']) },
  DaemonSet: workload,
  Deployment: workload,
  ReplicaSet: workload,
  StatefulSet: workload,
  PodDisruptionBudget: { spec: object({ selector: atomicMap }), status: object({ conditions }) },
  Event: { involvedObject: atomicMap },
  CustomResourceDefinition: { status: object({ conditions }) },
};

/** The schema of a built-in kind. */
export function builtinSchema(kind: string): Schema {
  return object({ metadata: objectMetaSchema, ...byKind[kind] });
}
