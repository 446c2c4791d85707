// Making the pairs that a new cluster lacks.
//
// Keys come from the pool, one for each pair; certificates are signed off the event loop. The API server's etcd client
// certificate and whatever belongs to an external etcd are never made. Time comes in; nothing is stored here.
import type { CertificateWant, KeyPair } from '../bootstrap-types.js';
import { CA_VALIDITY_DAYS_DEFAULT, createCaCertificate } from './ca-certificate.js';
import { parseEncryptionAlgorithm } from './encryption-algorithm.js';
import { privateKeyPem, publicKeyPem } from './keys.js';
import type { CertificateSettings, GeneratedKey, GenerateResult, KeyPool } from './types.js';

/** The latest end of validity that X.509 can say is in the year 9999; this many days from now stay below it. */
const VALIDITY_DAYS_MAX = 2_800_000;

/** Makes the wanted pairs. Answers, never throws; an abort is an answer too. */
export async function generateCertificates(options: {
  readonly wants: readonly CertificateWant[];
  readonly settings: CertificateSettings | undefined;
  /** The cluster as `namespace/name`. */
  readonly owner: string;
  readonly pool: KeyPool;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}): Promise<GenerateResult> {
  const { settings, owner, pool, nowMs, signal } = options;
  const parsed = parseEncryptionAlgorithm(settings?.encryptionAlgorithm);
  if (parsed.kind === 'unknown') {
    return { kind: 'failed', field: 'spec.clusterConfiguration.encryptionAlgorithm', message: parsed.message };
  }
  const validityDays = settings?.caCertificateValidityPeriodDays || CA_VALIDITY_DAYS_DEFAULT;
  if (!Number.isInteger(validityDays) || validityDays < 0 || validityDays > VALIDITY_DAYS_MAX) {
    const message = `a validity of ${validityDays} days cannot be written into a certificate`;
    return { kind: 'failed', field: 'spec.clusterConfiguration.caCertificateValidityPeriodDays', message };
  }

  const wants = options.wants.filter(isGeneratable);
  if (wants.length === 0) return { kind: 'generated', made: [] };
  const answer = await pool.take({ owner, algorithm: parsed.algorithm, count: wants.length, signal });
  if (answer.kind === 'failed') return { ...answer, field: 'spec.clusterConfiguration.encryptionAlgorithm' };
  if (answer.kind === 'aborted') return answer;

  const made: KeyPair[] = [];
  for (const [index, want] of wants.entries()) {
    const key = answer.keys[index];
    if (key === undefined) throw new Error('the key pool handed out fewer keys than it was asked for');
    made.push(await makePair(want, { key, nowMs, validityDays }));
    if (signal.aborted) return { kind: 'aborted' };
  }
  return { kind: 'generated', made };
}

/** Whether a missing pair is ours to make. */
export function isGeneratable(want: CertificateWant): boolean {
  return !want.isExternal && want.purpose !== 'apiserver-etcd-client';
}

async function makePair(
  want: CertificateWant,
  material: { readonly key: GeneratedKey; readonly nowMs: number; readonly validityDays: number },
): Promise<KeyPair> {
  const cert = want.purpose === 'sa' ? publicKeyPem(material.key) : await createCaCertificate(material);
  return { want, cert, key: privateKeyPem(material.key) };
}
