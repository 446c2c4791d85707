// Randomness of a simulation: one stream a purpose, all from one number, so that taking one fault away leaves the others alone.
import type { Random } from '../../../src/host/contract.js';

/** Looked up once: within a test's own context a global is dear. */
const { imul } = Math;

/** A stream of random numbers. */
export interface Stream extends Random {
  /** An integer in [from, to]. */
  int(from: number, to: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** The stream of a purpose. */
export function streamOf(seed: number, purpose: string): Stream {
  let state = (seed ^ hashText(purpose)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)),
    int,
    chance: (share) => next() < share,
    pick: <T>(from: readonly T[]): T => from[int(0, from.length - 1)] as T,
  };
}

/** FNV-1a of a text. */
export function hashText(text: string, from = 0x811c9dc5): number {
  let hash = from;
  for (let index = 0; index < text.length; index += 1) hash = imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
