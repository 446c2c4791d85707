// What a KubeadmConfig in a picture tells, in the words that rules are about. Pure.
import type { Json } from './history.js';
import type { Picture } from './picture.js';

/** A condition, or its absence: then all is empty. */
export interface ToldCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** What one KubeadmConfig says of itself. */
export interface Told {
  readonly isThere: boolean;
  readonly isDeleting: boolean;
  readonly hasStatus: boolean;
  readonly hasData: boolean;
  readonly dataSecretName: string;
  readonly paused: ToldCondition;
  readonly data: ToldCondition;
  readonly certificates: ToldCondition;
  readonly legacyData: ToldCondition;
  readonly legacyCertificates: ToldCondition;
  readonly labels: Json;
  readonly failureReason: string;
  readonly spec: Json;
}

/** Looks into a picture; `of` is `KubeadmConfig/name`. */
export function toldOf(picture: Picture, of: string): Told {
  const config = picture[of];
  const text = (...path: string[]): string => String(at(config, ...path) ?? '');
  const condition = (...path: string[]): ToldCondition => ({
    status: text(...path, 'status'),
    reason: text(...path, 'reason'),
    message: text(...path, 'message'),
  });
  const legacy = ['status', 'deprecated', 'v1beta1'];
  return {
    isThere: config !== undefined,
    isDeleting: at(config, 'metadata', 'isDeleting') === true,
    hasStatus: at(config, 'status') !== undefined,
    hasData: at(config, 'status', 'initialization', 'dataSecretCreated') === true,
    dataSecretName: text('status', 'dataSecretName'),
    paused: condition('status', 'conditions', 'Paused'),
    data: condition('status', 'conditions', 'DataSecretAvailable'),
    certificates: condition('status', 'conditions', 'CertificatesAvailable'),
    legacyData: condition(...legacy, 'conditions', 'DataSecretAvailable'),
    legacyCertificates: condition(...legacy, 'conditions', 'CertificatesAvailable'),
    labels: (at(config, 'metadata', 'labels') ?? {}) as Json,
    failureReason: text(...legacy, 'failureReason'),
    spec: (at(config, 'spec') ?? {}) as Json,
  };
}

/** One line for people. */
export function lineOf(told: Told): string {
  const one = (name: string, { status, message }: ToldCondition): string =>
    status === '' ? `${name} -` : `${name} ${status}${message === '' ? '' : ` "${message}"`}`;
  if (!told.isThere) return '(absent)';
  if (!told.hasStatus) return '(no status)';
  return [
    told.hasData ? `has data ${told.dataSecretName}` : 'no data',
    one('data', told.data),
    one('certificates', told.certificates),
    `v1beta1 data ${told.legacyData.status} ${told.legacyData.reason} ${told.legacyData.message}`,
    `certificates ${told.legacyCertificates.status} ${told.legacyCertificates.reason} ${told.legacyCertificates.message}`,
    ...(told.paused.status === 'True' ? ['paused'] : []),
  ].join('; ');
}

/** A field of nested objects. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, name) => (inside as Json | undefined)?.[name], value);
}
