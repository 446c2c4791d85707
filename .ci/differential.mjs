// Bundles and runs the random histories of test/differential. Everything on the command line is theirs:
// `npm run test:differential -- --help`.
//
// They need etcd and kube-apiserver ($KUBEBUILDER_ASSETS, or built once with Go as for the envtest suites) and, unless --against names
// another, the Go provider, which is built once with Go. Where one cannot be had: one line and exit 0, a failure in CI.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

import { envtestAssets } from '../test/envtest/build.mjs';
import { goProvider } from '../test/differential/go-provider/build.mjs';

const outfile = 'node_modules/.cache/differential/main.mjs';
const given = process.argv.slice(2);
const log = (line) => console.error(`differential: ${line}`);

await build({
  entryPoints: ['test/differential/main.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  banner: {
    js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
  },
  sourcemap: 'inline',
  logLevel: 'warning',
});

const env = { ...process.env };
if (!given.includes('--help')) {
  const { folder, reason } = envtestAssets({ log });
  const isNamed = given.some((word) => word.startsWith('--against'));
  const other = folder === null || isNamed ? { program: '', reason: null } : goProvider({ log });
  if (folder === null || other.reason !== null) {
    log(`nothing was run: ${reason ?? other.reason}`);
    process.exit(process.env.CI === 'true' ? 1 : 0);
  }
  env.KUBEBUILDER_ASSETS = folder;
  env.GO_PROVIDER = other.program;
}
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--no-warnings', outfile, ...given], {
  stdio: 'inherit',
  env,
});
process.exit(status ?? 1);
