// Takes the pictures of the README: the inspector's page while the demo runs. Needs Chromium; run by hand when the page changes.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const demo = spawn(
  process.execPath,
  [
    'dist/kubeadm-bootstrap-operator.js',
    'demo',
    '--output=json',
    '--clusters=3',
    '--controllers=all',
    '--inspector-bind-address=127.0.0.1:0',
    ...process.argv.slice(2),
  ],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const url = await new Promise((resolve) => {
  let text = '';
  demo.stdout.on('data', (data) => {
    text += data;
    const found = /"inspector":"(http[^"]+)"/.exec(text);
    if (found !== null) resolve(found[1]);
  });
});
mkdirSync('docs/images', { recursive: true });
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
async function shot(name, path, more, prepare) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...more });
  await page.goto(`${url}${path}`);
  await page.waitForSelector('.actor');
  await prepare(page);
  await page.screenshot({ path: `docs/images/${name}.png` });
  await page.close();
}

/** Selects an actor by a part of its name once it waits, and lets its reason appear. */
async function pickWaiting(page, name) {
  await page.locator('.actor[data-standing="waiting"]', { hasText: name }).first().click();
  await page.waitForSelector('#why dl');
}

await shot('inspector', '/', { colorScheme: 'light' }, (page) => pickWaiting(page, 'sample-1-control-plane-2'));
await shot('phone', '/', { colorScheme: 'dark', viewport: { width: 390, height: 780 } }, async (page) => {
  await pickWaiting(page, 'sample-2-worker-1');
  await page.locator('#panes').getByText('Chart').click();
});
await shot('timeline', '/?view=timeline', { colorScheme: 'dark' }, async (page) => {
  await page.locator('.actor', { hasText: 'sample-1-control-plane-1' }).first().click();
  await page.waitForSelector('.actor[aria-selected="true"][title*="at rest"]', { timeout: 120_000 });
  await page.waitForSelector('[data-lane^="machine/"] [data-state="Running"]', { timeout: 120_000 });
});
await browser.close();
demo.kill('SIGINT');
process.exit(0);
