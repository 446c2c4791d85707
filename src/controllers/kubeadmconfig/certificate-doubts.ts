// Certificates that are there and look wrong: not of a CA, expired, or with the key of another one.
//
// Advice for Events and `explain`, never a refusal: kubeadm has the last word. No text holds a part of a certificate or key.
import { clusterFacts, wantedCertificates } from '../../bootstrap/bootstrap-data.js';
import type { Certificates, CertificateWant } from '../../bootstrap/bootstrap-types.js';
import { inspectKeyPair } from '../../bootstrap/certificates/certificate-checks.js';
import { readKeyPair } from '../../bootstrap/certificates/certificate-sets.js';
import type { ApiClient } from '../../kube/contract.js';
import { isApiError } from '../../kube/failures.js';
import { kinds, targetOf, type StoredSecret } from './objects.js';
import type { View } from './view.js';

/** What is doubtful in certificates of a namespace, a line for each. */
export function doubtsOf(
  certificates: Certificates,
  { namespace, nowMs }: { readonly namespace: string; readonly nowMs: number },
): readonly string[] {
  return certificates.flatMap((pair) => {
    const seen = inspectKeyPair(pair, nowMs);
    return seen.kind === 'doubtful' ? [seen.message.replace('Secret ', `Secret ${namespace}/`)] : [];
  });
}

/** What is doubtful in the certificate Secrets of a view. What is missing or cannot be loaded is the conditions' to tell. */
export function doubtsOfView(
  view: View,
  dataOf: (name: string) => Readonly<Record<string, string>> | undefined,
  nowMs: number,
): readonly string[] {
  const { namespace = '' } = view.config.metadata;
  const certificates = wantsOf(view).flatMap((want) => {
    const data = dataOf(want.secretName);
    const read = data === undefined ? null : readKeyPair(want, namespace, data);
    return read?.kind === 'loaded' ? [read.keyPair] : [];
  });
  return doubtsOf(certificates, { namespace, nowMs });
}

/** The same from live reads, for `explain`. A Secret that may not be read is told too. */
export async function readDoubts(
  client: ApiClient,
  view: View,
  { nowMs, signal }: { readonly nowMs: number; readonly signal?: AbortSignal },
): Promise<readonly string[]> {
  const { namespace = '' } = view.config.metadata;
  const found = new Map<string, Readonly<Record<string, string>>>();
  const unread: string[] = [];
  for (const { secretName: name } of wantsOf(view)) {
    try {
      const options = signal === undefined ? {} : { signal };
      const { data = {} } = await client.get<StoredSecret>(targetOf(kinds.secret, namespace, name), options);
      found.set(name, data);
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (error.failure.kind !== 'NotFound') unread.push(`Secret ${namespace}/${name}: ${error.failure.message}`);
    }
  }
  return [...doubtsOfView(view, (name) => found.get(name), nowMs), ...unread];
}

function wantsOf({ cluster, config, owner }: View): readonly CertificateWant[] {
  if (cluster === null) return [];
  const mode = owner.isControlPlaneMachine ? 'init' : 'workerJoin';
  return wantedCertificates(mode, { cluster: clusterFacts(cluster), spec: config.spec ?? {} });
}
