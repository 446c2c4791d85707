// One program of the stack as a process of its own.
//
//   PR1. It ends with this process, however this process ends.
//   PR2. All that it writes goes into one log file.
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { cpuSeconds } from '../bench/system/processes.js';

/** What to start. */
export interface ProgramOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly log: string;
}

/** A running program. */
export interface Program {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** Seconds of processor time so far. */
  cpuSeconds(): number;
  /** Resident memory at this moment, MiB. */
  mebibytes(): number;
  /** Whether it has ended, asked or not. */
  hasEnded(): boolean;
  /** SIGTERM, and SIGKILL when that does not end it in time. */
  stop(): Promise<void>;
  /** SIGKILL: nothing is finished, nothing is released. */
  kill(): Promise<void>;
}

const stopWithinMs = 20_000;

/** Starts a program. */
export function startProgram({ name, command, args, env = {}, log }: ProgramOptions): Program {
  const child: ChildProcess = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const sink = createWriteStream(log, { flags: 'a' });
  child.stdout?.pipe(sink, { end: false });
  child.stderr?.pipe(sink, { end: false });
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    const end = (): void => {
      ended = true;
      process.off('exit', endWithUs);
      resolve();
    };
    child.once('exit', end);
    child.once('error', end);
  });
  const pid = child.pid ?? 0;
  return {
    name,
    pid,
    log,
    cpuSeconds: () => cpuSeconds(pid),
    mebibytes: () => residentMebibytes(pid),
    hasEnded: () => ended,
    async stop() {
      const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      child.kill('SIGTERM');
      await exited;
      clearTimeout(late);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function residentMebibytes(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Ports of loopback that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Whether something listens on a port of loopback. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', answer(true));
    socket.once('error', answer(false));
  });
}
