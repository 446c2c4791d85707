// Bundles the operator into dist/: one ESM file that needs nothing but Node, with the inspector's page inside.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';
import { packedLibraries } from './packed-library.mjs';

/** The inspector's page as files by path; the tests serve the same. */
export async function pageAssets() {
  const bundled = await build({
    entryPoints: ['src/inspector/page/app.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  const css = await build({
    entryPoints: ['src/inspector/page/app.css'],
    minify: true,
    write: false,
    logLevel: 'warning',
  });
  return {
    '/': { type: 'text/html; charset=utf-8', body: readFileSync('src/inspector/page/index.html', 'utf8') },
    '/app.js': { type: 'text/javascript; charset=utf-8', body: bundled.outputFiles[0].text },
    '/app.css': { type: 'text/css; charset=utf-8', body: css.outputFiles[0].text },
  };
}

/** The checkout's commit; an image is built without one, and is told by an argument. */
function commit() {
  const given = process.env.COMMIT ?? '';
  if (given !== '') return given.slice(0, 12);
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

/**
 * One character beyond ASCII makes V8 hold and parse the whole program at two bytes a character, which costs 20 MiB of memory.
 * esbuild escapes them in texts but not in regular expressions: write them as `\u03bc` there.
 */
function assertAscii(file) {
  const found = /.{0,40}\P{ASCII}.{0,20}/u.exec(readFileSync(file, 'utf8'));
  if (found !== null) throw new Error(`${file} is not ASCII: ${found[0]}`);
}

/** Builds dist/. */
async function main() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  rmSync('dist', { recursive: true, force: true });
  await build({
    entryPoints: { 'kubeadm-bootstrap-operator': 'src/cli/main.ts' },
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Names stay as they are: shorter ones with `keepNames` would set the name of each function when the program starts, which costs
    // 9 MiB of memory and a tenth of the processor time of a start.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    external: ['elkjs'],
    plugins: [packedLibraries({ '@kubernetes/client-node': ['KubeConfig'] })],
    define: {
      __VERSION__: JSON.stringify(version),
      __COMMIT__: JSON.stringify(commit()),
      __PAGE__: JSON.stringify(await pageAssets()),
    },
    banner: {
      js: '#!/usr/bin/env node\nimport{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
    },
    logLevel: 'warning',
  });
  assertAscii('dist/kubeadm-bootstrap-operator.js');
  chmodSync('dist/kubeadm-bootstrap-operator.js', 0o755);
}

if (process.argv[1]?.endsWith('build.mjs')) await main();
