// What the validating webhooks check of a KubeadmConfig or a template, beyond what the schema can say.
//
// Pure. Rules are evaluated, and errors listed, in the order of the Go implementation; the ids V1 to V20 are those of the
// table in docs/webhooks.md. Nothing here is about changes: every field may change at any time.

import { forbidden, invalid, missing, type FieldError } from '../field-errors.js';
import { FIELD_ERRORS_MAX } from '../../limits.js';
import { annotationErrors, labelErrors } from '../label-rules.js';
import type { Description } from '../schema.js';
import { decode, encode } from '../wire.js';
import {
  kubeadmConfigSpec,
  kubeadmConfigTemplateSpec,
  type DiskSetup,
  type File,
  type KubeadmConfigSpec,
  type User,
} from './v1beta2.js';

/** The gates that validation depends on. */
export interface ValidationGates {
  readonly KubeadmBootstrapFormatIgnition: boolean;
}

/** What became of a check: errors of fields (none is valid), or why the object cannot be read at all. */
export type Validation = { readonly errors: readonly FieldError[] } | { readonly unreadable: string };

/** Checks a KubeadmConfig in v1beta2. */
export function validateKubeadmConfig(object: { readonly spec?: unknown }, gates: ValidationGates): Validation {
  const read = decode(kubeadmConfigSpec, object.spec, 'spec');
  if ('problems' in read) return { unreadable: read.problems.join(', ') };
  return { errors: specErrors(read.value ?? {}, 'spec', gates).slice(0, FIELD_ERRORS_MAX) };
}

/** Checks a KubeadmConfigTemplate in v1beta2. */
export function validateKubeadmConfigTemplate(object: { readonly spec?: unknown }, gates: ValidationGates): Validation {
  const read = decode(kubeadmConfigTemplateSpec, object.spec, 'spec');
  if ('problems' in read) return { unreadable: read.problems.join(', ') };
  const { metadata, spec = {} } = read.value?.template ?? {};
  return {
    errors: [
      ...specErrors(spec, 'spec.template.spec', gates),
      ...labelErrors(metadata?.labels ?? {}, 'spec.template.metadata.labels'),
      ...annotationErrors(metadata?.annotations ?? {}, 'spec.template.metadata.annotations'),
    ].slice(0, FIELD_ERRORS_MAX),
  };
}

/** The faults of items, in order; those after the last that is told are not looked for. */
function errorsIn<T>(
  items: readonly T[],
  errorsOf: (item: T, index: number) => readonly FieldError[],
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, item] of items.entries()) {
    if (errors.length >= FIELD_ERRORS_MAX) break;
    errors.push(...errorsOf(item, index));
  }
  return errors;
}

function specErrors(spec: KubeadmConfigSpec, at: string, gates: ValidationGates): readonly FieldError[] {
  return [
    ...fileErrors(spec.files ?? [], `${at}.files`),
    ...userErrors(spec.users ?? [], `${at}.users`),
    ...ignitionErrors(spec, at, gates),
    ...diskErrors(spec.diskSetup, `${at}.diskSetup`),
    ...discoveryErrors(spec, at),
  ];
}

function fileErrors(files: readonly File[], at: string): readonly FieldError[] {
  const paths = new Set<string>();
  return errorsIn(files, (file, index) => {
    const here = `${at}[${index}]`;
    const errors: FieldError[] = [];
    if (file.content !== undefined && file.contentFrom !== undefined) {
      errors.push(
        invalid(
          here,
          quoted(fileDescription, file),
          'only one of content or contentFrom may be specified for a single file',
        ),
      );
    }
    errors.push(...secretErrors(file.contentFrom, `${here}.contentFrom`));
    if (paths.has(file.path ?? '')) {
      errors.push(
        invalid(`${here}.path`, quoted(fileDescription, file), 'path property must be unique among all files'),
      );
    }
    paths.add(file.path ?? '');
    return errors;
  });
}

function userErrors(users: readonly User[], at: string): readonly FieldError[] {
  return errorsIn(users, (user, index) => {
    const here = `${at}[${index}]`;
    const errors: FieldError[] = [];
    if (user.passwd !== undefined && user.passwdFrom !== undefined) {
      errors.push(
        invalid(
          here,
          quoted(userDescription, user),
          'only one of passwd or passwdFrom may be specified for a single user',
        ),
      );
    }
    return [...errors, ...secretErrors(user.passwdFrom, `${here}.passwdFrom`)];
  });
}

// The schema asks for both names; an object that came past it (a request that skips validation) is caught here.
function secretErrors(
  source: { readonly secret?: { readonly name?: string; readonly key?: string } } | undefined,
  at: string,
): readonly FieldError[] {
  if (source === undefined) return [];
  const errors: FieldError[] = [];
  if (source.secret?.name === undefined) {
    errors.push(missing(`${at}.secret.name`, 'secret file source must specify non-empty secret name'));
  }
  if (source.secret?.key === undefined) {
    errors.push(missing(`${at}.secret.key`, 'secret file source must specify non-empty secret key'));
  }
  return errors;
}

const needsGate = 'can be set only if the KubeadmBootstrapFormatIgnition feature gate is enabled';
const notWithIgnition = 'not supported when spec.format is set to: "ignition"';

function ignitionErrors(spec: KubeadmConfigSpec, at: string, gates: ValidationGates): readonly FieldError[] {
  const isIgnition = spec.format === 'ignition';
  if (!gates.KubeadmBootstrapFormatIgnition) {
    return [
      ...(isIgnition ? [forbidden(`${at}.format`, needsGate)] : []),
      ...(spec.ignition !== undefined ? [forbidden(`${at}.ignition`, needsGate)] : []),
    ];
  }
  if (!isIgnition) {
    if (spec.ignition === undefined) return [];
    return [invalid(`${at}.format`, spec.format ?? '', 'must be set to "ignition" if spec.ignition is set')];
  }
  return [
    ...(spec.users ?? []).flatMap(({ inactive }, index) =>
      inactive === true ? [forbidden(`${at}.users[${index}].inactive`, notWithIgnition)] : [],
    ),
    ...(spec.files ?? []).flatMap(({ encoding }, index) =>
      encoding === 'gzip' || encoding === 'gzip+base64'
        ? [forbidden(`${at}.files[${index}].encoding`, notWithIgnition)]
        : [],
    ),
    ...(spec.bootCommands !== undefined ? [forbidden(`${at}.bootCommands`, notWithIgnition)] : []),
    ...ignitionDiskErrors(spec.diskSetup, `${at}.diskSetup`),
  ];
}

function ignitionDiskErrors(disks: DiskSetup | undefined, at: string): readonly FieldError[] {
  const onlyGpt = 'only partition type "gpt" is supported when spec.format is set to "ignition"';
  return [
    ...(disks?.partitions ?? []).flatMap(({ tableType }, index) =>
      tableType !== undefined && tableType !== 'gpt'
        ? [invalid(`${at}.partitions[${index}].tableType`, tableType, onlyGpt)]
        : [],
    ),
    ...(disks?.filesystems ?? []).flatMap(({ replaceFS, partition }, index) => [
      ...(replaceFS !== undefined ? [forbidden(`${at}.filesystems[${index}].replaceFS`, notWithIgnition)] : []),
      ...(partition !== undefined ? [forbidden(`${at}.filesystems[${index}].partition`, notWithIgnition)] : []),
    ]),
  ];
}

function diskErrors(disks: DiskSetup | undefined, at: string): readonly FieldError[] {
  return (disks?.partitions ?? []).flatMap(({ diskLayout = [] }, index) => {
    const sum = diskLayout.reduce((total, { percentage }) => total + (percentage ?? 0), 0);
    if (sum <= 100) return [];
    const detail = 'the sum of all partition percentages must not be greater than 100';
    return [invalid(`${at}.partitions[${index}].diskLayout`, sum, detail)];
  });
}

// The lower case in `kubeconfig` is the Go implementation's, and what people find when they search.
function discoveryErrors(spec: KubeadmConfigSpec, at: string): readonly FieldError[] {
  const user = spec.joinConfiguration?.discovery?.file?.kubeConfig?.user;
  if (user?.authProvider === undefined || user.exec === undefined) return [];
  const field = `${at}.joinConfiguration.discovery.file.kubeconfig.user`;
  return [invalid(field, quoted(discoveryUserDescription, user), 'only one of authProvider or exec must be defined')];
}

const fileDescription = inside(kubeadmConfigSpec, 'files');
const userDescription = inside(kubeadmConfigSpec, 'users');
const discoveryUserDescription = inside(
  kubeadmConfigSpec,
  'joinConfiguration',
  'discovery',
  'file',
  'kubeConfig',
  'user',
);

// The description of a part: a property by name, or the items of a list.
function inside(description: Description, ...names: readonly string[]): Description {
  const [first, ...rest] = names;
  if (first === undefined) return description.items ?? description;
  const property = description.properties?.[first];
  if (property === undefined) throw new Error(`The API has no field ${first}.`);
  return inside(property, ...rest);
}

// Errors quote what is wrong as JSON, in the order of the API's fields.
function quoted(description: Description, value: unknown): unknown {
  return encode(description, value);
}
