// The bootstrap data of the Go provider, byte for byte: every recorded input is evaluated by the code that the operator
// and `render` share, and compared with what upstream stored, wrote to the spec and said in conditions.
import { describe, expect, test } from '@jest/globals';

import type { ConditionsAfter, OfflineResult } from '../../src/bootstrap/offline.js';
import { evaluate, vectors, type Expected } from './bootstrap-vector.js';

const waiting = 'Waiting for Cluster control plane to be initialized';

/** Upstream's conditions, and for a failure that upstream shows nowhere the condition of our rulings. */
function conditionsOf(expected: Expected, result: OfflineResult): ConditionsAfter {
  const kept = expected.conditions.filter(
    ({ type }) => type === 'DataSecretAvailable' || type === 'CertificatesAvailable',
  );
  const upstream: ConditionsAfter = Object.fromEntries(
    kept.map(({ type, status, reason, message = '' }) => [type, { status, reason, message }]),
  );
  const shown = upstream.DataSecretAvailable?.message ?? waiting;
  if (result.kind !== 'refused' || result.conditionType !== 'DataSecretAvailable' || shown !== waiting) return upstream;
  return { ...upstream, DataSecretAvailable: { status: 'False', reason: 'NotAvailable', message: result.cause } };
}

const followed = vectors.filter(({ deviation }) => deviation === undefined);

describe('bootstrap data', () => {
  test.each(followed.map((vector) => [vector.id, vector.title, vector] as const))(
    'bootstrap data: %s %s -> as the Go provider',
    async (_id, _title, vector) => {
      const { expected, input } = vector;
      const result = await evaluate(vector);
      if (expected.valueBase64 !== undefined) {
        expect(result).toMatchObject({ kind: 'data', format: expected.format });
        if (result.kind !== 'data') return;
        const bytes = Buffer.from(result.bytes);
        expect(bytes.toString()).toBe(Buffer.from(expected.valueBase64, 'base64').toString());
        expect(bytes.toString('base64')).toBe(expected.valueBase64);
        expect(result.contributors.reduce((sum, contributor) => sum + contributor.bytes, 0)).toBe(bytes.length);
      } else {
        expect(result.kind).toBe(expected.error === undefined ? 'waiting' : 'refused');
        if (result.kind === 'refused' && expected.errorMatch === 'exact') expect(result.cause).toBe(expected.error);
      }
      expect(result.specAfter).toEqual(expected.specAfter ?? input.kubeadmConfig.spec ?? {});
      expect(result.conditions).toEqual(conditionsOf(expected, result));
    },
  );
});
