// Prints the one closing line that people and CI read: how many tests passed, failed and were skipped.
import { writeSync } from 'node:fs';

export default class Totals {
  onRunComplete(_contexts, results) {
    const suitesThatDidNotRun = results.numRuntimeErrorTestSuites;
    process.on('exit', () => {
      writeSync(
        1,
        `${results.numPassedTests} passed, ${results.numFailedTests + suitesThatDidNotRun} failed, ` +
          `${results.numPendingTests + results.numTodoTests} skipped\n`,
      );
    });
  }
}
