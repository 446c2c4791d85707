import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { applyPatch } from 'rfc6902';
import type { JsonObject } from '../../src/api/wire.js';
import { answerAdmission } from '../../src/webhooks/admission.js';
import { ADMISSION_ENDPOINTS } from '../../src/webhooks/endpoints.js';

interface Vector {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly operation: string;
  readonly featureGates: { readonly KubeadmBootstrapFormatIgnition: boolean };
  readonly dryRun: boolean;
  readonly new?: JsonObject;
  readonly old?: JsonObject;
  readonly allowed: boolean;
  readonly errorMessage?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly causes?: readonly { readonly type: string; readonly field: string; readonly message: string }[];
  readonly defaulted?: JsonObject;
}

interface Response {
  readonly allowed: boolean;
  readonly patch?: string;
  readonly status: {
    readonly code: number;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: { readonly causes: readonly { reason: string; field: string; message: string }[] };
  };
}

interface Recorded {
  readonly allowed: boolean;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: unknown;
}

function ask(
  kind: string,
  type: 'mutating' | 'validating',
  request: JsonObject,
  gates: Vector['featureGates'],
): Response {
  const endpoint = ADMISSION_ENDPOINTS.find((one) => one.kind === kind && one.type === type);
  if (endpoint === undefined) throw new Error(`no ${type} webhook for ${kind}`);
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u', ...request } };
  return (answerAdmission(endpoint, review, gates) as unknown as { readonly response: Response }).response;
}

const folder = 'test/golden/vectors/webhook';
const vectors = readdirSync(folder).map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Vector);

describe('admission vectors', () => {
  const validating = vectors.filter(({ operation }) => operation !== 'default');
  test.each(validating.map((vector) => [`${vector.id} ${vector.title}`, vector] as const))('%s', (_, vector) => {
    const request = {
      operation: vector.operation.toUpperCase(),
      dryRun: vector.dryRun,
      object: vector.operation === 'delete' ? null : (vector.new ?? null),
      oldObject: vector.old ?? null,
    };
    const { allowed, status } = ask(vector.kind, 'validating', request, vector.featureGates);
    expect(allowed).toBe(vector.allowed);
    expect(status.message).toBe(vector.errorMessage);
    expect(status.reason).toBe(vector.reason);
    expect(status.code).toBe(vector.code ?? 200);
    expect(status.details?.causes.map(({ reason, ...rest }) => ({ type: reason, ...rest }))).toEqual(vector.causes);
  });

  const defaulting = vectors.filter(({ operation }) => operation === 'default');
  const bothOperations = defaulting.flatMap((vector) => (['CREATE', 'UPDATE'] as const).map((each) => [each, vector] as const));
  test.each(bothOperations.map(([operation, vector]) => [`${vector.id} ${operation} ${vector.title}`, operation, vector] as const))(
    '%s',
    (_, operation, vector) => {
      const request = { operation, dryRun: vector.dryRun, object: vector.new ?? null, oldObject: vector.new ?? null };
      const { allowed, patch } = ask(vector.kind, 'mutating', request, vector.featureGates);
      expect(allowed).toBe(true);
      const object = structuredClone(vector.new);
      const operations = patch === undefined ? [] : JSON.parse(Buffer.from(patch, 'base64').toString());
      expect(applyPatch(object, operations).filter((error) => error !== null)).toEqual([]);
      expect(object).toEqual(vector.defaulted);
    },
  );
});

describe('recorded validation', () => {
  const { steps } = JSON.parse(readFileSync('test/scenarios/recorded/hook-01-validation.json', 'utf8')) as {
    readonly steps: readonly {
      readonly fact: string;
      readonly value: { readonly input?: JsonObject; readonly create?: Recorded; readonly update?: Recorded } & Recorded;
    }[];
  };
  const gates = { KubeadmBootstrapFormatIgnition: false };
  const checks = steps.filter(({ value }) => value.input !== undefined);

  test.each(checks.map((step) => [step.fact, step.value] as const))('%s', (fact, { input, create, update }) => {
    const kind = fact.split(':')[0] ?? '';
    const spec = kind === 'KubeadmConfig' ? { ...input } : { template: { spec: { ...input } } };
    const name = kind === 'KubeadmConfig' ? 'k' : 't';
    const object = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind, metadata: { name }, spec };
    for (const [operation, recorded] of [
      ['CREATE', create],
      ['UPDATE', update],
    ] as const) {
      if (recorded === undefined) continue;
      const { allowed, status } = ask(kind, 'validating', { operation, object, oldObject: object }, gates);
      expect({ allowed, ...status, causes: status.details?.causes }).toMatchObject({
        allowed: recorded.allowed,
        ...(recorded.allowed
          ? {}
          : {
              code: recorded.code,
              reason: recorded.reason,
              message: recorded.message,
              causes: recorded.causes,
            }),
      });
    }
  });

  test('KubeadmConfigTemplate: bad keys of labels and annotations -> both named', () => {
    const recorded = steps.find(({ fact }) => fact.includes('V19'))?.value;
    const metadata = { labels: { 'bad key!': 'v' }, annotations: { 'bad key!': 'v' } };
    const object = {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfigTemplate',
      metadata: { name: 't' },
      spec: { template: { metadata, spec: { verbosity: 1 } } },
    };
    const { status } = ask('KubeadmConfigTemplate', 'validating', { operation: 'CREATE', object }, gates);
    expect(status.message).toBe(recorded?.message);
    expect(status.details?.causes).toEqual(recorded?.causes);
  });
});
