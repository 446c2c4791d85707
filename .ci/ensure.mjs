// Makes a checkout ready to run: installs packages when the lock file asks for others than are there, and builds
// (with the word `build`) when a source is newer than the bundle. Quick when there is nothing to do.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const stampFile = 'node_modules/.installed-lock.json';
const lockFile = 'package-lock.json';

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (status !== 0) {
    process.stderr.write(`${command} ${args.join(' ')} failed\n`);
    process.exit(status ?? 1);
  }
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === readFileSync(lockFile, 'utf8');
}

function newestMs(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

function isBuilt() {
  const bundle = statSync('dist/kubeadm-bootstrap-operator.js', { throwIfNoEntry: false });
  if (bundle === undefined) return false;
  return ['src', 'machines', '.ci/build.mjs', 'package.json', lockFile].every(
    (path) => newestMs(path) <= bundle.mtimeMs,
  );
}

if (!isInstalled()) {
  run('npm', ['ci', '--no-audit', '--no-fund']);
  copyFileSync(lockFile, stampFile);
}
if (process.argv.includes('build') && !isBuilt()) run(process.execPath, ['.ci/build.mjs']);
