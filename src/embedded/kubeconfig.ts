// Kubeconfig texts for servers without certificates of their own.
import { stringify } from 'yaml';

/** A kubeconfig (YAML) that leads to one server as one user. */
export function kubeconfigText(options: {
  readonly url: string;
  readonly cluster: string;
  readonly user: string;
  readonly token?: string | undefined;
  readonly ca?: string | undefined;
}): string {
  const { url, cluster, user, token, ca } = options;
  const authority = ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const context = `${user}@${cluster}`;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server: url, ...authority } }],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': context,
    users: [{ name: user, user: token === undefined ? {} : { token } }],
  });
}
