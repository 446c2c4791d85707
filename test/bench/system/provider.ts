// The provider under test: any command line, as a process of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';

/** A running provider. */
export interface Provider {
  readonly pid: number;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
  /** The exit code once it has ended by itself; null while it runs. */
  ended(): number | null;
}

/** Our own command line: everything on that is on by default, on ports that are free. */
export const ownCommand =
  'node dist/kubeadm-bootstrap-operator.js run --kubeconfig={kubeconfig} --health-addr=127.0.0.1:0 ' +
  '--diagnostics-address=127.0.0.1:0 --inspector-bind-address=127.0.0.1:0';

/** Starts a command line in which `{kubeconfig}` stands for the file. Its output goes into a log file. */
export function startProvider(command: string, kubeconfig: string, log: string): Provider {
  // With `exec` the process that is measured is the provider, not a shell.
  const line = `exec ${command.replaceAll('{kubeconfig}', kubeconfig)}`;
  const child: ChildProcess = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] });
  const sink = createWriteStream(log, { flags: 'a' });
  child.stdout?.pipe(sink, { end: false });
  child.stderr?.pipe(sink, { end: false });
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid ?? 0,
    async kill() {
      process.off('exit', endWithUs);
      child.kill('SIGKILL');
      await exited;
      sink.end();
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
    ended: () => child.exitCode,
  };
}
