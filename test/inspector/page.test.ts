import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { Inspector } from '../../src/inspector/inspector.js';
import { detailsOf } from '../../src/cli/object-details.js';
import { until } from '../worlds/operator-process.js';
import { openBrowser } from './browser.js';
import { someFacts, someNote, startPage } from './page-fixture.js';

// The browser shares two cores with other suites: a slow machine is no failure.
jest.setTimeout(60_000);

let browser: Browser | null = null;
let inspector: Inspector;
let url = '';
const problems: string[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  const details = detailsOf(
    {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfig',
      metadata: { namespace: 'team-a', name: 'c1-cp-x', uid: 'uid-c1-cp-x' },
      status: {
        conditions: [{ type: 'DataSecretAvailable', status: 'False', reason: 'NotAvailable', message: 'soon' }],
      },
    } as never,
    'kubeadmconfigs',
    { about: () => [{ type: 'Warning', reason: 'LockHeld', message: 'by another Machine', count: 3, lastAtMs: 0 }] },
  );
  ({ inspector, url } = await startPage({ details: (_, __, name) => (name === 'c1-cp-x' ? details : null) }));
  for (let index = 0; index < 5000; index += 1) {
    const name = `c${index % 40}-${index % 6 === 0 ? 'cp' : 'md'}-${index}`;
    inspector.store.note(
      someNote(name, 'K13', '', 'WaitingInfra', {
        facts: someFacts(`c${index % 40}`, index % 6 === 0),
        atMs: index,
        sinceMs: index,
      }),
    );
  }
  inspector.store.note(someNote('c1-cp-x', 'K37', 'WaitingInfra', 'AcquiringLock', { request: 'acquireInitLock' }));
  inspector.store.note(someNote('c1-cp-x', 'K40', 'AcquiringLock', 'Initializing', { event: 'LOCK_ACQUIRED' }));
  inspector.store.note(
    someNote('c2-md-x', 'K80', '', 'Joining', {
      facts: someFacts('c2', false, { failure: { kind: 'Api', message: 'planted failure' } }),
    }),
  );
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await inspector.close();
});

/** Opens the page; every console error and every request that leaves loopback is a problem. */
async function openPage(path: string, viewport = { width: 1280, height: 900 }): Promise<Page | null> {
  if (browser === null) return null;
  const page = await browser.newPage({ viewport });
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on(
    'request',
    (request) => !request.url().startsWith(url) && !request.url().startsWith('data:') && problems.push(request.url()),
  );
  await page.goto(`${url}${path}`);
  await page.waitForSelector('.actor', { timeout: 30_000 });
  return page;
}

describe('page', () => {
  test('5,000 actors: the list -> virtual, worst first, no console error, nothing leaves loopback', async () => {
    const page = await openPage('/');
    if (page === null) return;
    expect(await page.textContent('#totals')).toMatch(/^5002 actors/);
    expect(await page.locator('.actor').count()).toBeLessThan(60);
    expect(await page.textContent('.actor[aria-posinset="1"]')).toMatch(/c2-md-x.*planted failure/);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('selection: an actor -> its chart state, last edge and history; time travel and back', async () => {
    const page = await openPage('/?actor=kubeadmconfig%2Fuid-c1-cp-x');
    if (page === null) return;
    await page.waitForSelector('tr.pick');
    expect(await page.getAttribute('.state.active', 'data-state')).toBe('Initializing');
    expect(await page.getAttribute('.edge.last', 'data-edge')).toBe('AcquiringLock->Initializing');
    await page.locator('tr.pick').nth(1).click();
    await page.waitForSelector('#travel:not([hidden])');
    expect(await page.getAttribute('.state.active', 'data-state')).toBe('AcquiringLock');
    await page.getByText('Back to live').click();
    await page.waitForSelector('#travel', { state: 'hidden' });
    expect(await page.getAttribute('.state.active', 'data-state')).toBe('Initializing');
    await page.close();
  });

  test('detail: conditions and Events of the object -> shown, with status, count and kubectl lines', async () => {
    const page = await openPage('/?actor=kubeadmconfig%2Fuid-c1-cp-x');
    if (page === null) return;
    await page.waitForSelector('#part-events');
    expect(await page.textContent('#part-events')).toMatch(/▲ LockHeld by another Machine \(×3\)/);
    expect(await page.textContent('#part-conditions')).toMatch(/✗DataSecretAvailable False · NotAvailable: soon/);
    expect(await page.textContent('#part-terminal')).toContain('kubectl describe kubeadmconfigs -n team-a c1-cp-x');
    await page.close();
  });

  test('keyboard: arrows, brackets, t and ? -> selection, time travel, lanes, help', async () => {
    const page = await openPage('/');
    if (page === null) return;
    await page.locator('#list').focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('.actor[aria-selected="true"][aria-posinset="1"]');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('.actor[aria-selected="true"][aria-posinset="2"]');
    await page.waitForSelector('tr.pick');
    await page.keyboard.press('[');
    await page.waitForSelector('#travel:not([hidden])');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#travel', { state: 'hidden' });
    await page.keyboard.press('t');
    await page.waitForSelector('#timeline:not([hidden]) [data-lane]');
    // In one go with the lanes: read at once, no clock has ticked since.
    expect(await page.locator('#timeline p.quiet').textContent()).toMatch(/ to the last one, \d+\S* ago\./);
    expect(new URL(page.url()).searchParams.get('view')).toBe('timeline');
    await page.keyboard.press('?');
    await page.waitForSelector('#help[open]');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.waitForSelector('#help', { state: 'hidden' });
    await page.close();
  });

  test('filter: words and fields -> kept in the URL and on the list', async () => {
    const page = await openPage('/');
    if (page === null) return;
    await page.keyboard.press('/');
    await page.keyboard.type('cluster=c1 role=control-plane state=initializing');
    // Asked from outside: the page's policy forbids the evaluation by which the browser would be asked again.
    await until(
      'one actor is listed',
      () => page.locator('.actor').count(),
      (count) => count === 1,
    );
    expect(page.url()).toContain('filter=cluster%3Dc1');
    expect(await page.locator('.actor').textContent()).toContain('c1-cp-x');
    await page.close();
  });

  test('live: a transition -> the row and the chart follow', async () => {
    const page = await openPage('/?actor=kubeadmconfig%2Fuid-c1-cp-x');
    if (page === null) return;
    await page.waitForSelector('.state.active[data-state="Initializing"]');
    inspector.store.note(someNote('c1-cp-x', 'K45', 'Initializing', 'Done', { event: 'LOCK_RELEASED' }));
    await page.waitForSelector('.state.active[data-state="Done"]');
    expect(await page.textContent('[data-badge="Done"] text')).toBe('1');
    await page.close();
  });

  test('a phone: 390 px -> nothing is wider than the screen but the chart’s own pane', async () => {
    const page = await openPage('/', { width: 390, height: 800 });
    if (page === null) return;
    for (const pane of ['Chart', 'Why', 'Actors']) {
      await page.locator('#panes').getByText(pane).click();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.close();
  });

  test('read-only: methods and foreign origins -> refused by the running server', async () => {
    expect((await fetch(`${url}/api/charts`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${url}/api/charts`, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect((await fetch(url)).headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});
