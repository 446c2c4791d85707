// Refusals: why there is no bootstrap data, in the words of both API versions' conditions.
//
// What upstream shows nowhere (version, kubeadm documents, writing, size) is shown in DataSecretAvailable with its cause.
// A cause may name fields, Secrets and positions; it never holds a value that came from a Secret.
import type { Refused } from './bootstrap-types.js';

const dataFailed = { reason: 'DataSecretGenerationFailed', severity: 'Warning' } as const;
const seeLogs = 'Please check controller logs for errors';

/** DataSecretAvailable is False. Without a message of its own, the cause is the message. */
export function refuseData(given: {
  readonly field: string;
  readonly cause: string;
  readonly message?: string;
}): Refused {
  return {
    kind: 'refused',
    conditionType: 'DataSecretAvailable',
    status: 'False',
    reason: 'NotAvailable',
    message: given.message ?? given.cause,
    cause: given.cause,
    field: given.field,
    v1beta1: dataFailed,
  };
}

/** CertificatesAvailable is Unknown: certificates of an init could not be read, or of a join are not complete. */
export function refuseCertificates(given: {
  readonly field: string;
  readonly cause: string;
  readonly isInit: boolean;
}): Refused {
  return {
    kind: 'refused',
    conditionType: 'CertificatesAvailable',
    status: 'Unknown',
    reason: 'InternalError',
    message: seeLogs,
    cause: given.cause,
    field: given.field,
    v1beta1: given.isInit
      ? { reason: 'CertificatesGenerationFailed', severity: 'Warning' }
      : { reason: 'CertificatesCorrupted', severity: 'Error' },
  };
}
