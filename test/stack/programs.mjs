// Provides upstream's programs for the stack: core, control plane and bootstrap managers, CAPD and clusterctl of one series.
//
//   P1. They are built once with Go, from the module file of the series, into a cache outside git that is keyed by that file.
//   P2. Definitions and webhook configurations are read from the sources in Go's module cache; nothing of them is kept here.
//   P3. Without Go there is nothing: null, with the reason; the caller decides whether that is a failure.
//
// `node test/stack/programs.mjs [1.13|1.14]` prints the folder.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const MODULE = 'sigs.k8s.io/cluster-api';
const TEST_MODULE = `${MODULE}/test`;

const common = {
  bootstrap: `${MODULE}/bootstrap/kubeadm`,
  'control-plane': `${MODULE}/controlplane/kubeadm`,
  infrastructure: `${TEST_MODULE}/infrastructure/docker`,
  clusterctl: `${MODULE}/cmd/clusterctl`,
};

/** Packages by program, for each series. */
const packages = {
  1.13: { core: MODULE, ...common },
  1.14: { core: `${MODULE}/core`, ...common },
};

/** The series that there are programs of. */
export const series = Object.keys(packages);

/** The folder with the programs and those of the sources, or null and the reason why there are none. */
export function stackPrograms(wanted, { log = () => {}, env = process.env } = {}) {
  const missingAll = (reason) => ({ folder: null, sources: null, testSources: null, reason });
  const modules = join(here, `v${wanted}`);
  const download = go(['mod', 'download', MODULE, TEST_MODULE], modules);
  if (download.failure !== null) return missingAll(download.failure);
  const list = go(['list', '-m', '-f', '{{.Dir}}', MODULE, TEST_MODULE], modules);
  if (list.failure !== null) return missingAll(list.failure);
  const [sources, testSources] = list.stdout.split('\n');
  const key = createHash('sha256')
    .update(readFileSync(join(modules, 'go.mod')))
    .digest('hex')
    .slice(0, 12);
  const base = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(base, 'kubeadm-bootstrap-operator', 'stack', key);
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(packages[wanted])) {
    if (existsSync(join(folder, name))) continue;
    log(`building ${name} of series ${wanted} into ${folder} (once, some minutes)`);
    // Under a temporary name, so that an interrupted build leaves nothing that looks finished.
    const unfinished = join(folder, `${name}.building-${process.pid}`);
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags', linkerFlags(sources)];
    const { failure } = go(['build', ...flags, '-o', unfinished, source], modules);
    if (failure !== null) return missingAll(`${name}: ${failure}`);
    renameSync(unfinished, join(folder, name));
  }
  return { folder, sources, testSources, reason: null };
}

/** Stripped, and with the version that the programs otherwise report as unknown. */
function linkerFlags(sources) {
  const [gitVersion, gitMajor, gitMinor] = /@(v(\d+)\.(\d+)\..*)$/.exec(sources).slice(1);
  const stamps = Object.entries({ gitVersion, gitMajor, gitMinor, gitTreeState: 'clean' });
  return ['-s', '-w', ...stamps.map(([name, value]) => `-X ${MODULE}/version.${name}=${value}`)].join(' ');
}

function go(args, cwd) {
  const { status, stdout, stderr, error } = spawnSync('go', args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  if (error) return { failure: `go cannot be started: ${error.message}`, stdout: '' };
  if (status !== 0)
    return { failure: `go ${args[0]} failed: ${stderr.trim().split('\n').slice(-3).join(' ')}`, stdout: '' };
  return { failure: null, stdout: stdout.trim() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { folder, reason } = stackPrograms(process.argv[2] ?? '1.13', {
    log: (line) => process.stderr.write(`stack: ${line}\n`),
  });
  process.stdout.write(`${folder ?? reason}\n`);
  if (folder === null) process.exit(1);
}
