// Secrets planted in everything that the inspector is given, for every machine: none may come out anywhere.

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { WebSocket } from 'ws';
import type { Explanation } from '../../machines/kit/explanation.js';
import { ALL_TABLES } from '../../src/charts/tables.js';
import { SHOWN_FACTS } from '../../src/inspector/project.js';
import type { Inspector } from '../../src/inspector/inspector.js';
import { openBrowser } from './browser.js';
import { someNote, startPage } from './page-fixture.js';

// The browser shares two cores with other suites: a slow machine is no failure.
jest.setTimeout(60_000);

const MARK = 'canary0canary0ca';
const CANARIES: readonly string[] = [
  `abcdef.${MARK}`,
  `Bearer ${MARK}`,
  `password=${MARK}`,
  `#cloud-config\nwrite_files: [${MARK}]`,
  `-----BEGIN RSA PRIVATE KEY-----\n${MARK}\n-----END RSA PRIVATE KEY-----`,
  `https://admin:${MARK}@10.0.0.1/`,
];
const ALL = CANARIES.join(' and ');

let browser: Browser | null = null;
let inspector: Inspector;
let url = '';
const logged: string[] = [];
const frames: string[] = [];
const sockets: WebSocket[] = [];

/** Facts in which every name that may be shown, and some that may not, hold secrets, plain and nested. */
const plantedFacts = (machine: string): Record<string, unknown> => ({
  ...Object.fromEntries(
    (SHOWN_FACTS[machine] ?? []).map((name) => [name, { token: MARK, text: ALL, list: [...CANARIES] }]),
  ),
  token: MARK,
  kubeconfig: MARK,
  machine: { name: `abcdef.${MARK}`, clusterName: `abcdef.${MARK}`, isControlPlane: true },
  failure: { kind: 'Api', message: ALL },
});

const planted = (machine: string, namespace: string, name: string): Explanation => ({
  machine,
  object: { kind: 'Machine', namespace, name, uid: 'u' },
  state: 'Done',
  stateMeaning: 'A state.',
  since: null,
  row: { id: 'X01', title: 'a row', description: 'A row.', requirements: [], guard: 'isReady' },
  facts: Object.fromEntries((SHOWN_FACTS[machine] ?? []).map((fact) => [fact, ALL])),
  waitsFor: { apiVersion: 'v1', kind: 'Secret', namespace, name: `abcdef.${MARK}`, what: ALL, remedy: ALL },
  lastError: { kind: 'Api', message: ALL, request: null } as never,
  nextLook: null,
  unblocks: ALL,
  warnings: [ALL],
});

beforeAll(async () => {
  browser = await openBrowser();
  const keep = (message: string, fields?: object): void =>
    void logged.push(`${message} ${JSON.stringify(fields ?? {})}`);
  ({ inspector, url } = await startPage({
    explain: planted,
    details: () => ({
      plural: 'machines',
      conditions: [{ type: 'Ready', status: 'False', reason: 'Refused', message: ALL, lastTransitionTime: '' }],
      events: [{ type: 'Warning', reason: 'Refused', message: ALL, count: 1, atMs: 0 }],
    }),
    log: { info: keep, warn: keep },
  }));
  for (const path of ['/stately', '/xstate-inspect', '/stately?actor=team-a/kubeadmconfig-x']) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
    sockets.push(socket);
    socket.on('message', (data) => frames.push(String(data)));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'xstate.inspecting' }));
  }
  for (const { id, rows } of ALL_TABLES)
    for (const row of rows.slice(0, 3))
      inspector.store.note(
        someNote(`${id}-x`, row.id, 'Before', row.target ?? 'After', {
          machine: id,
          facts: plantedFacts(id),
          waitsFor: { kind: 'Machine', name: 'other' },
        }),
      );
}, 60_000);

afterAll(async () => {
  for (const socket of sockets) socket.terminate();
  await browser?.close();
  await inspector.close();
});

describe('planted secrets', () => {
  test('answers and exports of every machine -> none', async () => {
    const paths = ALL_TABLES.flatMap(({ id }) => [
      `/api/actors/${id}/uid-${id}-x`,
      `/api/actors/${id}/uid-${id}-x/history.json`,
      ...['svg', 'mmd', 'puml', 'scxml', 'json'].map((extension) => `/charts/${id}.${extension}`),
    ]);
    const clusters = inspector.store.rows().map((row) => row.cluster);
    const lanes = clusters.map((cluster) => `/api/timeline?ns=team-a&cluster=${encodeURIComponent(cluster)}`);
    for (const path of [...paths, ...lanes, '/api/charts', '/api/status', '/text']) {
      const answer = await fetch(`${url}${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect([path, await answer.text()]).toEqual([path, expect.not.stringContaining(MARK)]);
    }
  });

  test('the stream: everything on connect and a change -> none', async () => {
    const abort = new AbortController();
    const reader = (await fetch(`${url}/api/stream`, { signal: abort.signal })).body?.getReader();
    inspector.store.note(
      someNote('machine-x', 'M24', '', 'Running', { machine: 'machine', facts: plantedFacts('machine') }),
    );
    let text = '';
    while (!text.includes('event: delta')) text += new TextDecoder().decode((await reader?.read())?.value);
    abort.abort();
    expect(text).toContain('team-a');
    expect(text).not.toContain(MARK);
  });

  test('both protocols, announced and live, one actor and all -> none', async () => {
    const isEnough = (): boolean =>
      ['@xstate.actor', '@xstate.snapshot', 'service.register', 'service.state'].every((type) =>
        frames.some((frame) => frame.includes(type)),
      );
    while (!isEnough()) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(frames.filter((frame) => frame.includes(MARK))).toEqual([]);
  });

  test('the page: list, detail with its folded parts, lanes -> none; and the words around them are there', async () => {
    if (browser === null) return;
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    for (const { id } of ALL_TABLES) {
      await page.goto(`${url}/?machine=${id}&actor=${id}/uid-${id}-x`);
      await page.waitForSelector('#part-events');
      const words = await page.content();
      expect(words).toContain('[removed]');
      expect(words).not.toContain(MARK);
    }
    await page.keyboard.press('t');
    await page.waitForSelector('#timeline:not([hidden])');
    expect(await page.content()).not.toContain(MARK);
    await page.close();
  });

  test('the log of the inspector -> none', () => {
    expect(logged.join('\n')).not.toContain(MARK);
  });
});
