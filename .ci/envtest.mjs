// Runs the suites of test/envtest on a real etcd and kube-apiserver, and those of test/consumers with the real programs.
//
// The programs come from $KUBEBUILDER_ASSETS, or are built once with Go. Where neither is there: one line and exit 0 on a
// person's machine, a failure in CI. Everything else on the command line goes to Jest.
import { spawnSync } from 'node:child_process';

import { envtestAssets } from '../test/envtest/build.mjs';

const { folder, reason } = envtestAssets({ log: (line) => console.error(`envtest: ${line}`) });
if (folder === null) {
  console.error(`envtest: nothing was run: ${reason}`);
  // A folder that was named and is wrong is a mistake everywhere.
  process.exit(process.env.CI === 'true' || process.env.KUBEBUILDER_ASSETS ? 1 : 0);
}
const given = process.argv.slice(2);
const env = { ...process.env, KUBEBUILDER_ASSETS: folder };
if (given.includes('--nightly')) env.TEST_SIZE = 'nightly';
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--roots=test/envtest',
    '--roots=test/consumers',
    '--testPathIgnorePatterns=/node_modules/',
    '--runInBand',
    '--testTimeout=60000',
    ...given.filter((arg) => arg !== '--nightly'),
  ],
  { stdio: 'inherit', env },
);
process.exit(status ?? 1);
