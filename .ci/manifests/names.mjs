// Names and labels of everything that is installed: those of the Go provider, so that it is upgraded in place.

export const NAMESPACE = 'capi-kubeadm-bootstrap-system';
export const PREFIX = 'capi-kubeadm-bootstrap-';
export const PROVIDER_LABELS = { 'cluster.x-k8s.io/provider': 'bootstrap-kubeadm' };
export const SELECTOR = { ...PROVIDER_LABELS, 'control-plane': 'controller-manager' };
export const WEBHOOK_SERVICE = `${PREFIX}webhook-service`;
export const SERVICE_ACCOUNT = `${PREFIX}manager`;
/** cert-manager puts the certificate authority of this Certificate where an object has this annotation. */
export const CA_INJECTION = { 'cert-manager.io/inject-ca-from': `${NAMESPACE}/${PREFIX}serving-cert` };

export const metadata = (name, more = {}) => ({ name, labels: { ...PROVIDER_LABELS, ...more } });
export const namespaced = (name, more = {}) => ({
  name,
  namespace: NAMESPACE,
  labels: { ...PROVIDER_LABELS, ...more },
});
