// Runs the operator in the real Cluster API stack (test/stack). Everything on the command line is the runner's:
// `npm run test:stack -- --help`.
//
// etcd and kube-apiserver come from $KUBEBUILDER_ASSETS or are built once with Go, upstream's managers are built once with Go. Where Go is
// missing: one line and exit 0 on a person's machine, a failure in CI. Where the kernel lets one, the stack gets a network of its own,
// with loopback alone: CAPD listens on fixed ports, and upstream's webhook servers on all addresses.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { build } from 'esbuild';

import { envtestAssets } from '../test/envtest/build.mjs';
import { stackPrograms, series } from '../test/stack/programs.mjs';

const outfile = 'node_modules/.cache/stack/main.mjs';
const log = (line) => console.error(`stack: ${line}`);
const nightly = ['--clusters', '2', '--topologies', '1', '--control-planes', '3', '--workers', '2'];

function nothing(reason, isMistake = false) {
  log(`nothing was run: ${reason}`);
  process.exit(process.env.CI === 'true' || isMistake ? 1 : 0);
}

/** The words before the program that give it a network of its own; none where that cannot be done. */
function ownNetwork() {
  const words = ['unshare', '--user', '--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const { status } = spawnSync(words[0], [...words.slice(1), 'true'], { stdio: 'ignore' });
  return status === 0 ? words : [];
}

/** Bundles the runner and runs it; resolves with its exit code. */
export async function runStack(given) {
  const wanted = /--series[= ](\S+)/u.exec(given.join(' '))?.[1] ?? '1.13';
  const env = { ...process.env };
  if (!given.includes('--help')) {
    if (!series.includes(wanted)) {
      log(`--series: want ${series.join(' or ')}, got ${wanted}`);
      return 1;
    }
    const { folder, reason } = envtestAssets({ log });
    // A folder that was named and is wrong is a mistake everywhere.
    if (folder === null) nothing(reason, Boolean(process.env.KUBEBUILDER_ASSETS));
    const programs = stackPrograms(wanted, { log });
    if (programs.folder === null) nothing(programs.reason);
    env.KUBEBUILDER_ASSETS = folder;
    env.STACK_PROGRAMS = JSON.stringify(programs);
  }
  mkdirSync('node_modules/.cache/stack', { recursive: true });
  await build({
    entryPoints: ['test/stack/main.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
    },
    define: { __VERSION__: '"stack"', __COMMIT__: '"stack"' },
    logLevel: 'warning',
  });
  const [command, ...words] = [...(env.STACK_PROGRAMS ? ownNetwork() : []), process.execPath];
  const child = spawn(command, [...words, '--no-warnings', outfile, ...given], { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

if (process.argv[1]?.endsWith('stack.mjs')) {
  const given = process.argv.slice(2).flatMap((word) => (word === '--nightly' ? nightly : [word]));
  process.exit(await runStack(given));
}
