// How a command ends: which exit code, and what one line goes to stderr.

import { scrubSecrets } from '../scrub.js';
import { UsageError } from './flag-types.js';

/** A failure that a person can act on: printed as its one line, without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  constructor(
    message: string,
    /** 1: failed at run time. 2: usage. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

/** 0 ok, 1 failed at run time, 2 usage. */
export function exitCodeOf(error: unknown): 1 | 2 {
  if (error instanceof UsageError) return 2;
  return error instanceof CommandFailure ? error.exitCode : 1;
}

/** Prints an error: one line for what is expected, the stack for a bug. */
export function printFailure(error: unknown): void {
  if (error instanceof UsageError || error instanceof CommandFailure) {
    process.stderr.write(`error: ${scrubSecrets(error.message)}\n`);
    return;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${scrubSecrets(text)}\n`);
}
