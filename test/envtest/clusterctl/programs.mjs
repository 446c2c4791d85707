// Provides clusterctl and the manifests of the Go providers, both from the Go module beside this file.
//
//   C1. clusterctl is built once, into a cache outside git that is keyed by go.sum.
//   C2. Without Go there is nothing: null, with the reason.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const PACKAGE = 'sigs.k8s.io/cluster-api/cmd/clusterctl';

/** The program and the folder of the Cluster API module, or why there are none. */
export function clusterctlPrograms({ env = process.env } = {}) {
  // A module that is not downloaded yet has no folder.
  const download = go(['mod', 'download', 'sigs.k8s.io/cluster-api']);
  if (download.failure !== null) return { program: null, moduleFolder: null, reason: download.failure };
  const module = go(['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/cluster-api']);
  if (module.failure !== null) return { program: null, moduleFolder: null, reason: module.failure };
  const key = createHash('sha256')
    .update(readFileSync(join(here, 'go.sum')))
    .digest('hex')
    .slice(0, 12);
  const base = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(base, 'kubeadm-bootstrap-operator', 'clusterctl', key);
  const program = join(folder, 'clusterctl');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const unfinished = `${program}.building-${process.pid}`;
    const { failure } = go(['build', '-trimpath', '-buildvcs=false', '-o', unfinished, PACKAGE]);
    if (failure !== null) return { program: null, moduleFolder: null, reason: failure };
    renameSync(unfinished, program);
  }
  return { program, moduleFolder: module.stdout, reason: null };
}

function go(args) {
  const { status, stdout, stderr, error } = spawnSync('go', args, {
    cwd: here,
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  if (error) return { failure: `go cannot be started: ${error.message}`, stdout: '' };
  if (status !== 0)
    return { failure: `go ${args[0]} failed: ${stderr.trim().split('\n').slice(-3).join(' ')}`, stdout: '' };
  return { failure: null, stdout: stdout.trim() };
}
