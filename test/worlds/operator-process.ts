// The operator as a process of its own, for tests that kill it: `run` of the bundle against a kubeconfig.

import { spawn, type ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isApiError } from '../../src/kube/failures.js';

/** The operator's program. */
export const bundle = join(dirname(fileURLToPath(import.meta.url)), '../../dist/kubeadm-bootstrap-operator.js');

/** A running operator. */
export interface OperatorProcess {
  /** Everything it wrote to stderr so far. */
  output(): string;
  /** SIGKILL: nothing is finished, nothing is released. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Resolves with the exit code when it ends by itself. */
  readonly exited: Promise<number | null>;
  readonly pid: number;
}

/** Starts the bundle. Listeners are off; more flags win. */
export function startOperatorProcess(kubeconfigFile: string, flags: readonly string[] = []): OperatorProcess {
  const args = [
    'run',
    `--kubeconfig=${kubeconfigFile}`,
    '--health-addr=',
    '--diagnostics-address=',
    '--inspector-bind-address=',
    ...flags,
  ];
  const child: ChildProcess = spawn(process.execPath, [bundle, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.on('data', (data: Buffer) => {
    output = `${output}${data.toString()}`.slice(-200_000);
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return {
    output: () => output,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    exited,
    pid: child.pid ?? 0,
  };
}

/** Waits for real time to pass: for other processes, never for an assertion. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A look that takes longer, as on a machine that was stopped for a while, counts as this much. */
const LOOK_COUNTS_MAX_MS = 2_000;

/**
 * Looks again and again until something holds; throws with what was seen last. A look that the server fails is made again: what is
 * awaited may still come.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T> | T,
  holds: (seen: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  let countedMs = 0;
  for (;;) {
    const startedMs = Date.now();
    const seen = await seenBy(look);
    if (seen.kind === 'seen' && holds(seen.value)) return seen.value;
    if (countedMs > withinMs)
      throw new Error(`${what}: not within ${withinMs / 1000} s; last seen: ${JSON.stringify(seen)?.slice(0, 4000)}`);
    await pause(50);
    countedMs += Math.min(Date.now() - startedMs, LOOK_COUNTS_MAX_MS);
  }
}

type Seen<T> = { readonly kind: 'seen'; readonly value: T } | { readonly kind: 'failed'; readonly message: string };

async function seenBy<T>(look: () => Promise<T> | T): Promise<Seen<T>> {
  try {
    return { kind: 'seen', value: await look() };
  } catch (error) {
    if (isApiError(error) && (error.failure.status === null || error.failure.status >= 500))
      return { kind: 'failed', message: error.message };
    throw error;
  }
}
