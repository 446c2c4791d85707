// Reads a stream of Kubernetes objects (YAML or JSON) the way kubectl does, for commands that work without a cluster.
//
// Scalars are read as go-yaml reads them (YAML 1.1 without its base 60 numbers and dates). Lists are taken apart, objects
// without a namespace are in `default`, nulls are dropped. KubeadmConfigs come out in v1beta2, Clusters in v1beta2's shape.

import { parseAllDocuments, type Tags } from 'yaml';
import type { KubernetesObject } from '../api/core.js';
import { convert } from '../api/kubeadmconfig/conversion.js';
import { resources } from '../api/names.js';
import { isObject, type Json, type JsonObject } from '../api/wire.js';
import { CommandFailure } from './exit.js';

const clusterWide: ReadonlySet<string> = new Set(
  Object.values(resources)
    .filter((resource) => !resource.namespaced)
    .map((resource) => resource.kind),
);

/** The objects of the text. Throws a CommandFailure that names the document for what is none. */
export function readManifests(text: string): readonly KubernetesObject[] {
  const documents = parseAllDocuments(text, { version: '1.1', merge: true, customTags: asGoYaml, uniqueKeys: true });
  const found: KubernetesObject[] = [];
  for (const [index, document] of [...documents].entries()) {
    const where = `document ${index + 1}`;
    const [problem] = document.errors;
    if (problem !== undefined) throw new CommandFailure(`${where}: ${firstLine(problem.message)}`);
    const value = plain(toJs(document, where));
    if (value !== undefined) found.push(...objectsOf(value, where));
  }
  return found;
}

function asGoYaml(tags: Tags): Tags {
  return tags.filter((tag) => {
    if (typeof tag === 'string') return true;
    return tag.format !== 'TIME' && tag.tag !== 'tag:yaml.org,2002:timestamp';
  });
}

function toJs(document: { toJS(options: { maxAliasCount: number }): unknown }, where: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new CommandFailure(`${where}: ${error instanceof Error ? firstLine(error.message) : String(error)}`);
  }
}

/** Without nulls, and with every text as Go reads it from JSON (a lone surrogate becomes U+FFFD). */
function plain(value: unknown): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value.replace(/[\ud800-\udfff]/gu, '\ufffd');
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item) => plain(item) ?? null);
  if (typeof value !== 'object') return value as Json;
  const members = Object.entries(value).map(([key, member]) => [key, plain(member)] as const);
  return Object.fromEntries(members.filter((member): member is readonly [string, Json] => member[1] !== undefined));
}

function objectsOf(value: Json, where: string): readonly KubernetesObject[] {
  if (!isObject(value)) throw new CommandFailure(`${where}: is not a Kubernetes object`);
  if (typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    throw new CommandFailure(`${where}: apiVersion and kind are required`);
  }
  if (value.kind.endsWith('List') && Array.isArray(value.items)) {
    const kind = value.kind.slice(0, -'List'.length);
    return (value.items as readonly Json[]).flatMap((item, index) => {
      const typed = isObject(item) && kind !== '' ? { apiVersion: value.apiVersion as string, kind, ...item } : item;
      return objectsOf(typed, `${where}, item ${index + 1}`);
    });
  }
  const { metadata } = value;
  if (!isObject(metadata) || typeof metadata.name !== 'string') {
    throw new CommandFailure(`${where}: ${value.kind} has no metadata.name`);
  }
  return [stored(inDefaultNamespace(value, metadata), where) as unknown as KubernetesObject];
}

function inDefaultNamespace(object: JsonObject, metadata: JsonObject): JsonObject {
  if (metadata.namespace !== undefined || clusterWide.has(object.kind as string)) return object;
  return { ...object, metadata: { ...metadata, namespace: 'default' } };
}

/** The object in the version that our code works with. */
function stored(object: JsonObject, where: string): JsonObject {
  const { apiVersion, kind } = object;
  if (kind === 'KubeadmConfig' && apiVersion !== resources.KubeadmConfig.apiVersion) {
    const converted = convert(object, resources.KubeadmConfig.apiVersion);
    if ('failure' in converted) throw new CommandFailure(`${where}: ${firstLine(converted.failure)}`);
    return (plain(converted.object) ?? {}) as JsonObject;
  }
  return kind === 'Cluster' && apiVersion === 'cluster.x-k8s.io/v1beta1' ? clusterUp(object) : object;
}

/** The fields of a v1beta1 Cluster that bootstrap data depends on, where v1beta2 has them. */
function clusterUp(cluster: JsonObject): JsonObject {
  const spec = isObject(cluster.spec) ? cluster.spec : {};
  const status = isObject(cluster.status) ? cluster.status : {};
  const ref = isObject(spec.controlPlaneRef) ? spec.controlPlaneRef : undefined;
  const apiGroup = typeof ref?.apiVersion === 'string' ? (ref.apiVersion.split('/')[0] ?? '') : '';
  return {
    ...cluster,
    spec: ref === undefined ? spec : { ...spec, controlPlaneRef: { ...ref, apiGroup } },
    status: { ...status, initialization: { infrastructureProvisioned: status.infrastructureReady === true } },
  };
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
