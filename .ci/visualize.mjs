// Writes or checks the diagrams: bundles visualizations/visualize.ts and runs it. `--check` only reports.
import { build } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Runs a TypeScript module of the checkout; returns its exports. `options` are esbuild's. */
export async function load(entry, name, options = {}) {
  mkdirSync('node_modules/.cache/ci', { recursive: true });
  const outfile = `node_modules/.cache/ci/${name}-${process.pid}.mjs`;
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    loader: { '.html': 'text', '.css': 'text', '.svg': 'text' },
    logLevel: 'warning',
    ...options,
  });
  return import(pathToFileURL(outfile).href);
}

/** Returns the problems found; writes unless `check`. */
export async function diagrams({ check }) {
  const { visualize } = await load('visualizations/visualize.ts', 'visualize');
  const { stale, findings, written } = await visualize(process.cwd(), { check });
  for (const path of written) process.stdout.write(`wrote ${path}\n`);
  return [...stale.map((path) => `${path} is stale: run npm run generate`), ...findings];
}

if (process.argv[1]?.endsWith('visualize.mjs')) {
  const problems = await diagrams({ check: process.argv.includes('--check') });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
