// What the inspector adds to the processor time of an operator's whole run: off, on, and on with somebody who looks, in turns.
//
// Processor time of a shared machine varies by more than what is looked for. So there is a second view: the share of samples that
// V8 took of the operator's stacks, in one more run of each kind.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../../worlds/operator-process.js';
import type { BenchArguments } from '../arguments.js';
import { cpuSeconds } from '../system/processes.js';
import { ownCommand } from '../system/provider.js';
import { runSystem } from '../system/run.js';
import { inspectorShare, type ProfileShare } from './profile.js';
import { startViewer } from './viewer.js';

const BUNDLE = 'dist/kubeadm-bootstrap-operator.js';

/** How an operator is run. */
export type Kind = 'off' | 'unwatched' | 'watched';
const KINDS: readonly Kind[] = ['off', 'unwatched', 'watched'];

/** One run's processor time, seconds: from the first object on, and with the start. */
export interface RunCost {
  readonly work: number;
  readonly whole: number;
  readonly peakMebibytes: number;
}

/** What was found. */
export interface Shares {
  readonly costs: Readonly<Record<Kind, readonly RunCost[]>>;
  readonly profiles: Readonly<Record<Exclude<Kind, 'off'>, ProfileShare>>;
}

/** Plays the same world again and again. */
export async function measureShares(wanted: BenchArguments, note: (text: string) => void): Promise<Shares> {
  const costs: Record<Kind, RunCost[]> = { off: [], unwatched: [], watched: [] };
  for (let round = 1; round <= wanted.rounds; round += 1) {
    for (const kind of KINDS) {
      note(`inspector ${kind}, round ${round} of ${wanted.rounds}`);
      costs[kind].push((await play(wanted, kind, null)).cost);
    }
  }
  const profiled = async (kind: Exclude<Kind, 'off'>): Promise<ProfileShare> => {
    note(`inspector ${kind}, with samples of its stacks`);
    const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'));
    try {
      const { startMs } = await play(wanted, kind, folder);
      const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
      return inspectorShare(join(folder, file), BUNDLE, startMs);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  return { costs, profiles: { unwatched: await profiled('unwatched'), watched: await profiled('watched') } };
}

interface Played {
  readonly cost: RunCost;
  /** From the start of the process to the first object. */
  readonly startMs: number;
}

async function play(
  { clusters, workers, spreadMs, casProvided }: BenchArguments,
  kind: Kind,
  profileFolder: string | null,
): Promise<Played> {
  let spawnedMs = 0;
  let startMs = 0;
  let whole = 0;
  let log = '';
  let viewer: Promise<() => Promise<void>> | null = null;
  const figures = await runSystem({
    ...{ clusters, workers, spreadMs, casProvided },
    command: commandOf(kind, profileFolder),
    idleMs: 0,
    isBrief: true,
    note() {
      if (startMs > 0) return;
      startMs = performance.now() - spawnedMs;
      if (kind === 'watched') viewer = inspectorUrl(log).then(startViewer);
    },
    beside(provider, file) {
      spawnedMs = performance.now();
      log = file;
      return Promise.resolve(async () => {
        whole = cpuSeconds(provider.pid);
        await (
          await viewer
        )?.();
        if (profileFolder !== null) await provider.stop();
      });
    },
  });
  return { cost: { work: figures.cpuSeconds.provider, whole, peakMebibytes: figures.peakMebibytes }, startMs };
}

function commandOf(kind: Kind, profileFolder: string | null): string {
  const command = kind === 'off' ? ownCommand.replace(/(--inspector-bind-address=)\S+/, '$1') : ownCommand;
  return profileFolder === null
    ? command
    : command.replace(/^node /, `node --cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${profileFolder} `);
}

/** Where the operator's inspector listens, from its log. */
async function inspectorUrl(log: string): Promise<string> {
  for (;;) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(inspectorLine(log))?.[0];
    if (url !== undefined) return url;
    await pause(20);
  }
}

function inspectorLine(log: string): string {
  return (
    readFileSync(log, 'utf8')
      .split('\n')
      .find((line) => line.includes('Inspector is open')) ?? ''
  );
}
