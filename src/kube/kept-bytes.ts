// Bytes of answers that are kept in memory until they are read.
//
//   M1. What is kept is what is counted: pieces are copied into one growing buffer, so that a piece of one byte costs one byte
//       and holds no buffer of the socket.
//   M2. A budget is shared by many answers: all of them together are bounded too.
//   M3. What others have filled is no fault of an answer: it has a reason of its own, and each has a little that nobody takes.

/** A bound was hit, or the stream ended inside a line. `code` is TOO_LARGE for a bound. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly code: string;

  constructor(message: string, code = 'BrokenStream') {
    super(message);
    this.code = code;
  }
}

/** Code and reason of an answer beyond a bound. */
export const TOO_LARGE = 'TooLarge';

/** Code and reason of an answer for which others have left no room. */
export const CROWDED = 'Crowded';

/** Whether bytes may be kept, or who stands in the way: those who ask, or others. */
export type Taken = 'taken' | typeof TOO_LARGE | typeof CROWDED;

/** Bytes that several answers may keep together. */
export interface ByteBudget {
  /** Takes all of them or none. */
  take(bytes: number): Taken;
  give(bytes: number): void;
  readonly taken: () => number;
}

/** A budget of so many bytes. */
export function createByteBudget(bytesMax: number): ByteBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > bytesMax) return TOO_LARGE;
      taken += bytes;
      return 'taken';
    },
    give: (bytes) => void (taken -= bytes),
    taken: () => taken,
  };
}

/** One's share of a budget: never more than `bytesMax`; the first `ownBytes` do not count for the whole. */
export function shareOf(
  whole: ByteBudget,
  { bytesMax, ownBytes }: { readonly bytesMax: number; readonly ownBytes: number },
): ByteBudget {
  let taken = 0;
  const ofWhole = (bytes: number): number => Math.max(0, bytes - ownBytes);
  return {
    take(bytes) {
      if (taken + bytes > bytesMax) return TOO_LARGE;
      if (whole.take(ofWhole(taken + bytes) - ofWhole(taken)) !== 'taken') return CROWDED;
      taken += bytes;
      return 'taken';
    },
    give(bytes) {
      whole.give(ofWhole(taken) - ofWhole(taken - bytes));
      taken -= bytes;
    },
    taken: () => taken,
  };
}

const PROBLEMS = {
  [TOO_LARGE]: 'the answers that are under way are too long together',
  [CROWDED]: 'the answers of others leave no room for it now',
} as const;

const FIRST_BYTES = 1024;
const NOTHING = Buffer.alloc(0);

/** Pieces in the order in which they came, as one. */
export class KeptBytes {
  #buffer: Buffer = NOTHING;
  #length = 0;

  /** Never more than `bytesMax` is reserved ahead. */
  constructor(
    private readonly budget: ByteBudget | null,
    private readonly bytesMax = Number.POSITIVE_INFINITY,
  ) {}

  get length(): number {
    return this.#length;
  }

  /** Throws a BodyError where the budget is spent. */
  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length)
      this.#grow(Math.max(needed, Math.min(this.bytesMax, Math.max(FIRST_BYTES, this.#buffer.length * 2))));
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  /** Everything that is kept; nothing is kept afterwards. */
  take(): Buffer {
    const all = this.#buffer.subarray(0, this.#length);
    this.release();
    return all;
  }

  /** Everything that is kept, to look at now: it changes with the next piece. */
  seen(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** The first bytes, as a copy; they are not kept any longer. */
  takeFirst(bytes: number): Buffer {
    const first = Buffer.from(this.#buffer.subarray(0, bytes));
    this.#buffer.copyWithin(0, bytes, this.#length);
    this.#length -= first.length;
    return first;
  }

  release(): void {
    this.budget?.give(this.#buffer.length);
    this.#buffer = NOTHING;
    this.#length = 0;
  }

  #grow(capacity: number): void {
    const more = capacity - this.#buffer.length;
    const taken = this.budget?.take(more) ?? 'taken';
    if (taken !== 'taken') throw new BodyError(PROBLEMS[taken], taken);
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
