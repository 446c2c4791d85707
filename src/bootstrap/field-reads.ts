// Which field of a KubeadmConfig shapes the bootstrap data of which mode, in which format and for which kubeadm API.
//
// The first rule whose pattern matches a field speaks for it. A field that is not read somewhere is ignored there without
// a word, as upstream does; `elsewhere` is the reason. A test changes every field and compares (bootstrap-fields.test.ts);
// docs/bootstrap-fields.md is made from this file.
import { kubeadmConfigSpec } from '../api/kubeadmconfig/v1beta2.js';
import type { Description } from '../api/schema.js';
import type { KubeadmApi } from './kubeadm/kubeadm-api.js';
import type { BootstrapFormat, BootstrapMode } from './node-data.js';

/** Where data is made. */
export interface ReadingContext {
  readonly mode: BootstrapMode;
  readonly format: BootstrapFormat;
  readonly api: KubeadmApi;
}

/** Who reads the fields of a pattern. Absent: all of them. `*` is one part of a path, `**` any number at its end. */
export interface FieldRule {
  readonly pattern: string;
  readonly modes?: readonly BootstrapMode[];
  readonly formats?: readonly BootstrapFormat[];
  readonly apis?: readonly KubeadmApi[];
  /** Why it is not read elsewhere. */
  readonly elsewhere?: string;
}

const init = ['init'] as const;
const controlPlanes = ['init', 'controlPlaneJoin'] as const;
const joins = ['controlPlaneJoin', 'workerJoin'] as const;
const v1beta4 = ['v1beta4'] as const;
const cloudConfig = ['cloud-config'] as const;
const onlyInit = 'a join takes the settings of the cluster from the cluster';
const noJoin = 'kubeadm init has no JoinConfiguration';
const old = 'kubeadm v1beta3 has no such field';
const refusedForIgnition = 'Ignition has nothing like it; admission refuses it with format ignition';

/** The rules, the more specific before the more general. */
export const fieldRules: readonly FieldRule[] = [
  {
    pattern: 'clusterConfiguration.certificatesDir',
    modes: controlPlanes,
    elsewhere: 'no certificate is written on a worker',
  },
  { pattern: 'clusterConfiguration.etcd.external.endpoints[]', modes: init, elsewhere: onlyInit },
  {
    pattern: 'clusterConfiguration.etcd.external.*',
    modes: controlPlanes,
    elsewhere: 'no certificate is written on a worker',
  },
  { pattern: 'clusterConfiguration.*.extraEnvs[].**', modes: init, apis: v1beta4, elsewhere: `${onlyInit}; ${old}` },
  {
    pattern: 'clusterConfiguration.etcd.local.extraEnvs[].**',
    modes: init,
    apis: v1beta4,
    elsewhere: `${onlyInit}; ${old}`,
  },
  {
    pattern: 'clusterConfiguration.certificateValidityPeriodDays',
    modes: init,
    apis: v1beta4,
    elsewhere: `${onlyInit}; ${old}`,
  },
  {
    pattern: 'clusterConfiguration.caCertificateValidityPeriodDays',
    modes: init,
    apis: v1beta4,
    elsewhere: `${onlyInit}; ${old}, where it still decides how long CAs that we make are valid`,
  },
  {
    pattern: 'clusterConfiguration.encryptionAlgorithm',
    modes: init,
    apis: v1beta4,
    elsewhere: `${onlyInit}; ${old}, where it still decides the kind of the keys that we make`,
  },
  { pattern: 'clusterConfiguration.**', modes: init, elsewhere: onlyInit },
  { pattern: 'initConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds', modes: init, elsewhere: onlyInit },
  { pattern: 'initConfiguration.timeouts.*', modes: init, apis: v1beta4, elsewhere: `${onlyInit}; ${old}` },
  {
    pattern: 'initConfiguration.nodeRegistration.imagePullSerial',
    modes: init,
    apis: v1beta4,
    elsewhere: `${onlyInit}; ${old}`,
  },
  { pattern: 'initConfiguration.**', modes: init, elsewhere: 'kubeadm join has no InitConfiguration' },
  { pattern: 'joinConfiguration.timeouts.tlsBootstrapSeconds', modes: joins, elsewhere: noJoin },
  { pattern: 'joinConfiguration.timeouts.*', modes: joins, apis: v1beta4, elsewhere: `${noJoin}; ${old}` },
  {
    pattern: 'joinConfiguration.nodeRegistration.imagePullSerial',
    modes: joins,
    apis: v1beta4,
    elsewhere: `${noJoin}; ${old}`,
  },
  { pattern: 'joinConfiguration.**', modes: joins, elsewhere: noJoin },
  { pattern: 'bootCommands[]', formats: cloudConfig, elsewhere: refusedForIgnition },
  { pattern: 'users[].inactive', formats: cloudConfig, elsewhere: refusedForIgnition },
  {
    pattern: 'diskSetup.partitions[].tableType',
    formats: cloudConfig,
    elsewhere: 'Ignition writes GPT only; admission refuses another type',
  },
  { pattern: 'diskSetup.filesystems[].partition', formats: cloudConfig, elsewhere: refusedForIgnition },
  { pattern: 'diskSetup.filesystems[].replaceFS', formats: cloudConfig, elsewhere: refusedForIgnition },
  {
    pattern: 'ignition.**',
    formats: ['ignition'],
    elsewhere: 'cloud-init cannot read it; admission refuses it without format ignition',
  },
  { pattern: '**' },
];

/** The rule that speaks for a field. */
export function ruleFor(field: string): FieldRule {
  const rule = fieldRules.find(({ pattern }) => matches(pattern, field));
  if (rule === undefined) throw new Error(`no rule speaks for ${field}`);
  return rule;
}

/** Whether data made in this place depends on the field. */
export function isRead(field: string, { mode, format, api }: ReadingContext): boolean {
  const { modes, formats, apis } = ruleFor(field);
  return (modes?.includes(mode) ?? true) && (formats?.includes(format) ?? true) && (apis?.includes(api) ?? true);
}

/** Every field of the spec that holds a value, in the API's order: `files[].path`, `clusterConfiguration.featureGates.*`. */
export function specFields(): readonly string[] {
  return fieldsOf(kubeadmConfigSpec, '');
}

function fieldsOf(description: Description, path: string): readonly string[] {
  const { properties, items, openApi } = description;
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([name, member]) =>
      fieldsOf(member, path === '' ? name : `${path}.${name}`),
    );
  }
  if (items === undefined) return [path];
  return fieldsOf(items, openApi.type === 'array' ? `${path}[]` : `${path}.*`);
}

function matches(pattern: string, field: string): boolean {
  if (pattern === '**') return true;
  if (pattern.endsWith('.**')) {
    const prefix = pattern.slice(0, -'.**'.length).split('.');
    return matches(prefix.join('.'), field.split('.').slice(0, prefix.length).join('.'));
  }
  const wanted = pattern.split('.');
  const parts = field.split('.');
  return wanted.length === parts.length && wanted.every((part, index) => part === '*' || part === parts[index]);
}
