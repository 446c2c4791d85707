// The kubeconfig of the management cluster, read with the Kubernetes client library: files, tokens, certificates, credential
// plugins and OIDC.
//
// The library is imported here and nowhere else, by the one name that is used, so that the bundle leaves out the rest of it
// (2.7 MB, which cost 30 MB of memory). It opens a connection per request, so requests are ours.
//
//   K1. Whatever is wrong is one line that names the file and what to do.
//   K2. Files are read again when they have changed, and every minute; plugins are asked again when the library says that their
//       credential has expired, and after a 401.

import { KubeConfig } from '@kubernetes/client-node';
import { readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import type { Clock } from '../host/contract.js';
import { CREDENTIALS_AGE_MAX_MS, CREDENTIALS_TIME_MAX_MS } from '../limits.js';
import { AccessError, cachedIdentity, type Identity, type ServerAccess } from './access.js';
import { serverUrl } from './kubeconfig.js';
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
  const { cluster, where } = current(loaded.config, options);
  const identities = cachedIdentity(
    async () => {
      if (stale || loaded.hasTokenFile || (await stamp(loaded.files)) !== loaded.stamp) loaded = await load(options);
      stale = false;
      return identityOf(loaded.config, where, clock);
    },
    { monotonicMs: () => clock.monotonicMs(), ageMaxMs: CREDENTIALS_AGE_MAX_MS },
  );
  // The first identity is asked for here, so that a broken plugin or a missing file is an error at the start.
  await identities.identity();
  return Object.freeze({
    server: checkedServer(cluster.server, where),
    tlsServerName: cluster.tlsServerName ?? '',
    insecureSkipTlsVerify: cluster.skipTLSVerify === true,
    proxyUrl: cluster.proxyUrl ?? '',
    identity: identities.identity,
    forget() {
      stale = true;
      identities.forget();
    },
  });
}

interface Loaded {
  readonly config: KubeConfig;
  readonly files: readonly string[];
  readonly stamp: string;
  readonly hasTokenFile: boolean;
}

async function load({ paths, source, parseYaml }: ManagementKubeconfigOptions): Promise<Loaded> {
  const files = paths.split(delimiter).filter((path) => path !== '');
  const config = new KubeConfig();
  let hasTokenFile = false;
  for (const [index, file] of files.entries()) {
    const text = await readText(file, source);
    try {
      const { document, tokenFiles } = await withTokens(parseYaml(text), dirname(file));
      hasTokenFile ||= tokenFiles > 0;
      const part = index === 0 ? config : new KubeConfig();
      part.loadFromString(JSON.stringify(document));
      part.makePathsAbsolute(dirname(file));
      if (index > 0) mergeMissing(config, part);
    } catch (error) {
      if (error instanceof AccessError) throw new AccessError(`${source}: ${file}: ${error.message}`);
      throw new AccessError(`${source}: ${file} is not a kubeconfig: ${firstLine(error, text)}`);
    }
  }
  return { config, files, stamp: await stamp(files), hasTokenFile };
}

interface KubeconfigDocument {
  readonly users?: readonly {
    readonly name?: string;
    readonly user?: { readonly token?: string; readonly tokenFile?: string };
  }[];
}

/** The library does not know `tokenFile`: its content takes the token's place. */
async function withTokens(parsed: unknown, folder: string): Promise<{ document: object; tokenFiles: number }> {
  if (typeof parsed !== 'object' || parsed === null) throw new TypeError('not a mapping');
  const document = parsed as KubeconfigDocument;
  if (!Array.isArray(document.users)) return { document, tokenFiles: 0 };
  let tokenFiles = 0;
  const users = await Promise.all(
    document.users.map(async (entry) => {
      const file = entry.user?.tokenFile ?? '';
      if (file === '') return entry;
      tokenFiles += 1;
      const token = (await readText(resolve(folder, file), 'tokenFile')).trim();
      return { ...entry, user: { ...entry.user, token } };
    }),
  );
  return { document: { ...document, users }, tokenFiles };
}

/** As kubectl merges: what an earlier file said stays. */
function mergeMissing(config: KubeConfig, part: KubeConfig): void {
  const lacks = (list: readonly { readonly name: string }[], name: string): boolean =>
    !list.some((entry) => entry.name === name);
  for (const cluster of part.clusters) if (lacks(config.clusters, cluster.name)) config.addCluster(cluster);
  for (const user of part.users) if (lacks(config.users, user.name)) config.addUser(user);
  for (const context of part.contexts) if (lacks(config.contexts, context.name)) config.addContext(context);
  if ((config.currentContext ?? '') === '') config.setCurrentContext(part.currentContext);
}

async function readText(file: string, source: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    const words: Readonly<Record<string, string>> = {
      ENOENT: 'no such file',
      EACCES: 'permission denied',
      EISDIR: 'is a folder',
    };
    throw new AccessError(`${source}: cannot read ${file}: ${words[code] ?? code}`);
  }
}

async function stamp(files: readonly string[]): Promise<string> {
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => null)));
  return stats.map((entry) => (entry === null ? 'none' : `${entry.mtimeMs}/${entry.size}`)).join(' ');
}

type ClusterEntry = NonNullable<ReturnType<KubeConfig['getCurrentCluster']>>;

function current(
  config: KubeConfig,
  { paths, source }: ManagementKubeconfigOptions,
): { cluster: ClusterEntry; where: string } {
  const where = `${source}: ${paths}`;
  const name = (config.currentContext as string | undefined) ?? '';
  if (name === '') throw new AccessError(`${where} has no current-context: run kubectl config use-context NAME`);
  const context = config.getContextObject(name);
  if (context === null)
    throw new AccessError(`${where}: current-context ${JSON.stringify(name)} is not among its contexts`);
  const cluster = config.getCluster(context.cluster);
  if (cluster === null)
    throw new AccessError(
      `${where}: context ${JSON.stringify(name)} names the unknown cluster ${JSON.stringify(context.cluster)}`,
    );
  // An absent user is allowed, as kubectl allows it; one that is named must be there.
  const user = (context.user as string | undefined) ?? '';
  if (user !== '' && config.getUser(user) === null) {
    throw new AccessError(`${where}: context ${JSON.stringify(name)} names the unknown user ${JSON.stringify(user)}`);
  }
  return { cluster, where };
}

function checkedServer(server: string, where: string): string {
  try {
    return serverUrl(server);
  } catch (error) {
    throw new AccessError(`${where}: ${(error as Error).message.replace('error parsing kubeconfig: ', '')}`);
  }
}

interface TlsOptions {
  headers?: Readonly<Record<string, string>>;
  auth?: string;
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
}

async function identityOf(config: KubeConfig, where: string, clock: Clock): Promise<Identity> {
  const options: TlsOptions = {};
  const deadline = startDeadline(clock, CREDENTIALS_TIME_MAX_MS, undefined);
  try {
    const work = withoutAgentTrouble(config).applyToHTTPSOptions(
      options as Parameters<KubeConfig['applyToHTTPSOptions']>[0],
    );
    await orAborted(work, deadline.signal, () => new Error('the credential plugin does not answer'));
  } catch (error) {
    throw new AccessError(`${where}: cannot get credentials: ${firstLine(error, '')}`);
  } finally {
    deadline.release();
  }
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

/** The library refuses plain http unless certificates are ignored, and builds an agent that we throw away. */
function withoutAgentTrouble(config: KubeConfig): KubeConfig {
  const cluster = config.getCurrentCluster();
  if (cluster?.server.startsWith('http:') === true) Object.assign(cluster, { skipTLSVerify: true });
  return config;
}

function pem(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '';
}

const LINE_CHARS_MAX = 300;

/** The first line of an error, without quoting the file: it holds credentials. */
function firstLine(error: unknown, text: string): string {
  if (text.trim() === '' && error instanceof TypeError) return 'it is empty';
  if (error instanceof TypeError) return 'it has no clusters, contexts and users';
  const { message, code } = error as { message?: unknown; code?: unknown };
  const line = String(message ?? error).split('\n')[0] ?? '';
  return code === 'ENOENT' && /^spawn /.test(line)
    ? `${line.replace(/^spawn (\S+).*/, '$1')}: no such program`
    : line.slice(0, LINE_CHARS_MAX);
}
