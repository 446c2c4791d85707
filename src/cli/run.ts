// `run`: the operator against a real cluster, until it is told to stop.
//
// SIGTERM and SIGINT, also while it starts: no new turns, running effects get 5 s, the Lease is released, exit 0 within 8 s. A lost
// Lease, an error that nothing caught, a start that failed: exit 1 (2 for settings that cannot work).

import { createLogger, type Logger } from '../log.js';
import { createMetrics } from '../metrics.js';
import { afterOthers, environment, systemClock, systemRandom } from '../system.js';
import { parseConfig, type OperatorConfig } from './config.js';
import { CommandFailure, exitCodeOf, printFailure } from './exit.js';
import { keepMemorySmall } from './heap.js';
import { startOperator } from './operator.js';
import type { OperatorOptions } from './operator-options.js';
import { castNet } from './process-net.js';
import { VERSION } from './version.js';

/** The upstream Deployment grants 10 s; what does not stop by itself is left behind before that. */
const STOP_MAX_MS = 8_000;

/** Runs until a signal, a lost Lease or a fault, and ends the process: 0 after a signal, otherwise 1 or 2. Throws UsageError for flags. */
export async function run(args: readonly string[]): Promise<void> {
  keepMemorySmall();
  const config = parseConfig(args, environment());
  const logLevel = { value: config.logLevel };
  const log = createLogger({ format: config.loggingFormat, level: logLevel, nowMs: () => systemClock.nowMs() });
  const metrics = createMetrics({ processMetrics: true });
  const net = castNet({ log, metrics });
  const stopped = nextSignal();
  try {
    announce(config, log);
    await live(
      {
        config,
        environment: environment(),
        clock: systemClock,
        random: systemRandom,
        afterOthers,
        log,
        logLevel,
        metrics,
      },
      [stopped.signal.then(() => null), net.fault],
    );
    process.exit(0);
  } catch (error) {
    printFailure(error);
    process.exit(exitCodeOf(error));
  } finally {
    stopped.end();
    net.end();
  }
}

/** Starts the operator and stops it at the first of `ends`, also in the middle of its start. Throws what ended it, if not null. */
async function live(options: OperatorOptions, ends: readonly Promise<Error | null>[]): Promise<void> {
  const { log } = options;
  const calledOff = new AbortController();
  const starting = startOperator(options, calledOff.signal);
  const started = starting.then((operator) => ({ operator }));
  const ended = Promise.race(ends).then((failure) => ({ failure }));
  const first = await Promise.race([started, ended]);
  const { failure } =
    'failure' in first
      ? first
      : await Promise.race([ended, first.operator.failed.catch((error: unknown) => ({ failure: asError(error) }))]);
  log.info(failure === null ? 'Stopping' : 'Stopping after a failure', failure === null ? {} : { err: failure });
  calledOff.abort(new Error('the start was called off'));
  // Of a start that is called off only the end is awaited: it throws the reason given here.
  const stopping = starting.then(
    (operator) => operator.stop(),
    () => undefined,
  );
  if (!(await within(stopping, STOP_MAX_MS))) log.warning('Not everything ended in time', { limitMs: STOP_MAX_MS });
  if (failure !== null) throw new CommandFailure(failure.message);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
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
