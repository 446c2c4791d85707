// The parts that several kubeadm documents share, in the shape of each kubeadm API version.
//
// Go leaves out what is empty (`omitempty`) but keeps structs; `set` and `filled` say which rule a field follows.
// What the older API lacks is dropped without a word, as upstream does; docs/bootstrap-fields.md lists it.
import { normaliseQuantity } from '../../api/quantity.js';
import { secondsAsDuration } from '../../api/text-forms.js';
import type { YamlValue } from '../go-format/go-yaml.js';
import { goRfc3339 } from '../go-format/go-time.js';
import type { ApiEndpoint, Arg, EnvVar, HostPathMount, NodeRegistration, Taint, Timeouts } from '../spec-types.js';
import type { KubeadmApi } from './kubeadm-api.js';

/** A document or a part of one. */
export type YamlMap = { readonly [key: string]: YamlValue | undefined };

/** The text, if it is not empty. */
export function filled(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

/** The list, if it has items. */
export function filledList<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/** Arguments: a list in the order of the spec (v1beta4), or a map in which later duplicates win (v1beta3). */
export function args(api: KubeadmApi, list: readonly Arg[] | undefined): YamlValue | undefined {
  const given = filledList(list);
  if (given === undefined) return undefined;
  if (api === 'v1beta4') return given.map(({ name, value }) => ({ name, value: value ?? '' }));
  const map = Object.create(null) as Record<string, string>;
  for (const { name, value } of given) map[name] = value ?? '';
  return map;
}

/** Environment variables; v1beta3 has none. */
export function extraEnvs(api: KubeadmApi, list: readonly EnvVar[] | undefined): YamlValue | undefined {
  if (api === 'v1beta3') return undefined;
  return filledList(list)?.map(({ name, value, valueFrom }) => ({
    name,
    value: filled(value),
    valueFrom: valueFrom === undefined ? undefined : envVarSource(valueFrom),
  }));
}

function envVarSource(source: NonNullable<EnvVar['valueFrom']>): YamlMap {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  return {
    fieldRef: fieldRef && { apiVersion: filled(fieldRef.apiVersion), fieldPath: fieldRef.fieldPath },
    resourceFieldRef: resourceFieldRef && {
      containerName: filled(resourceFieldRef.containerName),
      divisor: quantity(resourceFieldRef.divisor),
      resource: resourceFieldRef.resource,
    },
    configMapKeyRef: configMapKeyRef && keyRef(configMapKeyRef),
    secretKeyRef: secretKeyRef && keyRef(secretKeyRef),
    fileKeyRef: fileKeyRef && {
      key: fileKeyRef.key,
      optional: fileKeyRef.optional,
      path: fileKeyRef.path,
      volumeName: fileKeyRef.volumeName,
    },
  };
}

function keyRef(ref: { readonly name?: string; readonly key: string; readonly optional?: boolean }): YamlMap {
  return { key: ref.key, name: filled(ref.name), optional: ref.optional };
}

function quantity(given: string | number | undefined): string {
  const read = normaliseQuantity(String(given ?? '0'));
  return 'text' in read ? read.text : String(given);
}

/** Host directories for a static pod. */
export function extraVolumes(list: readonly HostPathMount[] | undefined): YamlValue | undefined {
  return filledList(list)?.map(({ name, hostPath, mountPath, readOnly, pathType }) => ({
    hostPath,
    mountPath,
    name,
    pathType: filled(pathType),
    readOnly: readOnly === true ? true : undefined,
  }));
}

/** How the kubelet registers its Node. `taints` is always written: kubeadm treats null and an empty list differently. */
export function nodeRegistration(api: KubeadmApi, given: NodeRegistration | undefined): YamlMap {
  return {
    name: filled(given?.name),
    criSocket: filled(given?.criSocket),
    taints: given?.taints === undefined ? null : given.taints.map(taint),
    kubeletExtraArgs: args(api, given?.kubeletExtraArgs),
    ignorePreflightErrors: filledList(given?.ignorePreflightErrors),
    imagePullPolicy: filled(given?.imagePullPolicy),
    imagePullSerial: api === 'v1beta4' ? given?.imagePullSerial : undefined,
  };
}

function taint({ key, value, effect, timeAdded }: Taint): YamlMap {
  return { key, value: filled(value), effect, timeAdded: timeAdded === undefined ? undefined : goRfc3339(timeAdded) };
}

/** Where the API server of this node listens; an object also when nothing is set. */
export function localApiEndpoint(given: ApiEndpoint | undefined): YamlMap {
  return { advertiseAddress: filled(given?.advertiseAddress), bindPort: given?.bindPort || undefined };
}

/** `patches`, if a directory is set. */
export function patches(given: { readonly directory?: string } | undefined): YamlMap | undefined {
  const directory = filled(given?.directory);
  return directory === undefined ? undefined : { directory };
}

/** `timeouts`, if any is set; v1beta3 has none. */
export function timeouts(api: KubeadmApi, given: Timeouts | undefined): YamlMap | undefined {
  if (api === 'v1beta3' || given === undefined) return undefined;
  const written = {
    controlPlaneComponentHealthCheck: duration(given.controlPlaneComponentHealthCheckSeconds),
    discovery: duration(given.discoverySeconds),
    etcdAPICall: duration(given.etcdAPICallSeconds),
    kubeletHealthCheck: duration(given.kubeletHealthCheckSeconds),
    kubernetesAPICall: duration(given.kubernetesAPICallSeconds),
    tlsBootstrap: duration(given.tlsBootstrapSeconds),
  };
  return Object.values(written).every((value) => value === undefined) ? undefined : written;
}

/** Seconds as Go prints a duration, also when they are 0. */
export function duration(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : secondsAsDuration(seconds);
}
