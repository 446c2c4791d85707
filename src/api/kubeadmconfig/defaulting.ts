// Defaults of a KubeadmConfigTemplate, which exist for one purpose only.
//
// The topology controller compares a template with what the API server would make of it, in a dry run. Older versions of the
// API filled in some defaults; they are filled in for that comparison alone, so that dropping them did not replace machines.
// A KubeadmConfig has no defaults at all.

import { annotation } from '../names.js';
import { isObject, type Json, type JsonObject } from '../wire.js';

/** One change of a JSON document (RFC 6902). Only additions are ever made. */
export interface Addition {
  readonly op: 'add';
  readonly path: string;
  readonly value: Json;
}

interface Default {
  readonly path: readonly string[];
  readonly value: string;
  /** The default is filled in only if this part of the spec says something. */
  readonly onlyWith?: readonly string[];
}

const exec = ['joinConfiguration', 'discovery', 'file', 'kubeConfig', 'user', 'exec'];
const defaults: readonly Default[] = [
  { path: ['format'], value: 'cloud-config' },
  { path: ['initConfiguration', 'nodeRegistration', 'imagePullPolicy'], value: 'IfNotPresent' },
  { path: ['joinConfiguration', 'nodeRegistration', 'imagePullPolicy'], value: 'IfNotPresent' },
  { path: [...exec, 'apiVersion'], value: 'client.authentication.k8s.io/v1', onlyWith: exec },
];

/** The additions that default a template. There are none outside a dry run of the topology controller. */
export function defaultKubeadmConfigTemplate(object: JsonObject, isDryRun: boolean): readonly Addition[] {
  const annotations = at(object, ['metadata', 'annotations']);
  const isTopologyDryRun = isDryRun && isObject(annotations) && annotation.topologyDryRun in annotations;
  if (!isTopologyDryRun) return [];
  let current = object;
  const additions: Addition[] = [];
  for (const { path, value, onlyWith } of defaults) {
    const whole = ['spec', 'template', 'spec', ...path];
    const isWanted = onlyWith === undefined || says(at(object, ['spec', 'template', 'spec', ...onlyWith]));
    if (!isWanted || says(at(current, whole))) continue;
    const addition = additionAt(current, whole, value);
    additions.push(addition);
    current = withValue(current, whole, value);
  }
  return additions;
}

function says(value: Json | undefined): boolean {
  if (isObject(value)) return Object.values(value).some(says);
  return value !== undefined && value !== null && value !== '';
}

function at(object: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, name) => (isObject(value) ? value[name] : undefined), object);
}

// A patch cannot add below something that is not there: the addition starts at the first missing parent.
function additionAt(object: JsonObject, path: readonly string[], value: Json): Addition {
  const depth = path.findIndex(
    (_, index) => index < path.length - 1 && !isObject(at(object, path.slice(0, index + 1))),
  );
  const end = depth === -1 ? path.length : depth + 1;
  const added = path.slice(end).reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
  return { op: 'add', path: `/${path.slice(0, end).join('/')}`, value: added };
}

function withValue(object: JsonObject, [name, ...rest]: readonly string[], value: Json): JsonObject {
  if (name === undefined) return object;
  const inner = object[name];
  return { ...object, [name]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}
