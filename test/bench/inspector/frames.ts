// The page with 5,000 actors in a real browser: how soon rows are there, and how evenly frames come while everything moves.
//
// A frame's interval is what a person sees; on a machine without a graphics card that is busy elsewhere it says more of the
// machine than of the page. What the page itself does in a frame is measured beside it: all of its callbacks, by wrapping them.
import { existsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { ALL_TABLES } from '../../../src/charts/tables.js';
import { LAYOUTS } from '../../../src/charts/layouts.js';
import { PAGE_ASSETS } from '../../../src/cli/page-assets.js';
import type { Inspector } from '../../../src/inspector/inspector.js';
import { systemClock } from '../../../src/system.js';
import { makeInspector } from '../bench-inspector.js';
import { quantile } from '../micro/figure.js';

const ACTORS = 5000;
const LOADS = 5;
const SCENE_MS = 8000;
const CHANGES_PER_SECOND = 200;
const CHANGE_MS = 20;
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Order statistics, milliseconds. */
interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** What happened in one scene. */
export interface Scene {
  readonly name: string;
  readonly interval: Spread;
  readonly script: Spread;
  /** Processor time of the page's main thread in a frame, mean, milliseconds: what others on the machine take is not in it. */
  readonly cpu: { readonly script: number; readonly layout: number; readonly all: number };
}

/** The page's figures. */
export interface FrameFigures {
  readonly browser: string;
  readonly actors: number;
  readonly firstRowsMs: number;
  readonly scenes: readonly Scene[];
}

/** Runs in the page before its own script: notes when rows appear, and how long every callback of the page takes. */
const PROBE = `(() => {
  const bench = (window.__bench = { firstRowsMs: 0, intervals: [], scripts: [], isOn: false });
  const frame = window.requestAnimationFrame.bind(window);
  let scriptMs = 0, depth = 0;
  const timed = (run) => function (...args) {
    const startMs = performance.now();
    depth += 1;
    try { return run.apply(this, args); } finally {
      depth -= 1;
      if (depth === 0) scriptMs += performance.now() - startMs;
    }
  };
  window.requestAnimationFrame = (run) => frame(timed(run));
  const { setTimeout, setInterval } = window;
  window.setTimeout = (run, ...rest) => setTimeout(timed(run), ...rest);
  window.setInterval = (run, ...rest) => setInterval(timed(run), ...rest);
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (name, run, ...rest) {
    return add.call(this, name, typeof run === 'function' ? timed(run) : run, ...rest);
  };
  let lastMs = 0;
  const look = (nowMs) => {
    if (bench.firstRowsMs === 0 && document.querySelector('.actor') !== null)
      setTimeout(() => (bench.firstRowsMs ||= performance.now()));
    if (bench.isOn && lastMs > 0) {
      bench.intervals.push(nowMs - lastMs);
      bench.scripts.push(scriptMs);
    }
    scriptMs = 0;
    lastMs = nowMs;
    bench.step?.();
    frame(look);
  };
  frame(look);
})()`;

/** Measures; null when there is no browser. */
export async function measureFrames(note: (text: string) => void): Promise<FrameFigures | null> {
  const executablePath = process.env['CHROMIUM'] ?? CHROMIUM.find((path) => existsSync(path));
  if (executablePath === undefined) return null;
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  const inspector = populated();
  try {
    const server = await inspector.listen();
    if (server === null) throw new Error('the inspector does not listen');
    return await measureIn(browser, { inspector, url: server.url, note });
  } finally {
    await browser.close();
    await inspector.close();
  }
}

interface Stage {
  readonly inspector: Inspector;
  readonly url: string;
  readonly note: (text: string) => void;
}

async function measureIn(browser: Browser, { inspector, url, note }: Stage): Promise<FrameFigures> {
  note('page: first rows');
  const loads: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const page = await openPage(browser, url);
    loads.push(await page.evaluate<number>('window.__bench.firstRowsMs'));
    await page.close();
  }
  const page = await openPage(browser, `${url}/?actor=${encodeURIComponent('kubeadmconfig/uid-0')}`);
  const scenes: Scene[] = [];
  for (const [name, hasChanges, scrolls] of [
    ['at rest', false, false],
    ['scrolling', false, true],
    [`${CHANGES_PER_SECOND} changes/s`, true, false],
    [`${CHANGES_PER_SECOND} changes/s, scrolling`, true, true],
  ] as const) {
    note(`page: ${name}`);
    const endChanges = hasChanges ? startChanges(inspector) : () => undefined;
    scenes.push({ name, ...(await play(page, scrolls)) });
    endChanges();
  }
  const firstRowsMs = quantile(
    loads.toSorted((a, b) => a - b),
    0.5,
  );
  return { browser: `Chromium ${browser.version()}`, actors: ACTORS, firstRowsMs, scenes };
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(PROBE);
  await page.goto(url);
  // The page forbids to make functions of texts, so it is asked again and again.
  while (!(await page.evaluate<boolean>('window.__bench.firstRowsMs > 0'))) await page.waitForTimeout(20);
  return page;
}

/** One scene, after a second for the page to come to rest. */
async function play(page: Page, scrolls: boolean): Promise<Omit<Scene, 'name'>> {
  await page.evaluate(
    scrolls
      ? `{ const list = document.getElementById('list'); let by = 33;
           window.__bench.step = () => {
             if (list.scrollTop + list.clientHeight + by > list.scrollHeight || list.scrollTop + by < 0) by = -by;
             list.scrollTop += by;
           }; }`
      : 'window.__bench.step = null',
  );
  await page.waitForTimeout(1000);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const seconds = async (...names: readonly string[]): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.reduce((sum, { name, value }) => (names.includes(name) ? sum + value : sum), 0);
  };
  const spent = async () => ({
    script: await seconds('ScriptDuration'),
    layout: await seconds('LayoutDuration', 'RecalcStyleDuration'),
    all: await seconds('TaskDuration'),
  });
  const before = await spent();
  await page.evaluate('Object.assign(window.__bench, { intervals: [], scripts: [], isOn: true })');
  await page.waitForTimeout(SCENE_MS);
  const { intervals, scripts } = await page.evaluate<{ readonly intervals: number[]; readonly scripts: number[] }>(
    'Object.assign(window.__bench, { isOn: false })',
  );
  const after = await spent();
  await devtools.detach();
  const inFrame = (name: keyof typeof after): number =>
    ((after[name] - before[name]) * 1000) / Math.max(1, intervals.length);
  return {
    interval: spread(intervals),
    script: spread(scripts),
    cpu: { script: inFrame('script'), layout: inFrame('layout'), all: inFrame('all') },
  };
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
  };
}

function populated(): Inspector {
  const machines = ALL_TABLES.map((table) => ({ table, layout: LAYOUTS[table.id]! }));
  const inspector = makeInspector({ machines, assets: PAGE_ASSETS });
  for (let index = 0; index < ACTORS; index += 1) change(inspector, index, 0);
  return inspector;
}

/** Actors that move, evenly; gives what ends it. */
function startChanges(inspector: Inspector): () => void {
  let count = 0;
  const perTick = (CHANGES_PER_SECOND * CHANGE_MS) / 1000;
  const timer = setInterval(() => {
    for (let each = 0; each < perTick; each += 1) {
      count += 1;
      change(inspector, (count * 7919) % ACTORS, count);
    }
  }, CHANGE_MS);
  return () => clearInterval(timer);
}

const LIFE = ['WaitingInfra', 'WaitingCPInit', 'Joining', 'TokenMonitoring', 'Done'] as const;

/** The actor goes on in its life; now and then something fails, or waits. */
function change({ store }: Inspector, index: number, count: number): void {
  const at = (index + count) % LIFE.length;
  const cluster = `cluster-${index % 40}`;
  const nowMs = systemClock.nowMs();
  store.note({
    machine: 'kubeadmconfig',
    uid: `uid-${index}`,
    id: `team-${index % 5}/${cluster}-worker-${index}`,
    atMs: nowMs,
    event: 'OBSERVED',
    row: 'K33',
    from: count === 0 ? '' : (LIFE[(at + LIFE.length - 1) % LIFE.length] ?? ''),
    to: LIFE[at] ?? '',
    request: index % 9 === 0 ? 'storeJoinData' : null,
    sinceMs: nowMs,
    wakeAtMs: null,
    facts: {
      owner: 'Machine',
      isControlPlaneMachine: false,
      names: { cluster, owner: `${cluster}-worker-${index}` },
      failure: index % 50 === 0 ? { kind: 'Unreachable', message: 'connection to workload cluster refused' } : null,
    },
    waitsFor: index % 3 === 0 ? { kind: 'Cluster', name: cluster } : null,
  });
}
