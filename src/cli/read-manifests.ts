// The objects of a stream of manifests as commands that work without a cluster need them.
//
// Objects without a namespace are in `default`. KubeadmConfigs come out in v1beta2, Clusters in v1beta2's shape.

import type { KubernetesObject } from '../api/core.js';
import { convert } from '../api/kubeadmconfig/conversion.js';
import { resources } from '../api/names.js';
import { isObject, type JsonObject } from '../api/wire.js';
import { firstLine, plain, readDocuments } from './documents.js';
import { CommandFailure } from './exit.js';

const clusterWide: ReadonlySet<string> = new Set(
  Object.values(resources)
    .filter((resource) => !resource.namespaced)
    .map((resource) => resource.kind),
);

/** The objects of the text. Throws a CommandFailure that names the document for what is none. */
export function readManifests(text: string): readonly KubernetesObject[] {
  return readDocuments(text).map(
    ({ where, value }) => stored(inDefaultNamespace(value), where) as unknown as KubernetesObject,
  );
}

function inDefaultNamespace(object: JsonObject): JsonObject {
  const metadata = object.metadata as JsonObject;
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
