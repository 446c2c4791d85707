// What the operator makes for its own ports: a certificate of one start, and the inspector's token.
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/cli/config.js';
import { inspectorToken } from '../../../src/cli/inspector-token.js';
import { selfSignedTls } from '../../../src/cli/self-signed.js';
import { listen } from '../../../src/http/listener.js';
import { createLogger } from '../../../src/log.js';
import { systemRandom } from '../../../src/system.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe('certificate of a start', () => {
  test('its form -> a leaf for server authentication, with names', async () => {
    const { cert } = await selfSignedTls(Date.parse('2030-01-01T00:00:00Z'), '10.1.2.3:8443');
    const certificate = new X509Certificate(cert);
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    for (const name of ['localhost', hostname()]) expect(certificate.checkHost(name)).toBe(name);
    for (const address of ['127.0.0.1', '::1', '10.1.2.3']) expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.checkHost('kubernetes')).toBeUndefined();
    expect(certificate.verify(certificate.publicKey)).toBe(true);
  });

  test.each(['[fe80::1:2]:1', '[fd00::]:1', '[2001:db8:1:2:3:4:5:6]:1'])('address %s -> named', async (address) => {
    const { cert } = await selfSignedTls(Date.now(), address);
    const ip = address.slice(1, address.lastIndexOf(']'));
    expect(new X509Certificate(cert).checkIP(ip)).toBe(ip);
  });

  test('a client that trusts it and asks for localhost -> connects', async () => {
    const tls = await selfSignedTls(Date.now(), ':0');
    const listener = await listen({
      name: 'test',
      port: 0,
      host: 'localhost',
      tls,
      onRequest: (_, response) => void response.end(),
      onFault: () => undefined,
    });
    cleanups.push(() => listener.close());
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ port: listener.port, host: 'localhost', ca: tls.cert }, resolve);
      cleanups.push(() => socket.destroy());
      socket.on('error', reject);
    });
  });
});

describe('token of the inspector', () => {
  const lines: string[] = [];
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'inspector-token-'));
    cleanups.push(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };
  const token = (...flags: string[]): Promise<string> => {
    lines.length = 0;
    const log = createLogger({ format: 'text', level: 10, nowMs: () => 0, write: (line) => void lines.push(line) });
    const config = parseConfig(['--inspector-auth=token', ...flags], {});
    return inspectorToken({ config, random: systemRandom, log });
  };

  test('no file given -> a file that its user alone can read; the log has the path and not the token', async () => {
    const made = await token();
    const path = /path="([^"]+)"/.exec(lines.join(''))?.[1] ?? '';
    cleanups.push(() => rmSync(join(path, '..'), { recursive: true, force: true }));
    expect(readFileSync(path, 'utf8')).toBe(`${made}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(made).toMatch(/^[\w-]{32}$/);
    expect(lines.join('')).not.toContain(made);
  });

  test('a file that is there -> its token, and nothing is said', async () => {
    const path = join(folder(), 'token');
    writeFileSync(path, 'a-token-of-some-secret\n');
    expect(await token(`--inspector-token-file=${path}`)).toBe('a-token-of-some-secret');
    expect(lines).toEqual([]);
  });

  test('a file that is not there -> made', async () => {
    const path = join(folder(), 'token');
    const made = await token(`--inspector-token-file=${path}`);
    expect(readFileSync(path, 'utf8')).toBe(`${made}\n`);
    expect(lines.join('')).not.toContain(made);
  });

  test.each([
    ['an empty file', ''],
    ['a short token', 'short'],
    ['two lines', 'a-token-of-some-secret\nanother-one'],
  ])('%s -> refused, without what is in it', async (_, text) => {
    const path = join(folder(), 'token');
    writeFileSync(path, text);
    await expect(token(`--inspector-token-file=${path}`)).rejects.toThrow(
      /^--inspector-token-file: \S+ holds no token: want one line/,
    );
  });

  test('a folder that is not there -> an error that names the flag', async () => {
    const path = join(folder(), 'no', 'token');
    await expect(token(`--inspector-token-file=${path}`)).rejects.toThrow(`cannot be written to ${path} (ENOENT)`);
  });
});
