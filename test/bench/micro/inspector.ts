// What the inspector costs while 5,000 actors take turns at a steady pace: processor time, and how long the loop stands still.
//
// Three worlds in turns, so that all meet the same machine: without an inspector, with one that nobody looks at, with one that a
// viewer in another process reads, from its connection on. Processor time is this process's own.
import { spawn } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Host } from '../../../src/host/host.js';
import type { Inspector } from '../../../src/inspector/inspector.js';
import { actors, makeHost, pagelessInspector } from './actors.js';
import type { Figure } from './figure.js';

const ROUNDS = 3;
const TURNS_PER_TICK = 25;
const TICK_MS = 20;
const TICKS = 200;

/** Reads a stream until it is killed; says so when the first byte is there. */
const VIEWER = `const response = await fetch(process.argv[1]); const reader = response.body.getReader();
await reader.read(); process.stdout.write('.'); for (;;) if ((await reader.read()).done) break;`;

type Kind = 'none' | 'unwatched' | 'watched';

interface Cost {
  readonly cpuMs: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

/** The inspector's figures. */
export async function inspectorFigures(): Promise<readonly Figure[]> {
  const costs: Record<Kind, Cost[]> = { none: [], unwatched: [], watched: [] };
  const firstRows: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of ['none', 'unwatched', 'watched'] as const) {
      const { cost, firstRowsMs } = await play(kind);
      costs[kind].push(cost);
      if (firstRowsMs !== null) firstRows.push(firstRowsMs);
    }
  }
  const least = (kind: Kind, name: keyof Cost): number => Math.min(...costs[kind].map((cost) => cost[name]));
  const turns = TURNS_PER_TICK * TICKS;
  const perTurn = (kind: Kind): number => ((least(kind, 'cpuMs') - least('none', 'cpuMs')) * 1000) / turns;
  return [
    {
      name: `processor time of a turn, paced, ${actors} actors`,
      value: (least('none', 'cpuMs') * 1000) / turns,
      unit: 'us',
    },
    { name: 'added by an inspector without a viewer', value: perTurn('unwatched'), unit: 'us/turn' },
    { name: 'added by an inspector with a viewer', value: perTurn('watched'), unit: 'us/turn' },
    {
      name: 'loop stall p99, added without a viewer',
      value: least('unwatched', 'p99Ms') - least('none', 'p99Ms'),
      unit: 'ms',
    },
    {
      name: 'loop stall p99, added with a viewer',
      value: least('watched', 'p99Ms') - least('none', 'p99Ms'),
      unit: 'ms',
    },
    { name: 'loop stall, longest, with a viewer that connects', value: least('watched', 'worstMs'), unit: 'ms' },
    { name: `first rows of ${actors} at a viewer`, value: Math.min(...firstRows), unit: 'ms' },
  ];
}

async function play(kind: Kind): Promise<{ readonly cost: Cost; readonly firstRowsMs: number | null }> {
  const inspector = kind === 'none' ? null : pagelessInspector();
  const server = (await inspector?.listen()) ?? null;
  const host = makeHost(inspector);
  host.start();
  for (let index = 0; index < actors; index += 1) host.wake(`bench/actor-${index}`, { kind: 'sync' });
  await settled(host);
  globalThis.gc?.();
  const delay = monitorEventLoopDelay({ resolution: 2 });
  delay.enable();
  const before = process.cpuUsage();
  const viewer = kind === 'watched' && server !== null ? view(`${server.url}/api/stream`) : null;
  for (let tick = 0; tick < TICKS; tick += 1) {
    for (let turn = 0; turn < TURNS_PER_TICK; turn += 1)
      host.wake(`bench/actor-${(tick * TURNS_PER_TICK + turn) % actors}`, { kind: 'sync' });
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await settled(host);
  const used = process.cpuUsage(before);
  delay.disable();
  const firstRowsMs = (await viewer?.end()) ?? null;
  await close(host, inspector);
  const cpuMs = (used.user + used.system) / 1000;
  return { cost: { cpuMs, p99Ms: delay.percentile(99) / 1e6, worstMs: delay.max / 1e6 }, firstRowsMs };
}

async function settled(host: Host): Promise<void> {
  while (!host.isSettled) await new Promise((resolve) => setImmediate(resolve));
}

async function close(host: Host, inspector: Inspector | null): Promise<void> {
  await host.stop();
  await inspector?.close();
}

/** A viewer in a process of its own. `end` gives the time from its start to its first rows, the start of Node.js included. */
function view(url: string): { end(): Promise<number | null> } {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '-e', VIEWER, url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let firstMs: number | null = null;
  child.stdout.once('data', () => (firstMs = performance.now() - startMs));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    async end() {
      child.kill('SIGKILL');
      await ended;
      return firstMs;
    },
  };
}
