// Provides the Go bootstrap provider: built once with Go from go.mod beside this file, into a cache outside git that is keyed by it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const PACKAGE = 'sigs.k8s.io/cluster-api/bootstrap/kubeadm';

/** The program, or null and the reason why there is none. */
export function goProvider({ log = () => {}, env = process.env } = {}) {
  const key = createHash('sha256')
    .update(readFileSync(join(here, 'go.mod')))
    .digest('hex')
    .slice(0, 12);
  const base = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(base, 'kubeadm-bootstrap-operator', 'go-provider', key);
  const program = join(folder, 'bootstrap');
  if (existsSync(program)) return { program, reason: null };
  mkdirSync(folder, { recursive: true });
  log(`building the Go provider into ${folder} (once, some minutes)`);
  const unfinished = `${program}.building-${process.pid}`;
  const { status, stderr, error } = spawnSync(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', unfinished, PACKAGE],
    { cwd: here, encoding: 'utf8', env: { ...env, CGO_ENABLED: '0' } },
  );
  if (error) return { program: null, reason: `go cannot be started: ${error.message}` };
  if (status !== 0)
    return { program: null, reason: `go build failed: ${stderr.trim().split('\n').slice(-5).join(' ')}` };
  renameSync(unfinished, program);
  return { program, reason: null };
}
