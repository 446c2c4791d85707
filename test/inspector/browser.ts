// A real Chromium for tests of the page; null, with one line, where there is none.

import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Opens a browser that talks to loopback only. */
export async function openBrowser(): Promise<Browser | null> {
  const executablePath = PATHS.find((path) => existsSync(path));
  if (executablePath === undefined) {
    process.stdout.write('no Chromium here: the page is not tried in a browser\n');
    return null;
  }
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
