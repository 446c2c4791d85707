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
    '--clusters=4',
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
async function shot(name, path, more) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...more });
  await page.goto(`${url}${path}`);
  await page.waitForSelector('.actor');
  return { page, save: () => page.screenshot({ path: `docs/images/${name}.png` }) };
}
const first = await shot('inspector', '/', {});
await first.page.waitForTimeout(7000);
await first.page.locator('.actor').nth(2).click();
await first.page.waitForTimeout(800);
await first.save();
const second = await shot('timeline', '/?view=timeline', { colorScheme: 'dark' });
await second.page.waitForTimeout(9000);
await second.page.locator('.actor').first().click();
await second.page.waitForTimeout(800);
await second.save();
await browser.close();
demo.kill('SIGINT');
process.exit(0);
