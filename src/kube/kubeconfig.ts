// A kubeconfig whose credentials stand in it: the kubeconfigs of workload clusters.
//
// Reads a parsed document; the YAML parser comes from outside. Files, credential plugins and auth providers are refused: a
// Secret's author must not make this process open files or run programs.

import { SERVER_URL_CHARS_MAX } from '../limits.js';
import { AccessError, fixedAccess, type Identity, type ServerAccess } from './access.js';
import { impersonationOf, type ImpersonatingUser } from './impersonation.js';

interface ClusterEntry {
  readonly server?: unknown;
  readonly 'certificate-authority-data'?: unknown;
  readonly 'certificate-authority'?: unknown;
  readonly 'insecure-skip-tls-verify'?: unknown;
  readonly 'tls-server-name'?: unknown;
  readonly 'proxy-url'?: unknown;
}

interface UserEntry extends ImpersonatingUser {
  readonly token?: unknown;
  readonly tokenFile?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
  readonly 'client-certificate-data'?: unknown;
  readonly 'client-key-data'?: unknown;
  readonly 'client-certificate'?: unknown;
  readonly 'client-key'?: unknown;
  readonly exec?: unknown;
  readonly 'auth-provider'?: unknown;
}

/** The access that a kubeconfig document describes. Throws AccessError. */
export function accessOfKubeconfig(document: unknown): ServerAccess {
  const config = asObject(document);
  if (config === null) throw new AccessError('error parsing kubeconfig: it is not a YAML mapping');
  const context = named<{ cluster?: unknown; user?: unknown }>(
    config,
    'contexts',
    'context',
    text(config['current-context']),
  );
  if (context === null) throw new AccessError('error parsing kubeconfig: current-context names no context');
  const cluster = named<ClusterEntry>(config, 'clusters', 'cluster', text(context.cluster));
  if (cluster === null) throw new AccessError('error parsing kubeconfig: the context names no cluster');
  const user = text(context.user) === '' ? {} : named<UserEntry>(config, 'users', 'user', text(context.user));
  if (user === null) throw new AccessError('error parsing kubeconfig: the context names no user');
  refusePlugins(user);
  refuseFiles(cluster, user);
  refuseLongUrl('proxy-url', text(cluster['proxy-url']));
  const identity = identityOf(cluster, user);
  return fixedAccess(
    {
      server: serverUrl(text(cluster.server), {
        hasTls: identity.ca !== '' || identity.clientCertificate !== '' || cluster['insecure-skip-tls-verify'] === true,
      }),
      tlsServerName: text(cluster['tls-server-name']),
      insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
      proxyUrl: text(cluster['proxy-url']),
    },
    identity,
  );
}

function refusePlugins(user: UserEntry): void {
  if (user.exec !== undefined && user.exec !== null)
    throw new AccessError('ExecProvider is not supported in ClusterCache');
  if (user['auth-provider'] !== undefined && user['auth-provider'] !== null) {
    throw new AccessError('AuthProvider is not supported in ClusterCache');
  }
}

function refuseFiles(cluster: ClusterEntry, user: UserEntry): void {
  const files = [
    ['certificate-authority', cluster['certificate-authority'], cluster['certificate-authority-data']],
    ['client-certificate', user['client-certificate'], user['client-certificate-data']],
    ['client-key', user['client-key'], user['client-key-data']],
    ['tokenFile', user.tokenFile, user.token],
  ] as const;
  for (const [field, file, data] of files) {
    if (text(file) === '' || text(data) !== '') continue;
    throw new AccessError(
      `error parsing kubeconfig: ${field} names a file, which a kubeconfig in a Secret cannot; embed the data`,
    );
  }
}

/** The authorization header of a user with a token, or with name and password; none otherwise. */
export function authorizationOf(user: {
  readonly token?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
}): Readonly<Record<string, string>> {
  const token = text(user.token);
  const username = text(user.username);
  if (token !== '') return { authorization: `Bearer ${token}` };
  if (username === '') return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${text(user.password)}`).toString('base64')}` };
}

function identityOf(cluster: ClusterEntry, user: UserEntry): Identity {
  return {
    headers: authorizationOf(user),
    impersonation: impersonationOf(user),
    ca: pemOfBase64('certificate-authority-data', cluster['certificate-authority-data']),
    clientCertificate: pemOfBase64('client-certificate-data', user['client-certificate-data']),
    clientKey: pemOfBase64('client-key-data', user['client-key-data']),
  };
}

/** PEM from its base64; empty for none. `field` is named when it is something else. */
export function pemOfBase64(field: string, value: unknown): string {
  const base64 = text(value).replace(/\s/g, '');
  if (base64 === '') return '';
  const pem = Buffer.from(base64, 'base64').toString('utf8');
  if (!pem.includes('-----BEGIN ')) throw new AccessError(`error parsing kubeconfig: ${field} is not base64 of PEM`);
  return pem;
}

/** The server's URL, checked. One without a scheme gets the scheme that client-go gives it: https where anything says TLS. */
export function serverUrl(server: string, { hasTls }: { readonly hasTls: boolean }): string {
  if (server === '') throw new AccessError('error parsing kubeconfig: the cluster has no server');
  refuseLongUrl('server', server);
  const whole = SCHEME_AND_HOST.test(server)
    ? server
    : HOST_ALONE.test(server)
      ? `${hasTls ? 'https' : 'http'}://${server}`
      : '';
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new AccessError(
      `error parsing kubeconfig: server ${JSON.stringify(withoutLogin(server))} is neither an https URL nor host:port`,
    );
  }
  return withoutLastSlashes(whole);
}

const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i;
const HOST_ALONE = /^[^/?#\s]+\/?$/;

function withoutLogin(server: string): string {
  return server.slice(server.lastIndexOf('@') + 1);
}

function refuseLongUrl(field: string, url: string): void {
  if (url.length <= SERVER_URL_CHARS_MAX) return;
  throw new AccessError(
    `error parsing kubeconfig: ${field} has ${url.length} characters, more than the limit of ${SERVER_URL_CHARS_MAX}`,
  );
}

/** A pattern would try again at every slash. */
function withoutLastSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

function named<T>(config: Readonly<Record<string, unknown>>, list: string, field: string, name: string): T | null {
  const entries = config[list];
  if (name === '' || !Array.isArray(entries)) return null;
  const entry = entries.map(asObject).find((candidate) => candidate?.['name'] === name);
  return entry === undefined || entry === null ? null : ((asObject(entry[field]) ?? {}) as T);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
