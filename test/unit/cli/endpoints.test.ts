// What probes and people read from /healthz and /readyz, and what strangers get.
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { serveHealth, serveMetrics, type Endpoint, type HealthChecks } from '../../../src/cli/endpoints.js';

const faults: unknown[] = [];
const onFault = ({ error }: { readonly error: unknown }): void => void faults.push(error);
let endpoint: Endpoint | null = null;
afterEach(async () => {
  await endpoint?.close();
  faults.length = 0;
});

const says = (live: string | null, ready: string | null = live): HealthChecks => ({
  hasWebhook: () => true,
  live: () => Promise.resolve(live),
  ready: () => Promise.resolve(ready),
});

async function read(checks: HealthChecks, path: string): Promise<readonly [number, string]> {
  endpoint = await serveHealth('127.0.0.1:0', checks, onFault);
  const answer = await fetch(`http://127.0.0.1:${endpoint?.port}${path}`);
  return [answer.status, await answer.text()];
}

/** Sends a request line as it is; resolves with the first line of the answer. */
function firstLine(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(endpoint?.port ?? 0, '127.0.0.1', () =>
      socket.write(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (data: Buffer) => (text += data.toString()));
    socket.on('end', () => resolve(text.split('\r\n')[0] ?? ''));
    socket.on('error', reject);
  });
}

describe('health endpoints', () => {
  test.each([
    ['/healthz', 200, 'ok'],
    ['/healthz/ping', 200, 'ok'],
    ['/healthz/webhook', 200, 'ok'],
    ['/readyz', 200, 'ok'],
    ['/readyz/', 200, 'ok'],
    ['/readyz/webhook', 200, 'ok'],
    ['/readyz?verbose', 200, '[+]webhook ok\nhealthz check passed\n'],
    ['/healthz?verbose=true', 200, '[+]ping ok\n[+]webhook ok\nhealthz check passed\n'],
    ['/metrics', 404, 'there is /healthz and /readyz\n'],
    ['/readyz/ping', 404, 'there is /healthz and /readyz\n'],
  ])('all is well: %s -> %d', async (path, status, text) => {
    expect(await read(says(null), path)).toEqual([status, text]);
  });

  test.each([
    ['/readyz?verbose', 'healthz check passed\n'],
    ['/healthz?verbose', '[+]ping ok\nhealthz check passed\n'],
  ])('no webhook server: %s -> no word of one', async (path, text) => {
    expect(await read({ ...says(null), hasWebhook: () => false }, path)).toEqual([200, text]);
  });

  test.each([
    ['/healthz', 500, '[+]ping ok\n[-]webhook failed: not serving\n'],
    ['/healthz/ping', 200, 'ok'],
    ['/readyz', 500, '[-]webhook failed: not serving\n'],
    ['/readyz?verbose', 500, '[-]webhook failed: not serving\n'],
  ])('the webhook server is dead: %s -> %d', async (path, status, text) => {
    expect(await read(says('not serving'), path)).toEqual([status, text]);
  });

  test.each([
    ['/healthz', 200, 'ok'],
    ['/readyz', 500, '[-]webhook failed: no certificate\n'],
  ])('the webhook server waits for its certificate: %s -> %d', async (path, status, text) => {
    expect(await read(says(null, 'no certificate'), path)).toEqual([status, text]);
  });

  test.each(['GET // HTTP/1.1', 'GET //[ HTTP/1.1', 'GET http://%/ HTTP/1.1', 'GET http:// HTTP/1.1'])(
    'request line %s -> an answer, and no fault',
    async (line) => {
      endpoint = await serveHealth('127.0.0.1:0', says(null), onFault);
      expect(await firstLine(line)).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(await firstLine('GET /healthz HTTP/1.1')).toBe('HTTP/1.1 200 OK');
      expect(faults).toEqual([]);
    },
  );

  test('a check that fails itself -> 500, and a fault that is told', async () => {
    const broken = {
      hasWebhook: () => true,
      live: () => Promise.reject(new Error('a bug')),
      ready: () => Promise.reject(new Error('a bug')),
    };
    expect((await read(broken, '/readyz'))[0]).toBe(500);
    expect(faults).toEqual([new Error('a bug')]);
  });
});

describe('metrics endpoint', () => {
  test.each(['GET // HTTP/1.1', 'GET http://%/ HTTP/1.1'])('request line %s -> 404', async (line) => {
    const metrics = { metrics: () => Promise.resolve({ type: 'text/plain', body: 'x 1\n' }), onFault };
    endpoint = await serveMetrics('127.0.0.1:0', { kind: 'insecure' }, metrics);
    expect(await firstLine(line)).toBe('HTTP/1.1 404 Not Found');
    expect(await firstLine('GET /metrics HTTP/1.1')).toBe('HTTP/1.1 200 OK');
    expect(faults).toEqual([]);
  });
});
