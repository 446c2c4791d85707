// The log level and the profiles of a running process.
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { logLevelPage, profilePages } from '../../../src/cli/debug-pages.js';
import { serveMetrics, servePages, type Endpoint } from '../../../src/cli/endpoints.js';
import { createLogger } from '../../../src/log.js';
import { systemClock } from '../../../src/system.js';
import { selfSignedTls } from '../../../src/cli/self-signed.js';
import { request } from 'node:https';

let endpoint: Endpoint | null = null;
afterEach(() => endpoint?.close());
const faults: unknown[] = [];
const onFault = (fault: unknown): void => void faults.push(fault);

async function open(): Promise<{ lines: string[]; log: ReturnType<typeof createLogger> }> {
  const lines: string[] = [];
  const level = { value: 2 };
  const log = createLogger({ format: 'text', level, nowMs: () => 0, write: (line) => void lines.push(line) });
  const pages = { ...profilePages(systemClock), ...logLevelPage(level, () => undefined) };
  endpoint = await servePages({ address: '127.0.0.1:0', flag: 'profiler-address', name: 'profiler' }, pages, onFault);
  return { lines, log };
}

const ask = async (path: string, init: RequestInit = {}): Promise<readonly [number, string]> => {
  const answer = await fetch(`http://127.0.0.1:${endpoint?.port}${path}`, init);
  return [answer.status, await answer.text()];
};

describe('debug pages', () => {
  test('log level: put while it runs -> lines of that level appear, of every logger made before', async () => {
    const { lines, log } = await open();
    const child = log.with({ controller: 'x' });
    child.verbose(4, 'before');
    expect(await ask('/debug/flags/v', { method: 'PUT', body: '4' })).toEqual([
      200,
      'successfully set klog.logging.verbosity to 4',
    ]);
    child.verbose(4, 'after');
    expect(lines.map((line) => /"(\w+)"/.exec(line)?.[1])).toEqual(['after']);
  });

  test.each([
    [{ method: 'PUT', body: 'much' }, 400],
    [{ method: 'PUT', body: '1'.repeat(1_000) }, 400],
    [{ method: 'PUT' }, 400],
    [{ method: 'GET' }, 406],
  ])('log level: %j -> %d, and nothing changes', async (init, status) => {
    const { log } = await open();
    expect((await ask('/debug/flags/v', init))[0]).toBe(status);
    expect([log.enabled(2), log.enabled(3)]).toEqual([true, false]);
  });

  test.each([
    ['profile', ['nodes', 'startTime', 'endTime', 'samples', 'timeDeltas']],
    ['heap', ['head', 'samples']],
  ])('%s: taken -> in V8’s format; a second one meanwhile is refused', async (kind, members) => {
    await open();
    const first = ask(`/debug/pprof/${kind}?seconds=1`);
    await new Promise((resolve) => systemClock.schedule(200, () => resolve(null)));
    expect((await ask(`/debug/pprof/${kind}?seconds=1`))[0]).toBe(409);
    const [status, body] = await first;
    expect(status).toBe(200);
    expect(Object.keys(JSON.parse(body) as object)).toEqual(expect.arrayContaining(members));
  });

  test.each(['0', '301', 'x', '-1'])('profile: %s seconds -> refused with what is right', async (seconds) => {
    await open();
    expect(await ask(`/debug/pprof/profile?seconds=${seconds}`)).toEqual([400, 'seconds: want 1 to 300\n']);
  });

  test('diagnostics address without authentication -> has no such pages', async () => {
    const metrics = () => Promise.resolve({ type: 'text/plain', body: '' });
    const pages = logLevelPage({ value: 2 }, () => undefined);
    endpoint = await serveMetrics('127.0.0.1:0', { kind: 'insecure' }, { metrics, pages, onFault });
    expect((await ask('/debug/flags/v', { method: 'PUT', body: '4' }))[0]).toBe(404);
  });

  test('diagnostics address with reviews: the page and its method are asked about -> without a yes nothing changes', async () => {
    const level = { value: 2 };
    const asked: string[] = [];
    let verdict: 200 | 403 = 403;
    const isAllowed = ({ method, url }: IncomingMessage) => {
      asked.push(`${method} ${url}`);
      return Promise.resolve(verdict);
    };
    const tls = await selfSignedTls(systemClock.nowMs(), '127.0.0.1:0');
    const metrics = () => Promise.resolve({ type: 'text/plain', body: '' });
    const pages = logLevelPage(level, () => undefined);
    endpoint = await serveMetrics('127.0.0.1:0', { kind: 'secure', tls, isAllowed }, { metrics, pages, onFault });
    const put = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const options = { port: endpoint?.port, path: '/debug/flags/v', method: 'PUT', rejectUnauthorized: false };
        request({ host: '127.0.0.1', ...options }, (answer) => resolve((answer.resume(), answer.statusCode)))
          .on('error', reject)
          .end('5');
      });
    expect([await put(), level.value]).toEqual([403, 2]);
    verdict = 200;
    expect([await put(), level.value]).toEqual([200, 5]);
    expect(asked).toEqual(['PUT /debug/flags/v', 'PUT /debug/flags/v']);
    expect(faults).toEqual([]);
  });
});
