// Provides the programs of the envtest suites: etcd, kube-apiserver, kubeadm and kubectl.
//
//   B1. $KUBEBUILDER_ASSETS wins when it is set; it is used as it is and never written to.
//   B2. Otherwise they are built once with Go from go.mod beside this file, into a cache outside git that is keyed by that file.
//   B3. Neither there: null, with the reason; the caller decides whether that is a failure.
//
// `node test/envtest/build.mjs` prints the folder.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** What a suite cannot do without, and what it can. */
export const programs = ['etcd', 'kube-apiserver', 'kubectl', 'kubeadm'];
const needed = ['etcd', 'kube-apiserver'];

const packages = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kubeadm: 'k8s.io/kubernetes/cmd/kubeadm',
};

/** The folder with the programs, or null and the reason why there is none. */
export function envtestAssets({ log = () => {}, env = process.env } = {}) {
  const given = env.KUBEBUILDER_ASSETS;
  if (given) {
    const missing = needed.filter((name) => !existsSync(join(given, name)));
    if (missing.length === 0) return { folder: given, reason: null };
    return { folder: null, reason: `KUBEBUILDER_ASSETS=${given} has no ${missing.join(', ')}` };
  }
  const folder = cacheFolder(env);
  const missing = programs.filter((name) => !existsSync(join(folder, name)));
  if (missing.length === 0) return { folder, reason: null };
  const go = goVersion();
  if (go === null) return { folder: null, reason: 'KUBEBUILDER_ASSETS is not set and Go >= 1.26 is not installed' };
  mkdirSync(folder, { recursive: true });
  log(`building ${missing.join(', ')} with ${go} into ${folder} (once, some minutes)`);
  for (const name of missing) {
    const failure = build(name, folder, log);
    if (failure !== null) return { folder: null, reason: `go build of ${name} failed: ${failure}` };
  }
  return { folder, reason: null };
}

function cacheFolder(env) {
  const base = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const key = createHash('sha256')
    .update(readFileSync(join(here, 'go.mod')))
    .digest('hex')
    .slice(0, 12);
  return join(base, 'kubeadm-bootstrap-operator', 'envtest', key);
}

function goVersion() {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', cwd: here });
  if (status !== 0) return null;
  const [major = 0, minor = 0] = stdout.trim().replace(/^go/, '').split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 26) ? stdout.trim() : null;
}

/** Builds under a temporary name and renames, so that an interrupted build leaves nothing that looks finished. */
function build(name, folder, log) {
  const unfinished = join(folder, `${name}.building-${process.pid}`);
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', linkerFlags(), '-o', unfinished, packages[name]];
  const { status, stderr, error } = spawnSync('go', args, {
    cwd: here,
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  if (error) return error.message;
  if (status !== 0) return stderr.trim().split('\n').slice(-5).join(' ');
  renameSync(unfinished, join(folder, name));
  log(`built ${name}`);
  return null;
}

/** Stripped, and with the version that the programs otherwise report as v0.0.0. */
function linkerFlags() {
  const version = /k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\d+)/.exec(readFileSync(join(here, 'go.mod'), 'utf8'));
  if (version === null) throw new Error('test/envtest/go.mod names no k8s.io/kubernetes');
  const [, gitVersion, gitMajor, gitMinor] = version;
  const values = { gitVersion, gitMajor, gitMinor, gitTreeState: 'clean' };
  const stamps = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((target) =>
    Object.entries(values).map(([key, value]) => `-X ${target}.${key}=${value}`),
  );
  return ['-s', '-w', ...stamps].join(' ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { folder, reason } = envtestAssets({ log: (line) => process.stderr.write(`envtest: ${line}\n`) });
  if (folder === null) {
    process.stderr.write(`envtest: ${reason}\n`);
    process.exit(1);
  }
  process.stdout.write(`${folder}\n`);
}
