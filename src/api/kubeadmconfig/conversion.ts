// Conversion of whole objects between v1beta1 and v1beta2.
//
// Pure: JSON in, JSON out. Metadata passes through untouched, apart from one annotation: on the way down it takes the whole
// object as v1beta2 says it, on the way up it is used and removed.
//
//   V1. Down and up again gives the same object.
//   V2. A failure says what is wrong, in the Go implementation's words where it has some; nothing is half converted.

import { goJson } from '../go-json.js';
import { parseJson } from '../json-syntax.js';
import { annotation, group, legacyVersion, storageVersion } from '../names.js';
import { always, object as described, type Description } from '../schema.js';
import { decode, encode, isObject, type Decoded, type JsonObject } from '../wire.js';
import { specDown, statusDown } from './conversion-down.js';
import { specUp, statusUp } from './conversion-up.js';
import * as v1beta1 from './v1beta1.js';
import * as v1beta2 from './v1beta2.js';

/** What became of an object: the object in the desired version, or why it cannot be converted. */
export type Conversion = { readonly object: JsonObject } | { readonly failure: string };

const v1 = `${group.bootstrap}/${legacyVersion}`;
const v2 = `${group.bootstrap}/${storageVersion}`;

const configV1 = described('A KubeadmConfig in v1beta1.', {
  spec: always(v1beta1.kubeadmConfigSpec),
  status: always(v1beta1.kubeadmConfigStatus),
});
const configV2 = described('A KubeadmConfig in v1beta2.', {
  spec: v1beta2.kubeadmConfigSpec,
  status: v1beta2.kubeadmConfigStatus,
});
const templateV1 = described('A KubeadmConfigTemplate in v1beta1.', {
  spec: always(v1beta1.kubeadmConfigTemplateSpec),
});
const templateV2 = described('A KubeadmConfigTemplate in v1beta2.', { spec: v1beta2.kubeadmConfigTemplateSpec });

/** Converts an object to a version of the API. */
export function convert(object: JsonObject, desiredApiVersion: string): Conversion {
  const { apiVersion, kind } = object;
  if (apiVersion === desiredApiVersion) return { object };
  if (kind === 'KubeadmConfig' && apiVersion === v2 && desiredApiVersion === v1) return configDown(object);
  if (kind === 'KubeadmConfig' && apiVersion === v1 && desiredApiVersion === v2) return configUp(object);
  if (kind === 'KubeadmConfigTemplate' && apiVersion === v2 && desiredApiVersion === v1) return templateDown(object);
  if (kind === 'KubeadmConfigTemplate' && apiVersion === v1 && desiredApiVersion === v2) return templateUp(object);
  return { failure: `cannot convert ${String(kind)} from ${String(apiVersion)} to ${desiredApiVersion}` };
}

function configDown(object: JsonObject): Conversion {
  const read = decode(configV2, object, '');
  if ('problems' in read) return failed(read.problems);
  const { spec = {}, status = {} } = read.value ?? {};
  return lowered(
    object,
    configV2,
    read.value,
    encodeObject(configV1, { spec: specDown(spec), status: statusDown(status) }),
  );
}

function templateDown(object: JsonObject): Conversion {
  const read = decode(templateV2, object, '');
  if ('problems' in read) return failed(read.problems);
  const { metadata, spec = {} } = read.value?.spec?.template ?? {};
  const template = { ...(metadata === undefined ? {} : { metadata }), spec: specDown(spec) };
  return lowered(object, templateV2, read.value, encodeObject(templateV1, { spec: { template } }));
}

function configUp(object: JsonObject): Conversion {
  const read = decode(configV1, object, '');
  const kept = keptContent(object, configV2);
  if ('problems' in read) return failed(read.problems);
  if ('problems' in kept) return failed(kept.problems);
  const { spec = {}, status = {} } = read.value ?? {};
  const content = {
    spec: specUp(spec, kept.value?.spec ?? {}),
    status: statusUp(status, kept.value?.status ?? {}),
  };
  return raised(object, configV2, content);
}

function templateUp(object: JsonObject): Conversion {
  const read = decode(templateV1, object, '');
  const kept = keptContent(object, templateV2);
  if ('problems' in read) return failed(read.problems);
  if ('problems' in kept) return failed(kept.problems);
  const { metadata, spec = {} } = read.value?.spec?.template ?? {};
  const template = {
    ...(metadata === undefined ? {} : { metadata }),
    spec: specUp(spec, kept.value?.spec?.template.spec ?? {}),
  };
  return raised(object, templateV2, { spec: { template } });
}

function lowered(object: JsonObject, schema: Description, value: unknown, content: JsonObject): Conversion {
  const { kind = null, metadata } = object;
  const kept = encodeObject(schema, value);
  // An object that says nothing is kept with empty metadata, as the Go implementation keeps it.
  const data = goJson({ kind, apiVersion: v2, ...(Object.keys(kept).length > 0 ? kept : { metadata: {} }) });
  const annotations = { ...annotationsOf(object), [annotation.conversionData]: data };
  return {
    object: { apiVersion: v1, kind, metadata: { ...(isObject(metadata) ? metadata : {}), annotations }, ...content },
  };
}

// The converted content is read once more, which drops what v1beta2 regards as empty.
function raised(object: JsonObject, schema: Description, content: unknown): Conversion {
  const read = decode(schema, content, '');
  if ('problems' in read) return failed(read.problems);
  const { kind = null } = object;
  return {
    object: { apiVersion: v2, kind, metadata: withoutKeptContent(object), ...encodeObject(schema, read.value) },
  };
}

function keptContent<T>(object: JsonObject, schema: Description & { readonly typed?: (value: T) => T }): Decoded<T> {
  const text = annotationsOf(object)[annotation.conversionData];
  if (typeof text !== 'string') return { value: undefined };
  const parsed = parseJson(text);
  if ('problem' in parsed) return { problems: [parsed.problem] };
  return decode(schema, parsed.value, annotation.conversionData);
}

function withoutKeptContent({ metadata, ...object }: JsonObject): JsonObject {
  if (!isObject(metadata)) return {};
  const { annotations: _all, ...rest } = metadata;
  const { [annotation.conversionData]: _kept, ...annotations } = annotationsOf({ ...object, metadata });
  return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
}

function annotationsOf({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) && isObject(metadata['annotations']) ? metadata['annotations'] : {};
}

function encodeObject(schema: Description, value: unknown): JsonObject {
  const json = encode(schema, value);
  return isObject(json) ? json : {};
}

function failed(problems: readonly string[]): Conversion {
  return { failure: problems.join(', ') };
}
