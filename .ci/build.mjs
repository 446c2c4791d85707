// Bundles the operator into dist/: one ESM entry, and chunks for what only some commands load.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
  } catch {
    return 'unknown';
  }
}

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { 'kubeadm-bootstrap-operator': 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: true,
  keepNames: true,
  sourcemap: true,
  legalComments: 'none',
  loader: { '.html': 'text', '.css': 'text', '.svg': 'text' },
  define: { __VERSION__: JSON.stringify(version), __COMMIT__: JSON.stringify(commit()) },
  banner: { js: '#!/usr/bin/env node\nimport{createRequire as r}from"node:module";const require=r(import.meta.url);' },
  logLevel: 'warning',
});
chmodSync('dist/kubeadm-bootstrap-operator.js', 0o755);
