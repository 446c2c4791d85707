// Which certificates a machine needs, what their Secrets are called and where their parts go on the node.
//
// The order of a set is the order of looking up, generating and storing: ca, sa, proxy, the API server's etcd client (only
// with an external etcd), etcd. The order of files is another one, see certificate-files.ts.
import { posix } from 'node:path';

import type { CertificatePurpose, CertificateWant } from '../bootstrap-types.js';
import { base64ToText } from '../go-format/go-string.js';
import type { CertificateSetKind, CertificateSettings, KeyPairRead } from './types.js';

/** Where kubeadm looks for certificates when `certificatesDir` is absent. */
export const DEFAULT_CERTIFICATES_DIR = '/etc/kubernetes/pki';

/** The name of the Secret that holds a cluster's pair for a purpose. */
export function certificateSecretName(clusterName: string, purpose: CertificatePurpose): string {
  return `${clusterName}-${purpose}`;
}

/** The certificates of a set, in lookup order. Workers get the cluster CA for its hashes and write no file. */
export function certificateSet(
  kind: CertificateSetKind,
  cluster: { readonly name: string },
  settings: CertificateSettings | undefined,
): readonly CertificateWant[] {
  const want = (
    purpose: CertificatePurpose,
    certFile: string,
    keyFile: string,
    isExternal = false,
  ): CertificateWant => ({
    purpose,
    secretName: certificateSecretName(cluster.name, purpose),
    certFile,
    keyFile,
    isExternal,
  });
  if (kind === 'worker') return [want('ca', '', '')];

  const inDir = (file: string): string => posix.join(settings?.certificatesDir || DEFAULT_CERTIFICATES_DIR, file);
  const external = externalEtcd(settings);
  return [
    want('ca', inDir('ca.crt'), inDir('ca.key')),
    want('sa', inDir('sa.pub'), inDir('sa.key')),
    want('proxy', inDir('front-proxy-ca.crt'), inDir('front-proxy-ca.key')),
    ...(external === null
      ? [want('etcd', inDir('etcd/ca.crt'), inDir('etcd/ca.key'))]
      : [
          want('apiserver-etcd-client', external.certFile ?? '', external.keyFile ?? '', true),
          want('etcd', external.caFile ?? '', '', true),
        ]),
  ];
}

/** The external etcd's settings; null when no member of them is present. */
function externalEtcd(
  settings: CertificateSettings | undefined,
): NonNullable<NonNullable<CertificateSettings['etcd']>['external']> | null {
  const external = settings?.etcd?.external;
  if (external === undefined) return null;
  const isDefined = external.endpoints !== undefined || external.caFile || external.certFile || external.keyFile;
  return isDefined ? external : null;
}

/** The pair in a Secret's `data` (base64, as in the API's JSON). Nothing is parsed. The message is upstream's. */
export function readKeyPair(
  want: CertificateWant,
  namespace: string,
  data: Readonly<Record<string, string>>,
): KeyPairRead {
  const cert = data['tls.crt'];
  if (cert === undefined) {
    const secret = `${namespace}/${want.secretName}`;
    return {
      kind: 'corrupt',
      message: `failed to read keypair from certificate ${secret}: missing data for key tls.crt`,
    };
  }
  return { kind: 'loaded', keyPair: { want, cert: base64ToText(cert), key: base64ToText(data['tls.key'] ?? '') } };
}
