// The kubeconfig of the management cluster: files, tokens, certificates, user names. Credential plugins and OIDC are left to the
// Kubernetes client library, which is loaded for them alone: most starts never need it.
//
//   K1. Whatever is wrong is one line that names the file and what to do.
//   K2. Files are read again when they have changed, and every minute; plugins are asked again when the library says that their
//       credential has expired, and after a 401.

import { readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Clock } from '../host/contract.js';
import { CREDENTIALS_AGE_MAX_MS, CREDENTIALS_TIME_MAX_MS } from '../limits.js';
import { AccessError, cachedIdentity, type Identity, type ServerAccess } from './access.js';
import { fileProblem } from './file-problem.js';
import { impersonationOf, type ImpersonatingUser } from './impersonation.js';
import { authorizationOf, pemOfBase64, serverUrl } from './kubeconfig.js';
import type { CredentialSource } from './plugin-credentials.js';
import { startDeadline, orAborted } from './waiting.js';

/** Where the kubeconfig is. */
export interface ManagementKubeconfigOptions {
  /** One path, or several joined as in $KUBECONFIG; the first one wins. */
  readonly paths: string;
  /** For messages: `--kubeconfig` or `$KUBECONFIG`. */
  readonly source: string;
  readonly clock: Clock;
  /** Parses YAML. */
  readonly parseYaml: (text: string) => unknown;
}

/** Reads the kubeconfig and makes an access of its current context. Throws AccessError. */
export async function managementAccess(options: ManagementKubeconfigOptions): Promise<ServerAccess> {
  const { clock } = options;
  let loaded = await load(options);
  let stale = false;
  const { cluster, where, namespace } = loaded;
  const identities = cachedIdentity(
    async () => {
      if (stale || loaded.hasTokenFile || (await stamp(loaded.files)) !== loaded.stamp) loaded = await load(options);
      stale = false;
      return identityOf(loaded, clock);
    },
    { monotonicMs: () => clock.monotonicMs(), ageMaxMs: CREDENTIALS_AGE_MAX_MS },
  );
  // The first identity is asked for here, so that a broken plugin or a missing file is an error at the start.
  const { ca, clientCertificate } = await identities.identity();
  const hasTls = ca !== '' || clientCertificate !== '' || cluster['insecure-skip-tls-verify'] === true;
  return Object.freeze({
    server: saidOf(where, () => serverUrl(text(cluster.server), { hasTls })),
    tlsServerName: text(cluster['tls-server-name']),
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
    proxyUrl: text(cluster['proxy-url']),
    namespace,
    identity: identities.identity,
    forget() {
      stale = true;
      identities.forget();
    },
  });
}

/** Entry of a cluster, as far as it is read. Paths are absolute. */
interface ManagementCluster {
  readonly server?: unknown;
  readonly 'certificate-authority'?: unknown;
  readonly 'certificate-authority-data'?: unknown;
  readonly 'insecure-skip-tls-verify'?: unknown;
  readonly 'tls-server-name'?: unknown;
  readonly 'proxy-url'?: unknown;
}

/** Entry of a user, as far as it is read. Paths are absolute. */
interface ManagementUser extends ImpersonatingUser {
  readonly token?: unknown;
  readonly tokenFile?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
  readonly 'client-certificate'?: unknown;
  readonly 'client-certificate-data'?: unknown;
  readonly 'client-key'?: unknown;
  readonly 'client-key-data'?: unknown;
  readonly exec?: unknown;
  readonly 'auth-provider'?: unknown;
}

interface Loaded {
  readonly cluster: ManagementCluster;
  readonly user: ManagementUser;
  readonly where: string;
  readonly namespace: string;
  readonly files: readonly string[];
  readonly stamp: string;
  readonly hasTokenFile: boolean;
  /** Made at the first need; it remembers the plugin's credential until it expires. */
  plugin: Promise<CredentialSource> | null;
}

interface Named {
  readonly name: string;
  readonly [field: string]: unknown;
}

type Lists = { readonly [list in 'clusters' | 'users' | 'contexts']: readonly Named[] };

interface Kubeconfig extends Lists {
  readonly currentContext: string;
}

async function load(options: ManagementKubeconfigOptions): Promise<Loaded> {
  const { paths, source, parseYaml } = options;
  const files = paths.split(delimiter).filter((path) => path !== '');
  const parts: Kubeconfig[] = [];
  for (const file of await presentOf(files)) {
    const content = await readText(file, source);
    try {
      parts.push(documentOf(parseYaml(content), dirname(file)));
    } catch (error) {
      throw new AccessError(`${source}: ${file} is not a kubeconfig: ${firstLine(error, content)}`);
    }
  }
  const { cluster, user, where, namespace } = current(mergedOf(parts), options);
  const tokenFile = text(user.tokenFile);
  return {
    cluster,
    user: tokenFile === '' ? user : { ...user, token: (await readText(tokenFile, `${where}: tokenFile`)).trim() },
    where,
    namespace,
    files,
    stamp: await stamp(files),
    hasTokenFile: tokenFile !== '',
    plugin: null,
  };
}

const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/** A document with its lists checked and its paths made absolute. */
function documentOf(parsed: unknown, folder: string): Kubeconfig {
  if (typeof parsed !== 'object' || parsed === null) throw new TypeError('not a mapping');
  const document = parsed as { readonly [field: string]: unknown };
  const list = (name: keyof Lists, field: string): readonly Named[] => {
    const entries = document[name];
    if (!Array.isArray(entries)) return [];
    return entries.map((entry: unknown, index) => {
      const { name: entryName, [field]: value = {} } = (entry ?? {}) as { readonly [field: string]: unknown };
      if (text(entryName) === '') throw new Error(`${name}[${index}].name is missing`);
      if (field === 'cluster' && text((value as ManagementCluster | null)?.server) === '')
        throw new Error(`clusters[${index}].cluster.server is missing`);
      return { name: text(entryName), [field]: withAbsolutePaths(value, folder) };
    });
  };
  return {
    currentContext: text(document['current-context']),
    clusters: list('clusters', 'cluster'),
    users: list('users', 'user'),
    contexts: list('contexts', 'context'),
  };
}

function withAbsolutePaths(value: unknown, folder: string): object {
  if (typeof value !== 'object' || value === null) return {};
  const absolute = (path: unknown): unknown => {
    const given = text(path);
    return given === '' || isAbsolute(given) ? given : resolve(join(folder, given));
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, PATHS.includes(name) ? absolute(item) : item]),
  );
}

/** As kubectl merges: what an earlier file said stays. */
function mergedOf(parts: readonly Kubeconfig[]): Kubeconfig {
  const all = (list: keyof Lists): readonly Named[] => [
    ...new Map(parts.flatMap((part) => part[list].map((entry) => [entry.name, entry] as const)).toReversed()).values(),
  ];
  return {
    currentContext: parts.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
    clusters: all('clusters'),
    users: all('users'),
    contexts: all('contexts'),
  };
}

async function readText(file: string, source: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AccessError(`${source}: cannot read ${file}: ${fileProblem(error)}`);
  }
}

/** As kubectl does it, those of several that are there; all when none is, so that the error names one. */
async function presentOf(files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map((file) => stat(file).catch(() => null)));
  const present = files.filter((_, index) => found[index] !== null);
  return present.length === 0 ? files : present;
}

async function stamp(files: readonly string[]): Promise<string> {
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => null)));
  return stats.map((entry) => (entry === null ? 'none' : `${entry.mtimeMs}/${entry.size}`)).join(' ');
}

function current(
  config: Kubeconfig,
  { paths, source }: ManagementKubeconfigOptions,
): Pick<Loaded, 'cluster' | 'user' | 'where' | 'namespace'> {
  const where = `${source}: ${paths}`;
  const find = (list: keyof Lists, name: string): Named | undefined => config[list].find((each) => each.name === name);
  const name = config.currentContext;
  if (name === '') throw new AccessError(`${where} has no current-context: run kubectl config use-context NAME`);
  const context = find('contexts', name)?.['context'] as
    { cluster?: unknown; user?: unknown; namespace?: unknown } | undefined;
  if (context === undefined)
    throw new AccessError(`${where}: current-context ${JSON.stringify(name)} is not among its contexts`);
  const unknown = (kind: string, what: string): AccessError =>
    new AccessError(`${where}: context ${JSON.stringify(name)} names the unknown ${kind} ${JSON.stringify(what)}`);
  const cluster = find('clusters', text(context.cluster));
  if (cluster === undefined) throw unknown('cluster', text(context.cluster));
  // An absent user is allowed, as kubectl allows it; one that is named must be there.
  const user = text(context.user) === '' ? { user: {} } : find('users', text(context.user));
  if (user === undefined) throw unknown('user', text(context.user));
  return {
    cluster: cluster['cluster'] as ManagementCluster,
    user: user['user'] as ManagementUser,
    where,
    namespace: text(context.namespace),
  };
}

/** What is wrong with a field, with the file before it. */
function saidOf<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new AccessError(`${where}: ${(error as Error).message.replace('error parsing kubeconfig: ', '')}`);
  }
}

async function identityOf(loaded: Loaded, clock: Clock): Promise<Identity> {
  const { cluster, user, where } = loaded;
  const impersonation = saidOf(where, () => impersonationOf(user));
  const deadline = startDeadline(clock, CREDENTIALS_TIME_MAX_MS, undefined);
  try {
    if (!isPlugin(user)) return { ...(await plainIdentity(cluster, user)), impersonation };
    loaded.plugin ??= import('./plugin-credentials.js').then((loading) =>
      loading.pluginCredentials(cluster, { ...user, as: undefined }),
    );
    const work = loaded.plugin.then((ask) => ask());
    const identity = await orAborted(work, deadline.signal, () => new Error('the credential plugin does not answer'));
    return { ...identity, impersonation };
  } catch (error) {
    throw new AccessError(`${where}: cannot get credentials: ${firstLine(error, 'x')}`);
  } finally {
    deadline.release();
  }
}

function isPlugin(user: ManagementUser): boolean {
  return [user.exec, user['auth-provider']].some((value) => value !== undefined && value !== null);
}

async function plainIdentity(cluster: ManagementCluster, user: ManagementUser): Promise<Identity> {
  return {
    headers: authorizationOf(user),
    ca: await pemOf(cluster, 'certificate-authority'),
    clientCertificate: await pemOf(user, 'client-certificate'),
    clientKey: await pemOf(user, 'client-key'),
  };
}

/** Data comes before a file, as for kubectl. */
async function pemOf(credentials: ManagementCluster | ManagementUser, field: string): Promise<string> {
  const entry = credentials as Readonly<Record<string, unknown>>;
  const embedded = pemOfBase64(`${field}-data`, entry[`${field}-data`]);
  const file = text(entry[field]);
  return embedded !== '' || file === '' ? embedded : readFile(file, 'utf8');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const LINE_CHARS_MAX = 300;

/** The first line of an error, without quoting the file: it holds credentials. */
function firstLine(error: unknown, text: string): string {
  if (text.trim() === '' && error instanceof TypeError) return 'it is empty';
  if (error instanceof TypeError) return 'it has no clusters, contexts and users';
  const { message, code } = error as { message?: unknown; code?: unknown };
  if (code === 'MULTIPLE_DOCS') return 'it has several documents';
  const line = (String(message ?? error).split('\n')[0] ?? '').replace(/:$/u, '');
  return code === 'ENOENT' && /^spawn /.test(line)
    ? `${line.replace(/^spawn (\S+).*/, '$1')}: no such program`
    : line.slice(0, LINE_CHARS_MAX);
}
