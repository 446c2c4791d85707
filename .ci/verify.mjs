// What CI checks beside the tests: format, lint, types of program and page, generated files fresh. Prints one line a step.
import { spawnSync } from 'node:child_process';

const steps = [
  ['format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']],
  ['lint', ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '--noEmit']],
  ['types of the page', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'src/inspector/page']],
  ['generated files', ['.ci/generate.mjs', '--check']],
];

let failed = 0;
for (const [name, args] of steps) {
  const started = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`);
  if (status !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
