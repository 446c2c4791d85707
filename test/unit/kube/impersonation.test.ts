import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ServerAccess } from '../../../src/kube/access.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { accessOfKubeconfig } from '../../../src/kube/kubeconfig.js';
import { findManagementAccess } from '../../../src/kube/management-access.js';
import { systemClock } from '../../../src/system.js';

let folder: string;
let server: Server;
let url: string;
let sent: string[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kbo-impersonation-'));
  sent = [];
  server = createServer(({ rawHeaders }, response) => {
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (/^(impersonate|authorization)/i.test(rawHeaders[at] ?? ''))
        sent.push(`${rawHeaders[at]}: ${Buffer.from(rawHeaders[at + 1] ?? '', 'latin1').toString('utf8')}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const kubeconfig = (user: object, address = 'https://example:6443'): object => ({
  'current-context': 'x',
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server: address } }],
  users: [{ name: 'u', user }],
});

const workload = (user: object, address?: string): Promise<ServerAccess> =>
  Promise.resolve().then(() => accessOfKubeconfig(kubeconfig(user, address)));

const management = (user: object, address?: string): Promise<ServerAccess> => {
  const path = join(folder, 'config');
  writeFileSync(path, JSON.stringify(kubeconfig(user, address)));
  return findManagementAccess({
    kubeconfig: path,
    environment: {},
    clock: systemClock,
    parseYaml: (text) => parse(text) as unknown,
  });
};

async function send(access: ServerAccess): Promise<void> {
  const transport = createHttpsTransport({ access, clock: systemClock, environment: {} });
  try {
    await transport.send({
      method: 'GET',
      url: '/version',
      headers: {},
      signal: new AbortController().signal,
      sinceMs: 0,
      streaming: false,
      answer: { bytesMax: 1000, budget: null },
      beforeSend: () => undefined,
    });
  } finally {
    await transport.close();
  }
}

const everything = {
  token: 't',
  as: 'jane@example.com',
  'as-uid': '06f6',
  'as-groups': ['system:masters', 'dévs'],
  'as-user-extra': { Scopes: ['view', 'edit'], 'acme.com/a%b c': ['1'], 'a\tb': ['2'], none: [] },
};

describe.each([
  ['workload cluster', workload],
  ['management cluster', management],
])('impersonation in the kubeconfig of a %s', (_, access) => {
  test('user, uid, groups and extra -> the headers that client-go sends, repeated for each value', async () => {
    await send(await access(everything, url));
    expect(sent).toEqual([
      'authorization: Bearer t',
      'impersonate-user: jane@example.com',
      'impersonate-uid: 06f6',
      'impersonate-group: system:masters',
      'impersonate-group: dévs',
      'impersonate-extra-scopes: view',
      'impersonate-extra-scopes: edit',
      'impersonate-extra-acme.com%2fa%25b%20c: 1',
      'impersonate-extra-a%09b: 2',
    ]);
  });

  test('none, or empty fields -> no header', async () => {
    await send(await access({ token: 't' }, url));
    const empty = { token: 't', as: '', 'as-uid': '', 'as-groups': [], 'as-user-extra': {} };
    await send(await access(empty, url));
    const absent = { token: 't', as: null, 'as-uid': null, 'as-groups': null, 'as-user-extra': null };
    await send(await access(absent, url));
    expect(sent).toEqual(Array.from({ length: 3 }, () => 'authorization: Bearer t'));
  });

  test.each([
    ['groups without a user', { 'as-groups': ['g'] }, /as-uid, as-groups and as-user-extra need as/],
    ['a uid without a user', { 'as-uid': '1' }, /as-uid, as-groups and as-user-extra need as/],
    ['extra without a user', { 'as-user-extra': { a: ['b'] } }, /as-uid, as-groups and as-user-extra need as/],
    ['a user that is no text', { as: 5 }, /as is not a text/],
    ['a uid that is no text', { as: 'a', 'as-uid': {} }, /as-uid is not a text/],
    ['groups that are one text', { as: 'a', 'as-groups': 'g' }, /as-groups is not a list of texts/],
    ['a group that is a number', { as: 'a', 'as-groups': ['g', 1] }, /as-groups is not a list of texts/],
    ['extra that is a list', { as: 'a', 'as-user-extra': ['g'] }, /as-user-extra is not a mapping to lists of texts/],
    ['an extra that is one text', { as: 'a', 'as-user-extra': { k: 'v' } }, /as-user-extra is not a mapping/],
    ['a user with a second line', { as: 'a\r\nx-secret: hidden' }, /as has characters that a header cannot carry/],
    ['a group with a NUL', { as: 'a', 'as-groups': ['hidden\0'] }, /as-groups has characters that a header/],
    ['an extra with a line', { as: 'a', 'as-user-extra': { k: ['hidden\n'] } }, /as-user-extra has characters/],
    ['an extra without a name', { as: 'a', 'as-user-extra': { '': ['v'] } }, /as-user-extra has an empty key/],
    ['too much of it', { as: 'a', 'as-groups': ['g'.repeat(70_000)] }, /more than the limit of 65536 characters/],
  ])('%s -> refused with the reason, and no value is quoted', async (_title, user, message) => {
    const refused = access({ token: 't', ...user });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(/^[^\n]+$/);
    await expect(refused).rejects.not.toThrow(/hidden/);
  });
});

test('impersonation beside a credential plugin of the management cluster -> the plugin is asked, all headers are sent', async () => {
  const program = join(folder, 'plugin');
  writeFileSync(program, '#!/bin/sh\necho \'{"status":{"token":"plugged"}}\'\n', { mode: 0o755 });
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: program };
  await send(await management({ exec, as: 'jane', 'as-groups': ['a', 'b'] }, url));
  expect(sent.toSorted()).toEqual([
    'authorization: Bearer plugged',
    'impersonate-group: a',
    'impersonate-group: b',
    'impersonate-user: jane',
  ]);
});
