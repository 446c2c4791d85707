// What tells the API server about our kinds: CustomResourceDefinitions and webhook configurations, from the code that serves them.

import { load } from '../visualize.mjs';
import { CA_INJECTION, NAMESPACE, PREFIX, PROVIDER_LABELS, WEBHOOK_SERVICE } from './names.mjs';

const CONTRACT_LABELS = { 'cluster.x-k8s.io/v1beta1': 'v1beta1', 'cluster.x-k8s.io/v1beta2': 'v1beta2' };
const service = (path) => ({ name: WEBHOOK_SERVICE, namespace: NAMESPACE, path });

/** The CustomResourceDefinitions, with labels of the contract and the address of the conversion webhook. */
export async function crds() {
  const { kubeadmConfigCrd, kubeadmConfigTemplateCrd } = await load('src/api/kubeadmconfig/crd.ts', 'crd');
  const { CONVERSION_PATH } = await load('src/webhooks/endpoints.ts', 'endpoints');
  return [kubeadmConfigCrd, kubeadmConfigTemplateCrd].map(({ metadata, spec, ...crd }) => ({
    ...crd,
    metadata: { ...metadata, annotations: CA_INJECTION, labels: { ...PROVIDER_LABELS, ...CONTRACT_LABELS } },
    spec: {
      ...spec,
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { service: service(CONVERSION_PATH) }, conversionReviewVersions: ['v1'] },
      },
    },
  }));
}

/** The webhook configurations. */
export async function webhooks() {
  const { ADMISSION_ENDPOINTS } = await load('src/webhooks/endpoints.ts', 'endpoints');
  const configuration = (type, kind) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: `${PREFIX}${type}-webhook-configuration`, annotations: CA_INJECTION, labels: PROVIDER_LABELS },
    webhooks: ADMISSION_ENDPOINTS.filter((endpoint) => endpoint.type === type).map(webhook),
  });
  return [
    configuration('mutating', 'MutatingWebhookConfiguration'),
    configuration('validating', 'ValidatingWebhookConfiguration'),
  ];
}

// Requests in v1beta1 reach the webhooks converted to v1beta2 (Equivalent); the status is nobody's to admit.
function webhook({ name, path, plural }) {
  return {
    name,
    admissionReviewVersions: ['v1'],
    clientConfig: { service: service(path) },
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    rules: [
      {
        apiGroups: ['bootstrap.cluster.x-k8s.io'],
        apiVersions: ['v1beta2'],
        operations: ['CREATE', 'UPDATE'],
        resources: [plural],
      },
    ],
    sideEffects: 'None',
  };
}
