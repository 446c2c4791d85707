// Bytes of answers that are kept in memory until they are read.
//
//   M1. What is kept is what is counted: pieces are copied into one growing buffer, so that a piece of one byte costs one byte
//       and holds no buffer of the socket.
//   M2. A budget is shared by many answers: all of them together are bounded too.

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

/** Bytes that several answers may keep together. */
export interface ByteBudget {
  /** False where there are not so many left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  readonly taken: () => number;
}

/** A budget of so many bytes. */
export function createByteBudget(bytesMax: number): ByteBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > bytesMax) return false;
      taken += bytes;
      return true;
    },
    give: (bytes) => void (taken -= bytes),
    taken: () => taken,
  };
}

const FIRST_BYTES = 1024;
const NOTHING = Buffer.alloc(0);

/** Pieces in the order in which they came, as one. */
export class KeptBytes {
  #buffer: Buffer = NOTHING;
  #length = 0;

  constructor(private readonly budget: ByteBudget | null) {}

  get length(): number {
    return this.#length;
  }

  /** Throws a BodyError where the budget is spent. */
  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) this.#grow(Math.max(FIRST_BYTES, needed, this.#buffer.length * 2));
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
    if (this.budget?.take(more) === false)
      throw new BodyError('the answers that are under way are too long together', TOO_LARGE);
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
