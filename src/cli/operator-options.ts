// What the parts of an operator are started with. Types only.
import type { Logger, LogLevel } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Clock, Random } from '../host/contract.js';
import type { OperatorConfig } from './config.js';

/** What the operator is started with. */
export interface OperatorOptions {
  readonly config: OperatorConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Runs something after all others of this process had their turn (system.ts); absent where time is not real. */
  readonly afterOthers?: (run: () => void) => void;
  readonly log: Logger;
  /** The level of `log`, where it can be changed. */
  readonly logLevel?: LogLevel;
  readonly metrics: Metrics;
}
