// Starts Jest with the flags that the suites need. Own flags: --nightly (full sizes), --mutate (row mutants; a word behind it
// names one machine).
// Everything else is passed on to Jest: `npm test -- test/unit/queue.test.ts -t 'one turn'`.
import { spawnSync } from 'node:child_process';

const own = new Set(['--nightly', '--mutate', '--envtest']);
const given = process.argv.slice(2);
const env = { ...process.env };
if (given.includes('--nightly')) env.TEST_SIZE = 'nightly';
const args = given.filter((arg) => !own.has(arg));
if (given.includes('--mutate')) {
  const named = given[given.indexOf('--mutate') + 1] ?? '-';
  if (!named.startsWith('-')) args.splice(args.indexOf(named), 1);
  const files = named.startsWith('-') ? 'test/mutate' : `test/mutate/(.*/)?${named.replace(/^test\/mutate\//u, '')}`;
  args.push(files, '--testPathIgnorePatterns=/node_modules/');
}
const { status } = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...args],
  { stdio: 'inherit', env },
);
process.exit(status ?? 1);
