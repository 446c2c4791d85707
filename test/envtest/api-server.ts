// A real etcd and kube-apiserver on loopback for one test run.
//
//   E1. Ports are free ones, data lives in one temporary folder, and `stop` leaves neither processes nor files.
//   E2. Users come from a token file; a user in the group system:masters may do everything, others what RBAC grants.
//   E3. SIGKILL ends both programs: with watches open a polite end takes a minute, and the data is thrown away.
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A user of the server. */
export interface EnvtestUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** What a run may ask for. */
export interface EnvtestOptions {
  /** Folder with `etcd` and `kube-apiserver`; default $KUBEBUILDER_ASSETS. */
  readonly assets?: string;
  /** Users beside `admin` (system:masters). */
  readonly users?: readonly EnvtestUser[];
  /** Writes one line of metadata for each request: `auditEntries` reads them. */
  readonly audit?: boolean;
  /** More flags for kube-apiserver. */
  readonly extraFlags?: readonly string[];
}

/** One line of the audit log, as far as tests read it. */
export interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
}

/** A running server. */
export interface EnvtestServer {
  readonly url: string;
  readonly port: number;
  /** PEM of the server's own certificate. */
  readonly ca: string;
  readonly folder: string;
  token(user?: string): string;
  /** A kubeconfig (YAML) for a user. */
  kubeconfig(user?: string): string;
  /** The same as a file. */
  kubeconfigFile(user?: string): string;
  /** A JSON request as a user; resolves with status and parsed body. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** Completed requests so far, in order. Needs `audit`. */
  auditEntries(): readonly AuditEntry[];
  stop(): Promise<void>;
}

/** How a call is made. */
export interface CallOptions {
  readonly user?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

const readyWithinMs = 60_000;

/** Starts both programs and waits for `/readyz`. */
export async function startApiServer(options: EnvtestOptions = {}): Promise<EnvtestServer> {
  const assets = options.assets ?? process.env.KUBEBUILDER_ASSETS ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'kbo-envtest-'));
  const users = [{ name: 'admin', groups: ['system:masters'] }, ...(options.users ?? [])];
  const [etcdPort, peerPort, port] = await freePorts(3);
  writeKeys(folder);
  writeFileSync(join(folder, 'tokens.csv'), users.map(tokenLine).join('\n'));
  const children = [
    launch(join(assets, 'etcd'), etcdFlags(folder, etcdPort, peerPort), folder),
    launch(join(assets, 'kube-apiserver'), apiServerFlags(folder, etcdPort, port, options), folder),
  ];
  const url = `https://127.0.0.1:${port}`;
  const server = serverAt({ url, port, folder, children, audit: options.audit === true });
  try {
    await waitUntilReady(server, children);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

function serverAt(at: {
  url: string;
  port: number;
  folder: string;
  children: readonly Child[];
  audit: boolean;
}): EnvtestServer {
  const { url, port, folder } = at;
  const token = (user = 'admin'): string => `token-${user}`;
  const ca = (): string => readFileSync(join(folder, 'certs', 'apiserver.crt'), 'utf8');
  const kubeconfig = (user = 'admin'): string => kubeconfigText({ url, ca: ca(), user, token: token(user) });
  return {
    url,
    port,
    folder,
    get ca() {
      return ca();
    },
    token,
    kubeconfig,
    kubeconfigFile(user = 'admin') {
      const file = join(folder, `${user}.kubeconfig`);
      writeFileSync(file, kubeconfig(user), { mode: 0o600 });
      return file;
    },
    call: (method, path, body, how = {}) => call(url, token(how.user), { method, path, body, how }),
    auditEntries() {
      const file = join(folder, 'audit.log');
      if (!at.audit || !existsSync(file)) return [];
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as AuditEntry);
    },
    async stop() {
      await Promise.all(at.children.map(kill));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The kubeconfig of one user. */
export function kubeconfigText(options: { url: string; ca: string; user: string; token: string }): string {
  const { url, ca, user, token } = options;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'envtest', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'envtest', context: { cluster: 'envtest', user } }],
    'current-context': 'envtest',
  });
}

interface Child {
  readonly name: string;
  readonly process: ChildProcess;
  readonly log: string;
  readonly ended: Promise<number | null>;
}

function launch(program: string, flags: readonly string[], folder: string): Child {
  const name = program.split('/').at(-1) ?? program;
  const log = join(folder, `${name}.log`);
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  const sink = createWriteStream(log);
  child.stdout.pipe(sink, { end: false });
  child.stderr.pipe(sink, { end: false });
  // A test run that ends early must not leave servers behind.
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      process.off('exit', endWithUs);
      resolve(code);
    });
    child.once('error', () => resolve(null));
  });
  return { name, process: child, log, ended };
}

async function kill(child: Child): Promise<void> {
  if (child.process.exitCode === null && child.process.signalCode === null) child.process.kill('SIGKILL');
  await child.ended;
}

function etcdFlags(folder: string, client: number, peer: number): string[] {
  const url = `http://127.0.0.1:${client}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-cluster=default=http://127.0.0.1:${peer}`,
    '--unsafe-no-fsync',
  ];
}

function apiServerFlags(folder: string, etcdPort: number, port: number, options: EnvtestOptions): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--cert-dir=${join(folder, 'certs')}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
    '--profiling=false',
    ...(options.audit === true ? auditFlags(folder) : []),
    ...(options.extraFlags ?? []),
  ];
}

function auditFlags(folder: string): string[] {
  const policy = join(folder, 'audit-policy.yaml');
  const rule = { level: 'Metadata', omitStages: ['RequestReceived', 'ResponseStarted'] };
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [rule] }));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, 'audit.log')}`];
}

function writeKeys(folder: string): void {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  writeFileSync(join(folder, 'sa.pub'), publicKey);
  writeFileSync(join(folder, 'sa.key'), privateKey, { mode: 0o600 });
}

function tokenLine(user: EnvtestUser): string {
  return `token-${user.name},${user.name},uid-${user.name},"${(user.groups ?? []).join(',')}"`;
}

async function freePorts(count: number): Promise<[number, number, number]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports as [number, number, number];
}

async function waitUntilReady(server: EnvtestServer, children: readonly Child[]): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  for (;;) {
    for (const child of children) {
      const { exitCode } = child.process;
      if (exitCode === null && child.process.pid !== undefined) continue;
      throw new Error(`${child.name} ended with ${exitCode}:\n${lastLines(child.log)}`);
    }
    const ready = await server.call('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
    if (ready) return;
    if (performance.now() > deadline)
      throw new Error(`kube-apiserver is not ready:\n${lastLines(children[1]?.log ?? '')}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-15).join('\n') : '';
}

function call(
  url: string,
  token: string,
  { method, path, body, how }: { method: string; path: string; body: unknown; how: CallOptions },
): Promise<Answer> {
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    ...(payload === undefined ? {} : { 'content-type': how.contentType ?? 'application/json' }),
    // Node frames the body of a DELETE only when its length is given.
    ...(payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }),
    ...how.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, body: parsed(text) }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
