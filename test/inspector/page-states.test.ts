// What the page says when there is little to show: before the first answer, with nobody there, with the operator gone.

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './browser.js';
import { someNote, startPage } from './page-fixture.js';

// The browser shares two cores with other suites: a slow machine is no failure.
jest.setTimeout(60_000);

let browser: Browser | null = null;
beforeAll(async () => {
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
});

const NOBODY = { cluster: '', owner: '' };

/** Runs in the page: every kind of text with less contrast to what is behind it than WCAG 2 AA asks for. */
const FAINT = `(() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((v) => { const s = v / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const behind = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return parse(getComputedStyle(document.documentElement).backgroundColor);
  };
  const faint = new Set();
  for (const element of document.querySelectorAll('body *:not(svg *):not(script)')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!hasText || element.checkVisibility?.() === false) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    let opacity = 1;
    for (let each = element; each !== null; each = each.parentElement) opacity *= Number(getComputedStyle(each).opacity);
    if (ratio < 4.5 || opacity < 1) faint.add(element.tagName + '.' + element.className + ' ' + ratio.toFixed(2) + ' x ' + opacity);
  }
  return [...faint];
})()`;

async function open(url: string, more: object = {}): Promise<Page | null> {
  if (browser === null) return null;
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...more });
  await page.goto(url);
  return page;
}

describe('page: what it says when there is little to show', () => {
  test('no actor at all: list, detail and lanes -> say what they wait for', async () => {
    const { inspector, url } = await startPage();
    const page = await open(`${url}/?view=timeline`);
    if (page !== null) {
      await page.getByText('No object has an actor of kubeadmconfig yet.').waitFor();
      await page.getByText('Select an actor to see why it is where it is.').waitFor();
      await page.locator('#timeline', { hasText: 'No actor of a cluster yet' }).waitFor();
      await page.close();
    }
    await inspector.close();
  });

  test('a standby: nobody is there -> says that the actors are elsewhere', async () => {
    const { inspector, url } = await startPage({ status: () => ({ leader: false, identity: 'x' }) });
    const page = await open(url);
    if (page !== null) {
      await page.locator('#leader', { hasText: 'standby' }).waitFor();
      await page.locator('#list', { hasText: 'This operator is a standby' }).waitFor();
      await page.close();
    }
    await inspector.close();
  });

  test('an actor without a cluster: its lanes -> say that it has none', async () => {
    const { inspector, url } = await startPage();
    inspector.store.note(someNote('lonely', 'K11', '', 'WaitingInfra', { facts: { names: NOBODY, failure: null } }));
    const page = await open(`${url}/?actor=kubeadmconfig%2Fuid-lonely&view=timeline`);
    if (page !== null) {
      await page.locator('#timeline', { hasText: 'team-a/lonely belongs to no cluster yet' }).waitFor();
      await page.close();
    }
    await inspector.close();
  });

  test('a filter that nobody fits -> says so, and one button takes it away', async () => {
    const { inspector, url } = await startPage();
    inspector.store.note(someNote('c1-cp-x', 'K13', '', 'WaitingInfra'));
    const page = await open(`${url}/?filter=nobody`);
    if (page !== null) {
      await page.getByText('No actor fits the filter.').waitFor();
      await page.getByText('Clear the filter').click();
      await page.locator('.actor', { hasText: 'c1-cp-x' }).waitFor();
      expect(new URL(page.url()).searchParams.get('filter')).toBeNull();
      await page.close();
    }
    await inspector.close();
  });

  test('the operator goes away -> reconnecting, with the time of the state that is shown; everything stays readable', async () => {
    const { inspector, url } = await startPage();
    inspector.store.note(someNote('c1-cp-x', 'K13', '', 'WaitingInfra'));
    const page = await open(`${url}/?actor=kubeadmconfig%2Fuid-c1-cp-x`);
    if (page !== null) {
      await page.waitForSelector('tr.pick');
      await inspector.close();
      await page.locator('#live', { hasText: /reconnecting, showing the state of \d\d:\d\d:\d\d/ }).waitFor();
      expect(await page.getAttribute('.state.active', 'data-state')).toBe('WaitingInfra');
      await page.locator('.actor', { hasText: 'c1-cp-x' }).waitFor();
      await page.keyboard.press('t');
      await page.locator('#timeline', { hasText: 'The operator does not answer' }).waitFor();
      await page.close();
    } else await inspector.close();
  });

  test('back button: an actor, then another one -> the first one again', async () => {
    const { inspector, url } = await startPage();
    inspector.store.note(someNote('c1-cp-x', 'K13', '', 'WaitingInfra'));
    inspector.store.note(someNote('c1-cp-y', 'K13', '', 'WaitingInfra'));
    const page = await open(url);
    if (page !== null) {
      await page.locator('.actor', { hasText: 'c1-cp-x' }).click();
      await page.locator('.actor', { hasText: 'c1-cp-y' }).click();
      await page.locator('#detail h2', { hasText: 'c1-cp-y' }).waitFor();
      await page.goBack();
      await page.locator('#detail h2', { hasText: 'c1-cp-x' }).waitFor();
      expect(await page.getAttribute('.actor[aria-selected="true"]', 'aria-label')).toContain('c1-cp-x');
      await page.close();
    }
    await inspector.close();
  });

  test.each(['light', 'dark'] as const)(
    '%s: every text -> WCAG AA contrast to what is behind it',
    async (colorScheme) => {
      const { inspector, url } = await startPage();
      inspector.store.note(
        someNote('c1-cp-x', 'K13', '', 'WaitingInfra', { waitsFor: { kind: 'Cluster', name: 'c1' } }),
      );
      inspector.store.note(
        someNote('c1-cp-y', 'K80', '', 'Joining', {
          facts: { names: { cluster: 'c1', owner: 'y' }, failure: { kind: 'Api', message: 'planted' } },
        }),
      );
      const page = await open(`${url}/?actor=kubeadmconfig%2Fuid-c1-cp-y`, { colorScheme });
      if (page !== null) {
        await page.waitForSelector('tr.pick');
        await page.locator('tr.pick').first().click();
        await page.waitForSelector('#travel:not([hidden])');
        expect(await page.evaluate(FAINT)).toEqual([]);
        await page.close();
      }
      await inspector.close();
    },
  );
});
