// The certificate Secrets of a cluster: read (cached, then live), generated once, and owned by the Cluster.
import { label, resources, secretType } from '../../../api/names.js';
import { loadCertificates, wantedCertificates, clusterFacts } from '../../../bootstrap/bootstrap-data.js';
import type {
  BootstrapMode,
  Certificates,
  CertificatesResult,
  KeyPair,
  SecretRead,
  SecretReads,
} from '../../../bootstrap/bootstrap-types.js';
import { generateCertificates } from '../../../bootstrap/certificates/generate-certificates.js';
import { textToBytes } from '../../../bootstrap/go-format/go-string.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import { isApiError } from '../../../kube/failures.js';
import { doubtsOf } from '../certificate-doubts.js';
import { failure, failureOfApi, failureOfRefusal } from '../failures.js';
import {
  clusterReference,
  isKubeadmConfigReference,
  kinds,
  objectName,
  targetOf,
  type CachedSecret,
  type StoredSecret,
} from '../objects.js';
import { specOf } from '../turn.js';
import { answer, type Answer, type Work } from './context.js';

/** Stands for a certificate and its key in shadow mode, where none is made. */
const CERTIFICATE_PLACEHOLDER = '-----BEGIN PLACEHOLDER-----\n-----END PLACEHOLDER-----\n';

/** The certificates of a mode, or a failure that names the Secret. Missing ones are made where the mode permits it. */
export async function certificatesFor(work: Work, mode: BootstrapMode): Promise<Certificates> {
  const { turn, view } = work;
  const cluster = clusterFacts(turn.cluster);
  const spec = specOf(turn);
  const wants = wantedCertificates(mode, { cluster, spec });
  const secrets = new Map<string, SecretRead>();
  for (const { secretName } of wants) secrets.set(secretName, await readCertificateSecret(work, secretName));
  const loaded = loadCertificates(mode, { cluster, spec, secrets });
  if (loaded.kind === 'refused') {
    throw failureOfRefusal(loaded, { view, mode: mode === 'init' ? 'init' : 'join', phase: 'prepare' });
  }
  tellDoubts(work, loaded.certificates);
  if (loaded.kind === 'loaded') return loaded.certificates;
  return [...loaded.certificates, ...(await makeCertificates(work, loaded))];
}

/** An Event for certificates that are there and look wrong. */
function tellDoubts({ key, memory, nowMs, ports, turn }: Work, certificates: Certificates): void {
  const { apiVersion, kind, metadata } = turn.config;
  const { namespace = '', name, uid = '' } = metadata;
  const doubts = doubtsOf(certificates, { namespace, nowMs: nowMs() });
  if (memory.said(key, 'doubts', doubts.join('\n'))) return;
  const object = { apiVersion, kind, namespace, name, uid };
  for (const message of doubts)
    ports.events.record({ object, type: 'Warning', reason: 'CertificateDoubtful', message });
}

/** Reads Secrets live, each once: values for files, users and passwords are never cached. */
export async function readSecretsLive(work: Work, names: readonly string[]): Promise<SecretReads> {
  const reads = new Map<string, SecretRead>();
  for (const name of names) reads.set(name, await readSecret(work, name));
  return reads;
}

/** Makes the Cluster the owner of certificate Secrets that a KubeadmConfig owns. */
export async function adoptCertificates(work: Work): Promise<Answer> {
  for (const secret of work.view.certificatesToAdopt) await adoptCertificate(work, secret);
  return answer('CERTIFICATES_ADOPTED', { hasCertificatesToAdopt: false });
}

async function adoptCertificate(work: Work, secret: CachedSecret): Promise<void> {
  const { namespace = '', name, uid, resourceVersion, ownerReferences = [] } = secret.metadata;
  const owner = clusterReference(work.turn.cluster);
  const others = ownerReferences.filter(
    (reference) => !isKubeadmConfigReference(reference) && reference.uid !== owner.uid,
  );
  const body = { metadata: { uid, resourceVersion, ownerReferences: [...others, owner] } };
  await work.client.mergePatch(targetOf(kinds.secret, namespace, name), body, work.call);
}

async function readCertificateSecret(work: Work, name: string): Promise<SecretRead> {
  const { namespace = '' } = work.turn.cluster.metadata;
  const cached = work.ports.caches.secrets.get(namespace, name);
  if (cached?.data !== undefined) return { kind: 'found', data: cached.data };
  return readSecret(work, name);
}

async function readSecret(work: Work, name: string): Promise<SecretRead> {
  const { namespace = '' } = work.turn.config.metadata;
  try {
    const secret = await work.client.get<StoredSecret>(targetOf(kinds.secret, namespace, name), work.call);
    return { kind: 'found', data: secret.data ?? {} };
  } catch (error) {
    if (isApiError(error, 'NotFound')) return { kind: 'notFound' };
    if (!isApiError(error) || error.failure.kind === 'Aborted') throw error;
    return { kind: 'failed', cause: error.failure.message };
  }
}

/** Generates what is missing and stores it, one Secret after the other: what a crash leaves is found again. */
async function makeCertificates(
  work: Work,
  { toGenerate }: Extract<CertificatesResult, { readonly kind: 'missing' }>,
): Promise<readonly KeyPair[]> {
  const { turn, ports, call } = work;
  const { namespace = '', name } = turn.cluster.metadata;
  if (ports.settings.shadow) {
    const stands = toGenerate.map((want) => ({ want, cert: CERTIFICATE_PLACEHOLDER, key: CERTIFICATE_PLACEHOLDER }));
    for (const pair of stands) await createCertificateSecret(work, pair);
    return stands;
  }
  const result = await generateCertificates({
    wants: toGenerate,
    settings: specOf(turn).clusterConfiguration,
    owner: `${namespace}/${name}`,
    pool: ports.keyPool,
    nowMs: work.nowMs(),
    signal: call.signal,
  });
  if (result.kind === 'aborted') throw new EffectFailure('Aborted', 'making certificates was interrupted');
  if (result.kind === 'failed') {
    const { config } = turn;
    const object = objectName('kubeadmConfig', config.metadata.namespace ?? '', config.metadata.name);
    throw failure('InitCertificates', result.message, object);
  }
  for (const pair of result.made) await createCertificateSecret(work, pair);
  return result.made;
}

async function createCertificateSecret(work: Work, { want, cert, key }: KeyPair): Promise<void> {
  const { turn, client, call } = work;
  const { namespace = '', name } = turn.cluster.metadata;
  const secret = {
    apiVersion: resources.Secret.apiVersion,
    kind: 'Secret',
    type: secretType.cluster,
    metadata: {
      name: want.secretName,
      namespace,
      labels: { [label.clusterName]: name },
      // PARITY: upstream names the first KubeadmConfig, whose deletion would take the CAs along (docs/parity.md, Q-08).
      ownerReferences: [clusterReference(turn.cluster)],
    },
    data: { 'tls.key': base64(key), 'tls.crt': base64(cert) },
  };
  try {
    await client.create(kinds.secret, secret, call);
  } catch (error) {
    const object = objectName('secret', namespace, want.secretName);
    throw failureOfApi({ kind: 'InitCertificates', prefix: '', object }, error);
  }
}

function base64(text: string): string {
  return Buffer.from(textToBytes(text)).toString('base64');
}
