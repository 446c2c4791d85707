// Credentials of plugins (`exec`) and of OIDC and other providers (`auth-provider`), from the Kubernetes client library.
//
// The library is imported here and nowhere else, by the one name that is used, so that the bundle leaves out the rest of it. It
// opens a connection per request, so requests are ours.

import { KubeConfig } from '@kubernetes/client-node';
import type { Identity } from './access.js';

/** Asks for a credential. */
export type CredentialSource = () => Promise<Identity>;

/** Asks the library about entries of a kubeconfig with absolute paths; what a plugin answered is kept until it expires. */
export function pluginCredentials(cluster: { readonly server?: unknown }, user: object): CredentialSource {
  const config = new KubeConfig();
  // The library refuses plain http unless certificates are ignored, and builds an agent that we throw away.
  const isPlain = typeof cluster.server === 'string' && cluster.server.startsWith('http:');
  config.loadFromString(
    JSON.stringify({
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
      clusters: [{ name: 'x', cluster: isPlain ? { ...cluster, 'insecure-skip-tls-verify': true } : cluster }],
      users: [{ name: 'x', user }],
    }),
  );
  return async () => {
    const options: TlsOptions = {};
    await config.applyToHTTPSOptions(options as Parameters<KubeConfig['applyToHTTPSOptions']>[0]);
    return identityIn(options);
  };
}

interface TlsOptions {
  headers?: Readonly<Record<string, string>>;
  auth?: string;
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
}

function identityIn(options: TlsOptions): Identity {
  const named = Object.entries(options.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  const basic =
    options.auth === undefined ? {} : { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` };
  return {
    headers: { ...Object.fromEntries(named), ...basic },
    ca: pem(options.ca),
    clientCertificate: pem(options.cert),
    clientKey: pem(options.key),
  };
}

function pem(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '';
}
