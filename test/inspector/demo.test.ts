// The page beside the operator's real main job: API faults, and the operator is killed four times meanwhile.

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readFileSync } from 'node:fs';
import type { Explanation } from '../../machines/kit/explanation.js';
import { resources } from '../../src/api/names.js';
import type { KubeObject } from '../../src/kube/contract.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { clientOf } from '../worlds/world.js';
import { openBrowser } from './browser.js';
import { startDemo, type DemoProcess } from './demo-process.js';

// The browser shares two cores with other suites: a slow machine is no failure.
jest.setTimeout(180_000);

interface RecordedEvent extends KubeObject {
  readonly involvedObject: { readonly uid: string };
  readonly reason: string;
}

const MACHINE_FINALIZERS = ['machine.cluster.x-k8s.io'];
const WAIT_MS = 120_000;
const problems: string[] = [];
const foreign: string[] = [];
let browser: Browser | null = null;
let demo: DemoProcess | null = null;
let page: Page | null = null;

/** Runs in the page: where the selected actor is, as the detail says and as the chart shows it; both are drawn in one go. */
const PLACES = `(() => ({
  detail: document.querySelector('.standing b')?.textContent ?? '',
  chart: document.querySelector('.state.active')?.getAttribute('data-state') ?? '',
}))()`;

beforeAll(async () => {
  browser = await openBrowser();
  if (browser === null) return;
  demo = await startDemo(['--chaos', '7', '--clusters=2', '--controllers=all']);
  const { url } = demo;
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(WAIT_MS);
  page.on('console', (message) => {
    // A request that met the dead operator is what this is about; the browser reports it, and the page copes.
    if (message.type() === 'error' && !message.text().includes('net::ERR_')) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  await openWhole(page, url);
}, 180_000);

/** Waits for something that comes with time. Who asks while the operator is down between a crash and its next start asks again. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + WAIT_MS;
  let trouble: unknown;
  const asked = async (): Promise<boolean> =>
    isSo().catch((error: unknown) => {
      trouble = error;
      return false;
    });
  while (!(await asked())) {
    if (Date.now() > endMs) throw new Error('it does not come', { cause: trouble });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Opens the page as a person does: loads it again when the operator died in the middle of its files. */
async function openWhole(each: Page, url: string): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const isWhole = await each
      .goto(url)
      .then(() => each.waitForSelector('.actor', { timeout: 6_000 }))
      .then(() => true)
      .catch(() => false);
    if (isWhole) return;
  }
  throw new Error('the page does not load');
}

afterAll(async () => {
  await demo?.stop();
  await browser?.close();
});

describe('page beside `demo --chaos 7`', () => {
  test('a worker from its first state to its last: row, detail and chart -> move together, live, over crashes', async () => {
    if (page === null) return;
    await page.locator('.actor', { hasText: 'sample-1-worker-1' }).first().click();
    const seen = new Set<string>();
    const untilMs = Date.now() + WAIT_MS;
    while (!seen.has('Done') && Date.now() < untilMs) {
      const { detail, chart } = await page.evaluate<{ detail: string; chart: string }>(PLACES);
      expect(chart).toBe(detail);
      seen.add(chart);
    }
    expect(seen.size).toBeGreaterThan(1);
    expect(seen).toContain('Done');
    expect(await page.getAttribute('.actor[aria-selected="true"]', 'title')).toContain('Done, at rest');
  });

  test('counts: everybody arrives -> chips and badges on the chart say so', async () => {
    if (page === null || demo === null) return;
    const { output } = demo;
    await until(async () => output().includes('Chaos is over'));
    await page.waitForSelector('[data-word="state=Done"] b >> text="12"');
    expect(await page.textContent('[data-badge="Done"] text')).toBe('12');
    expect(await page.textContent('#totals')).toMatch(/^14 actors/);
  });

  test('filter: cluster and role -> only those, kept in the address and over a reload', async () => {
    if (page === null) return;
    const matching = 'sample-2-control-plane-';
    await page.keyboard.press('/');
    await page.keyboard.type('cluster=sample-2 role=control-plane');
    const names = page.locator('.actor .name');
    const isFiltered = async (): Promise<boolean> => {
      const texts = await names.allTextContents();
      return texts.length === 3 && texts.every((text) => text.includes(matching));
    };
    await until(isFiltered);
    expect(new URL(page.url()).searchParams.get('filter')).toBe('cluster=sample-2 role=control-plane');
    // Chaos drops the operator with its page now and then: whoever reloads at that moment tries again.
    const open = page;
    await until(async () => (await open.reload()) !== null);
    await until(isFiltered);
    await page.fill('#filter', '');
  });

  test('time travel: an entry of the history -> the chart of that moment, and back', async () => {
    if (page === null) return;
    // What happens after the last crash is remembered: a Machine is deleted then, and a token of the pool is looked at.
    await page.locator('#machines [data-machine="kubeadmconfig"]').click();
    await page.locator('.actor', { hasText: 'sample-1-pool' }).first().click();
    await page.waitForSelector('tr.pick');
    await page.locator('tr.pick').last().click();
    await page.waitForSelector('#travel:not([hidden])');
    const told = (await page.textContent('#travel b')) ?? '';
    expect(await page.getAttribute('.state.active', 'data-state')).toBe(told.split('→').at(-1)?.trim());
    await page.keyboard.press('Escape');
    await page.waitForSelector('#travel', { state: 'hidden' });
    expect(await page.evaluate<{ detail: string; chart: string }>(PLACES)).toMatchObject({ chart: 'TokenMonitoring' });
  });

  test.each([
    ['kubeadmconfig', 'sample-1-pool'],
    ['kubeadmconfig', 'sample-2-worker-1'],
    ['machine', 'sample-1-control-plane-0'],
    ['cluster-initialized', 'sample-1'],
  ])('why is it here: %s %s -> what `explain` answers', async (machine, name) => {
    if (page === null || demo === null) return;
    await page.locator(`#machines [data-machine="${machine}"]`).click();
    await page.locator('.actor', { hasText: name }).first().click();
    await page.waitForSelector('#why');
    const key = new URL(page.url()).searchParams.get('actor') ?? '';
    const kind = machine === 'cluster-initialized' ? 'cluster' : machine;
    const { url, explain } = demo;
    const answer = (each: Explanation) => {
      const { machine: id, object, state, stateMeaning, row, waitsFor, lastError, unblocks, facts, since } = each;
      const told = { id, object, state, stateMeaning, row, waitsFor, lastError, unblocks };
      // The others keep no snapshot, or look at workload clusters themselves: time and facts are of each look.
      return machine === 'kubeadmconfig' ? { ...told, facts, since } : told;
    };
    // Trouble lasts half a minute; what is asked in the middle of it may have moved on between the two answers.
    const answers: Explanation[] = [];
    await until(async () => {
      const explained = await explain(`${kind}/${name}`, 'demo');
      answers.push(explained);
      const { why } = (await (await fetch(`${url}/api/actors/${key}`)).json()) as { why: Explanation | null };
      return why !== null && JSON.stringify(answer(why)) === JSON.stringify(answer(explained));
    });
    const { stateMeaning, row, waitsFor, unblocks } = answers.at(-1) as Explanation;
    await page.locator('#why', { hasText: `${row.id} ${row.title}. ` }).waitFor();
    const shown = ((await page.textContent('#why')) ?? '').replace(/\s+/g, ' ');
    expect(shown).toContain(stateMeaning);
    expect(shown).toContain(`${row.id} ${row.title}. ${row.description}`);
    expect(shown).toContain(unblocks);
    expect(shown.includes('Waits for')).toBe(waitsFor !== null);
    if (waitsFor !== null)
      expect(shown).toContain(`${waitsFor.kind} ${waitsFor.namespace}/${waitsFor.name} ${waitsFor.what}`);
  });

  test('detail: conditions, a wake-up and lines for kubectl -> there, for the object that is shown', async () => {
    if (page === null) return;
    await page.locator('#machines [data-machine="kubeadmconfig"]').click();
    await page.locator('.actor', { hasText: 'sample-1-pool' }).first().click();
    await page.waitForSelector('#part-conditions');
    expect(await page.textContent('#part-conditions')).toContain('DataSecretAvailable');
    expect(await page.textContent('#wake')).toMatch(/^\d+[sm]$/);
    expect(await page.textContent('#part-terminal')).toContain('kubectl describe kubeadmconfigs -n demo sample-1-pool');
  });

  test('lanes: the timeline -> every actor of the cluster', async () => {
    if (page === null) return;
    await page.keyboard.press('t');
    await page.waitForSelector('[data-lane]');
    const names = await page.locator('[data-lane] .short').allTextContents();
    expect(names).toEqual(expect.arrayContaining(['control-plane-0', 'worker-2', 'pool']));
    await page.keyboard.press('t');
  });

  test('detail: Events of the object -> those that the API server has of it since the operator’s last start', async () => {
    if (page === null || demo === null) return;
    const client = clientOf(readFileSync(demo.kubeconfig, 'utf8'));
    const name = 'sample-2-worker-1';
    const target = { resource: resourceOf(resources.Machine), namespace: 'demo', name };
    // Somebody holds a Machine that is deleted: it is drained, and stays on the page with what was said of it.
    await client.mergePatch(target, { metadata: { finalizers: [...MACHINE_FINALIZERS, 'example.com/hold'] } });
    await client.delete(target);
    await page.locator('#machines [data-machine="machine"]').click();
    await page.locator('.actor', { hasText: name }).first().click();
    const key = new URL(page.url()).searchParams.get('actor') ?? '';
    await page.locator('#part-events li', { hasText: 'SuccessfulDrainNode' }).waitFor();
    const shown = (await page.locator('#part-events li b').allTextContents()).map((text) => text.replace('▲ ', ''));
    const { items } = await client.list<RecordedEvent>(resourceOf(resources.Event), { namespace: 'demo' });
    const written = items
      .filter(({ involvedObject }) => key === `machine/${involvedObject.uid}`)
      .map(({ reason }) => reason);
    expect(written).toEqual(expect.arrayContaining(shown));
    await client.close();
  });

  test('all of that time: console and network -> no error of the page, nothing but loopback', () => {
    expect(problems).toEqual([]);
    expect(foreign).toEqual([]);
    // The operator did crash: this was no fair weather.
    if (demo !== null) expect(demo.output()).toMatch(/crash|dropped|killed|restart/i);
  });
});
