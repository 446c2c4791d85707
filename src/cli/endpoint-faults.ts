// What becomes of a handler that threw: a count and a line in the log. The request it happened to has ended already.

import type { ListenerFault } from '../http/listener.js';
import type { OperatorOptions } from './operator-options.js';

/** Counts and logs; the log takes secrets out. */
export function endpointFaults({
  log,
  metrics,
}: Pick<OperatorOptions, 'log' | 'metrics'>): (fault: ListenerFault) => void {
  return ({ listener, place, error }) => {
    metrics.endpointFaults.inc({ endpoint: listener, place });
    log.error('Handler of a port failed', { endpoint: listener, place, err: error });
  };
}
