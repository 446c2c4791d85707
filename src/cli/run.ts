// `run`: the operator against a real cluster, until it is told to stop.
//
// SIGTERM and SIGINT: no new turns, running effects get 5 s, the Lease is released, exit 0 within 8 s. A lost Lease: exit 1.

import { createLogger, type Logger } from '../log.js';
import { createMetrics } from '../metrics.js';
import { environment, systemClock, systemRandom } from '../system.js';
import { parseConfig, type OperatorConfig } from './config.js';
import { CommandFailure } from './exit.js';
import { keepMemorySmall } from './heap.js';
import { startOperator } from './operator.js';
import { VERSION } from './version.js';

/** The upstream Deployment grants 10 s; what does not stop by itself is left behind before that. */
const STOP_MAX_MS = 8_000;

/** Runs until a signal or a lost Lease. Resolves for exit code 0; throws CommandFailure for 1. */
export async function run(args: readonly string[]): Promise<void> {
  keepMemorySmall();
  const config = parseConfig(args, environment());
  const log = createLogger({ format: config.loggingFormat, level: config.logLevel, nowMs: () => systemClock.nowMs() });
  announce(config, log);
  const metrics = createMetrics({ processMetrics: true });
  const stopped = nextSignal();
  const operator = await startOperator({
    config,
    environment: environment(),
    clock: systemClock,
    random: systemRandom,
    log,
    metrics,
  });
  const failure = await Promise.race([
    stopped.signal.then(() => null),
    operator.failed.catch((error: unknown) => error),
  ]);
  log.info(failure === null ? 'Stopping' : 'Stopping after a failure', failure === null ? {} : { err: failure });
  const hasStopped = await within(operator.stop(), STOP_MAX_MS);
  if (!hasStopped) log.warning('Not everything ended in time', { limitMs: STOP_MAX_MS });
  stopped.end();
  if (failure !== null) throw new CommandFailure(failure instanceof Error ? failure.message : String(failure));
  process.exit(0);
}

function announce(config: OperatorConfig, log: Logger): void {
  log.info(`Version: ${VERSION.version} (git commit: ${VERSION.commit})`);
  for (const [name, value] of config.flagValues) log.verbose(1, `FLAG: --${name}=${JSON.stringify(value)}`);
  for (const name of config.withoutEffect) log.info('This setting has no effect here', { setting: name });
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
function nextSignal(): { readonly signal: Promise<void>; end(): void } {
  let onSignal = (): void => undefined;
  const signal = new Promise<void>((resolve) => {
    let count = 0;
    onSignal = () => {
      count += 1;
      if (count > 1) process.exit(1);
      resolve();
    };
  });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return {
    signal,
    end() {
      process.off('SIGTERM', onSignal);
      process.off('SIGINT', onSignal);
    },
  };
}

async function within(work: Promise<void>, limitMs: number): Promise<boolean> {
  let cancel = (): void => undefined;
  const limit = new Promise<boolean>((resolve) => {
    cancel = systemClock.schedule(limitMs, () => resolve(false));
  });
  const isDone = await Promise.race([work.then(() => true), limit]);
  cancel();
  return isDone;
}
