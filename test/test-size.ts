// How large the sized suites run, and with which seed: the one test file that reads the environment.
//
// `TEST_SIZE=nightly` runs them at full size; `TEST_SEED=<number>`, or `SEED=<number>`, repeats a run. The seed is printed by
// its user.
import { randomInt } from 'node:crypto';

/** Whether suites run at full size. */
export const isNightly = process.env['TEST_SIZE'] === 'nightly';

/** The count for this run. */
export function sized(everyRun: number, nightly: number): number {
  return isNightly ? nightly : everyRun;
}

/** The seed for this run, printed with the suite's name. */
export function printedSeed(suite: string): number {
  const seed = givenSeed() ?? randomInt(2 ** 31);
  process.stdout.write(`${suite}: TEST_SEED=${seed}\n`);
  return seed;
}

/** Folder of envtest's binaries, if there is one. */
export const binaryFolder: string | undefined = process.env['KUBEBUILDER_ASSETS'];

/** The seed that was asked for, or null. */
export function givenSeed(): number | null {
  const given = Number(process.env['TEST_SEED'] ?? process.env['SEED'] ?? Number.NaN);
  return Number.isInteger(given) ? given : null;
}
