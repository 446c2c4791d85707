// The demo's operator over its lives: dropped without shutdown and started again, and stopped once.
//
//   D1. One change at a time: two drops at once would start two operators, and one of them would never be stopped.
//   D2. Nothing starts once the end was asked for.

import type { Operator } from './operator.js';

/** Starts in vain before a drop gives up: the address of the life before may be taken for a moment. */
const STARTS_MAX = 20;

/** What is started and ended. */
type Life = Pick<Operator, 'stop' | 'drop'>;

/** The operator of a demo. */
export interface Operators<O extends Life = Operator> {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends the operator without a shutdown and starts another one. */
  drop(): Promise<void>;
  current(): O | null;
}

/** None yet; `startOne` starts one. */
export function createOperators<O extends Life>(startOne: () => Promise<O>): Operators<O> {
  let operator: O | null = null;
  let isEnding = false;
  let last: Promise<void> = Promise.resolve();

  const inTurn = (change: () => Promise<void>): Promise<void> => {
    const next = last.then(change);
    last = next.catch(() => undefined);
    return next;
  };
  const start = async (): Promise<void> => {
    operator = await startOne();
  };
  const dropAndStart = async (): Promise<void> => {
    const dropped = operator;
    operator = null;
    await dropped?.drop();
    for (let tries = 1; !isEnding; tries += 1) {
      try {
        return await start();
      } catch (error) {
        if (tries > STARTS_MAX) throw error;
      }
    }
  };

  return {
    start: () => inTurn(start),
    stop() {
      isEnding = true;
      return inTurn(async () => {
        await operator?.stop();
        operator = null;
      });
    },
    drop: () => inTurn(dropAndStart),
    current: () => operator,
  };
}
