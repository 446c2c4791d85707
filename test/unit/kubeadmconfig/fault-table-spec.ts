// What goes wrong in a spec, in what it refers to, and in certificates: fault -> condition -> explain.
import { CANARY, type Fault } from './fault-kit.js';
import { data, certificates, worker, first, fromSecret, password, refuse } from './fault-worlds.js';
import { secret } from './objects.js';

/** Faults of the spec, of Secrets that it refers to, and of certificates. */
export const specFaults: readonly Fault[] = [
  {
    fault: 'the Secret of a file is missing',
    inject: worker({ spec: fromSecret('files', 'a') }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/files',
    place: 'spec.files[1].contentFrom.secret',
    shownPlace: 'spec.files',
    cause: 'secrets "files" not found',
  },
  {
    fault: 'the Secret of a file lacks the key',
    inject: worker({ spec: fromSecret('files', 'a'), secrets: [secret('files', { b: CANARY })] }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/files',
    place: 'spec.files[1].contentFrom.secret',
    cause: 'non-existent secret key: "a"',
  },
  {
    fault: 'the Secret of a file may not be read',
    inject: worker({
      spec: fromSecret('files', 'a'),
      faults: {
        request: (info) =>
          info.userAgent.startsWith('operator-under-test') && info.verb === 'get' && info.name === 'files'
            ? {
                kind: 'status',
                code: 403,
                message:
                  'secrets "files" is forbidden: User "capi" cannot get resource "secrets" in API group "" in the namespace "default"',
              }
            : undefined,
      },
    }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/files',
    place: 'spec.files[1].contentFrom.secret',
    shownPlace: 'spec.files',
    cause: 'secrets "files" is forbidden',
  },
  {
    fault: 'the Secret of a password is missing',
    inject: worker({ spec: password('passwords', 'admin') }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/passwords',
    place: 'spec.users[0].passwdFrom.secret',
    shownPlace: 'spec.users',
    cause: 'secrets "passwords" not found',
  },
  {
    fault: 'the Secret of a password lacks the key',
    inject: first({ spec: password('passwords', 'admin'), secrets: [secret('passwords', { root: CANARY })] }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/passwords',
    place: 'spec.users[0].passwdFrom.secret',
    cause: 'non-existent secret key: "admin"',
  },
  {
    fault: 'a template cannot be parsed',
    inject: worker({
      spec: { files: [{ path: '/etc/x', content: '{{ .controlPlane.version', contentFormat: 'Template' }] },
    }),
    condition: [data, 'NotAvailable'],
    place: 'spec.files[0].content',
    shownPlace: 'spec.files',
    cause: 'failed to parse template for file "/etc/x": template: /etc/x:1: unclosed action',
  },
  {
    fault: 'a template cannot be carried out',
    inject: worker({ spec: { files: [{ path: '/etc/x', content: '{{ len 3 }}', contentFormat: 'Template' }] } }),
    condition: [data, 'NotAvailable'],
    place: 'spec.files[0].content',
    shownPlace: 'spec.files',
    cause: 'error calling len',
  },
  {
    fault: 'the control plane whose version a template needs is missing',
    inject: worker({
      cluster: {
        controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'cp' },
      },
      spec: { files: [{ path: '/etc/x', content: '{{ .controlPlane.version }}', contentFormat: 'Template' }] },
    }),
    condition: [data, 'NotAvailable'],
    object: 'Cluster default/c1',
    place: 'spec.controlPlaneRef',
    cause: 'failed to retrieve KubeadmControlPlane default/cp',
  },
  {
    fault: 'the CA Secret of a joining worker is missing',
    inject: worker({ without: ['ca'] }),
    condition: [certificates, 'InternalError'],
    object: 'Secret default/c1-ca',
    cause: 'missing certificate',
  },
  {
    fault: 'the service account Secret of an init with a control plane object has no key',
    inject: first({
      without: ['sa'],
      secrets: [secret('c1-sa', { 'tls.crt': 'x', other: CANARY })],
      cluster: {
        controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'cp' },
      },
    }),
    condition: [certificates, 'InternalError'],
    object: 'Secret default/c1-sa',
    cause: 'for certificate: sa: missing key data',
  },
  {
    fault: 'the CA of a joining worker is no PEM',
    inject: worker({ without: ['ca'], secrets: [secret('c1-ca', { 'tls.crt': CANARY, 'tls.key': CANARY })] }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/c1-ca',
    place: 'key tls.crt',
    cause: 'data does not contain any valid RSA or ECDSA certificates',
  },
  {
    fault: 'the external etcd client certificate is missing',
    inject: first({
      spec: {
        clusterConfiguration: {
          etcd: { external: { endpoints: ['https://e:2379'], caFile: '/a', certFile: '/b', keyFile: '/c' } },
        },
      },
    }),
    condition: [certificates, 'InternalError'],
    object: 'Secret default/c1-apiserver-etcd-client',
    cause: 'external certificate not found',
  },
  {
    fault: 'a new CA Secret exceeds the quota',
    inject: first({
      without: ['ca'],
      faults: refuse(
        'create',
        'secrets',
        403,
        'secrets "c1-ca" is forbidden: exceeded quota: small, requested: count/secrets=1, used: count/secrets=9, limited: count/secrets=9',
      ),
    }),
    condition: [certificates, 'InternalError'],
    object: 'Secret default/c1-ca',
    cause: 'exceeded quota: small',
  },
];
