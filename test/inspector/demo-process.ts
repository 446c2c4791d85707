// The real `demo` in a process of its own, as a person starts it, for tests of its inspector.

import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { Explanation } from '../../machines/kit/explanation.js';

const OPERATOR = new URL('../../dist/kubeadm-bootstrap-operator.js', import.meta.url).pathname;

/** A running demo. */
export interface DemoProcess {
  /** Where its inspector is; the same before and after the operator's crashes. */
  readonly url: string;
  readonly kubeconfig: string;
  /** Everything that it printed so far. */
  readonly output: () => string;
  /** What `explain` answers about an object, as JSON. */
  explain(target: string, namespace: string): Promise<Explanation>;
  stop(): Promise<void>;
}

/** Starts `demo` with these flags and waits until it has said where its inspector is. */
export async function startDemo(flags: readonly string[]): Promise<DemoProcess> {
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    process.execPath,
    [OPERATOR, 'demo', '--output=json', `--inspector-bind-address=${address}`, ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let text = '';
  const kubeconfig = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer): void => {
      text += String(data);
      const found = /"kubeconfig":"([^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => reject(new Error(`the demo ended: ${text}`)));
  });
  return {
    url: `http://${address}`,
    kubeconfig,
    output: () => text,
    async explain(target, namespace) {
      const args = [OPERATOR, 'explain', target, '-n', namespace, '--kubeconfig', kubeconfig, '-o', 'json'];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      return JSON.parse(stdout) as Explanation;
    },
    async stop() {
      child.kill('SIGINT');
      await ended;
    },
  };
}

/** A port that nobody listens on at the moment: the operator comes back to it after a crash. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}
