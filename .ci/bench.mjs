// Bundles and runs the bench of test/bench. Everything on the command line is the bench's: `npm run bench -- --help`.
//
// What runs a whole operator needs etcd and kube-apiserver: $KUBEBUILDER_ASSETS, or built once with Go as for the envtest suites.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { build } from 'esbuild';

import { pageAssets } from './build.mjs';
import { envtestAssets } from '../test/envtest/build.mjs';

const outfile = 'node_modules/.cache/bench/main.mjs';
const given = process.argv.slice(2);

// The bench of the real stack is the stack's own runner with both providers: its flags are the runner's.
if (given[0] === 'stack') {
  const { runStack } = await import('./stack.mjs');
  const phases = 'create,scale-up,scale-down,control-plane,workers,pool,remediate,replace,pause,restart,idle,delete';
  process.exit(await runStack(['--provider', 'both', '--phases', phases, ...given.slice(1)]));
}

mkdirSync('node_modules/.cache/bench', { recursive: true });
await build({
  entryPoints: ['test/bench/main.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['elkjs', 'playwright-core'],
  banner: {
    js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
  },
  define: { __VERSION__: '"bench"', __COMMIT__: '"bench"', __PAGE__: JSON.stringify(await pageAssets()) },
  logLevel: 'warning',
});

const env = { ...process.env };
const named = ['micro', 'system', 'inspector'].filter((part) => given.includes(part));
const runsServers =
  !given.includes('--help') &&
  (named.length === 0 ||
    named.includes('system') ||
    (named.includes('inspector') && !/--rounds[= ]0/.test(given.join(' '))));
if (runsServers) {
  const { folder, reason } = envtestAssets({ log: (line) => console.error(`bench: ${line}`) });
  if (folder === null) {
    console.error(`bench: no bench of a whole run without etcd and kube-apiserver: ${reason}`);
    process.exit(1);
  }
  env.KUBEBUILDER_ASSETS = folder;
}
// With the collector at hand, bytes per actor can be told apart from garbage.
const { status } = spawnSync(process.execPath, ['--expose-gc', '--no-warnings', outfile, ...given], {
  stdio: 'inherit',
  env,
});
process.exit(status ?? 1);
