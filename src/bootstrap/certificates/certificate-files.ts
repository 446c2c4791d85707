// The files that carry a control plane node's certificates.
//
// Order: ca, etcd, front-proxy, sa, API server's etcd client; certificate before key. A part without bytes gives no file.
//
// PARITY: a part without a path gives no file either. Upstream emits an entry with an empty path when the Secret of an
// external etcd's CA also holds a key (docs/parity.md, Q-49).
import type { CertificatePurpose, Certificates } from '../bootstrap-types.js';
import type { NodeFile } from '../node-data.js';

const FILE_ORDER: readonly CertificatePurpose[] = ['ca', 'etcd', 'proxy', 'sa', 'apiserver-etcd-client'];
const OWNER = 'root:root';
const CERT_PERMISSIONS = '0640';
const KEY_PERMISSIONS = '0600';

/** The files of all pairs that were found, with the Secret's bytes as they are. */
export function certificateFiles(certificates: Certificates): readonly NodeFile[] {
  return FILE_ORDER.flatMap((purpose) => certificates.filter((pair) => pair.want.purpose === purpose))
    .flatMap(({ want, cert, key }) => [
      { part: 'certificate', path: want.certFile, permissions: CERT_PERMISSIONS, content: cert, purpose: want.purpose },
      { part: 'key', path: want.keyFile, permissions: KEY_PERMISSIONS, content: key, purpose: want.purpose },
    ])
    .filter((file) => file.path !== '' && file.content !== '')
    .map(({ part, path, permissions, content, purpose }) => ({
      field: `${part} ${purpose}`,
      path,
      owner: OWNER,
      permissions,
      content,
    }));
}
