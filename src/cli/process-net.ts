// What no part of the program caught: an exception outside every handler, a rejection that nobody awaits. Both are bugs.
//
//   F1. Each is logged with secrets taken out, and counted; none is passed over in silence.
//   F2. Nobody knows what state the process is in then: it gives its Lease back, so that another one takes over, and ends with 1.

import type { Logger } from '../log.js';
import { scrubSecrets } from '../scrub.js';
import type { Metrics } from '../metrics.js';

/** A net under the process. */
export interface ProcessNet {
  /** Resolves with the first error that nobody caught. */
  readonly fault: Promise<Error>;
  /** Takes the net away: what comes then ends the process as Node does it. */
  end(): void;
}

/** Puts the net under this process. */
export function castNet({
  log,
  metrics,
}: {
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'processFaults'>;
}): ProcessNet {
  let onFault: (error: Error) => void = () => undefined;
  const fault = new Promise<Error>((resolve) => (onFault = resolve));
  const caught =
    (kind: 'exception' | 'rejection') =>
    (reason: unknown): void => {
      const error = reason instanceof Error ? reason : new Error(textOf(reason));
      metrics.processFaults.inc({ kind });
      log.error('Nothing caught this error, the process ends', { kind, err: error, stack: error.stack ?? '' });
      onFault(new Error(`an error that nothing caught: ${scrubSecrets(error.message)}`));
    };
  const [onException, onRejection] = [caught('exception'), caught('rejection')];
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  return {
    fault,
    end() {
      process.off('uncaughtException', onException);
      process.off('unhandledRejection', onRejection);
    },
  };
}

function textOf(reason: unknown): string {
  try {
    return String(reason);
  } catch {
    return 'something that has no text';
  }
}
