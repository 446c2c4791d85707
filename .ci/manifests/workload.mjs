// The Deployment and what it needs around it: namespace, Service, certificate.

import {
  NAMESPACE,
  PREFIX,
  PROVIDER_LABELS,
  SELECTOR,
  SERVICE_ACCOUNT,
  WEBHOOK_SERVICE,
  metadata,
  namespaced,
} from './names.mjs';

const CERTIFICATE_SECRET = `${PREFIX}webhook-service-cert`;

/** Arguments of the Go provider's Deployment, with clusterctl's variables. */
const ARGS = [
  '--leader-elect',
  '--diagnostics-address=${CAPI_DIAGNOSTICS_ADDRESS:=:8443}',
  '--insecure-diagnostics=${CAPI_INSECURE_DIAGNOSTICS:=false}',
  '--feature-gates=MachinePool=${EXP_MACHINE_POOL:=true},KubeadmBootstrapFormatIgnition=${EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION:=false},PriorityQueue=${EXP_PRIORITY_QUEUE:=true},ReconcilerRateLimiting=${EXP_RECONCILER_RATE_LIMITING:=true}',
  '--bootstrap-token-ttl=${KUBEADM_BOOTSTRAP_TOKEN_TTL:=15m}',
];

const fromField = (name, fieldPath) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
const port = (name, containerPort) => ({ name, containerPort, protocol: 'TCP' });
// Five seconds: a process with much to do answers late, and is not mended by a restart.
const probe = (path) => ({ httpGet: { path, port: 'healthz' }, timeoutSeconds: 5 });

const container = (image) => ({
  name: 'manager',
  image,
  imagePullPolicy: 'IfNotPresent',
  command: ['/manager'],
  args: ARGS,
  env: [
    fromField('POD_NAMESPACE', 'metadata.namespace'),
    fromField('POD_NAME', 'metadata.name'),
    fromField('POD_UID', 'metadata.uid'),
  ],
  ports: [port('webhook-server', 9443), port('healthz', 9440), port('metrics', 8443)],
  readinessProbe: probe('/readyz'),
  livenessProbe: probe('/healthz'),
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    privileged: false,
    readOnlyRootFilesystem: true,
    runAsGroup: 65532,
    runAsUser: 65532,
  },
  terminationMessagePolicy: 'FallbackToLogsOnError',
  volumeMounts: [{ name: 'cert', mountPath: '/tmp/k8s-webhook-server/serving-certs', readOnly: true }],
});

const tolerated = (key) => ({ key, effect: 'NoSchedule' });

/** The namespace. */
export function namespace() {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: metadata(NAMESPACE, { 'control-plane': 'controller-manager' }),
  };
}

/** The Deployment. */
export function deployment(image) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: namespaced(`${PREFIX}controller-manager`, { 'control-plane': 'controller-manager' }),
    spec: {
      replicas: 1,
      selector: { matchLabels: SELECTOR },
      template: {
        metadata: { labels: SELECTOR },
        spec: {
          containers: [container(image)],
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          serviceAccountName: SERVICE_ACCOUNT,
          terminationGracePeriodSeconds: 10,
          tolerations: [
            tolerated('node-role.kubernetes.io/master'),
            tolerated('node-role.kubernetes.io/control-plane'),
          ],
          volumes: [{ name: 'cert', secret: { secretName: CERTIFICATE_SECRET } }],
        },
      },
    },
  };
}

/** The Service of the webhooks. */
export function service() {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: namespaced(WEBHOOK_SERVICE),
    spec: { ports: [{ port: 443, targetPort: 'webhook-server' }], selector: PROVIDER_LABELS },
  };
}

/** The certificate of the webhooks and who issues it. */
export function certificate() {
  const issuer = `${PREFIX}selfsigned-issuer`;
  const apiVersion = 'cert-manager.io/v1';
  return [
    {
      apiVersion,
      kind: 'Certificate',
      metadata: namespaced(`${PREFIX}serving-cert`),
      spec: {
        dnsNames: [`${WEBHOOK_SERVICE}.${NAMESPACE}.svc`, `${WEBHOOK_SERVICE}.${NAMESPACE}.svc.cluster.local`],
        issuerRef: { kind: 'Issuer', name: issuer },
        secretName: CERTIFICATE_SECRET,
        subject: { organizations: ['k8s-sig-cluster-lifecycle'] },
      },
    },
    { apiVersion, kind: 'Issuer', metadata: namespaced(issuer), spec: { selfSigned: {} } },
  ];
}
