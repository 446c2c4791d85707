// Which version of kubeadm's own API a Kubernetes version is configured with. Pre-release and build do not matter.
import type { KubernetesVersion } from './kubernetes-version.js';

/** The versions of `kubeadm.k8s.io` we write. */
export type KubeadmApi = 'v1beta3' | 'v1beta4';

/** Upstream's words for a Kubernetes that is too old. */
export const tooOldError = "the bootstrap provider for kubeadm doesn't support Kubernetes version lower than v1.22.0";

/** The API version for this Kubernetes version; null if it is older than 1.22. */
export function kubeadmApiFor({ major, minor }: KubernetesVersion): KubeadmApi | null {
  if (major > 1n || (major === 1n && minor >= 31n)) return 'v1beta4';
  return major === 1n && minor >= 22n ? 'v1beta3' : null;
}

/** The full name, as in a document's `apiVersion`. */
export function kubeadmApiVersion(api: KubeadmApi): string {
  return `kubeadm.k8s.io/${api}`;
}
