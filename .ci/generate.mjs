// Everything that is made from something else: diagrams, CRDs and manifests, the requirement table, the flag table.
// `npm run generate` writes it, `npm run verify` checks that it is fresh (--check).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { diagrams, load } from './visualize.mjs';

/** Writes or checks docs/flags.md. */
async function flags({ check }) {
  const [{ flagMarkdown }, { RUN_FLAGS }] = [
    await load('src/cli/flag-help.ts', 'flag-help'),
    await load('src/cli/run-flags.ts', 'run-flags'),
  ];
  const text = flagMarkdown(RUN_FLAGS);
  const path = 'docs/flags.md';
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return [];
  if (check) return [`${path} is stale: run npm run generate`];
  writeFileSync(path, text);
  process.stdout.write(`wrote ${path}\n`);
  return [];
}

/** Loads a generator of another file when it is there. */
async function from(path, name) {
  return (await import(path))[name];
}

/** Runs every generator; returns the problems. */
export async function generate({ check }) {
  const steps = [
    flags,
    diagrams,
    await from('./manifests.mjs', 'manifests'),
    await from('./krtt.mjs', 'krtt'),
    await from('./bootstrap-fields.mjs', 'bootstrapFields'),
  ];
  const problems = [];
  for (const step of steps) problems.push(...((await step({ check })) ?? []));
  return problems;
}

if (process.argv[1]?.endsWith('generate.mjs')) {
  const problems = await generate({ check: process.argv.includes('--check') });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
