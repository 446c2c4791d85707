// A queue of text between one writer and one reader, as an async iterable.
//
// What is queued when the reader comes back is handed over as one chunk. Leaving the loop tells the writer.

/** The writer's side. */
export interface Channel {
  push(text: string): void;
  end(): void;
  /** True when the reader lags too far. */
  overrun(): boolean;
  onReturn(act: () => void): void;
  readonly stream: AsyncIterable<string>;
}

/** Makes a channel that counts more than `lagMax` waiting texts as an overrun. */
export function createChannel(lagMax: number): Channel {
  let queue: string[] = [];
  let ended = false;
  let waiting: ((result: IteratorResult<string>) => void) | null = null;
  let returned = (): void => {};

  const take = (): IteratorResult<string> | null => {
    if (queue.length > 0) {
      const value = queue.join('');
      queue = [];
      return { done: false, value };
    }
    return ended ? { done: true, value: undefined } : null;
  };
  const wake = (): void => {
    if (waiting === null) return;
    const result = take();
    if (result === null) return;
    const resolve = waiting;
    waiting = null;
    resolve(result);
  };
  const iterator: AsyncIterator<string> = {
    next() {
      const ready = take();
      if (ready !== null) return Promise.resolve(ready);
      return new Promise((resolve) => (waiting = resolve));
    },
    return() {
      ended = true;
      queue = [];
      returned();
      wake();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return {
    push(text) {
      if (ended) return;
      queue.push(text);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    overrun: () => queue.length > lagMax,
    onReturn: (act) => (returned = act),
    stream: { [Symbol.asyncIterator]: () => iterator },
  };
}
