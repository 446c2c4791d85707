// The command line of the bench.
import { parseArgs } from 'node:util';
import { ownCommand } from './system/provider.js';

const PARTS = ['micro', 'system', 'inspector'] as const;

/** What was asked for. */
export interface BenchArguments {
  readonly parts: readonly (typeof PARTS)[number][];
  readonly clusters: number;
  readonly workers: number;
  readonly spreadMs: number;
  readonly command: string;
  /** Another provider's command line, measured right before; empty for none. */
  readonly against: string;
  readonly casProvided: boolean;
  readonly idleMs: number;
  /** Runs of each kind that the inspector's shares are medians of. */
  readonly rounds: number;
  /** Where the figures go as JSON; empty for nowhere. */
  readonly json: string;
}

/** How it is used. */
export const usage = `npm run bench -- [micro] [system] [inspector] [flags]     all parts when none is named
  --clusters N            clusters of the system and inspector benches, each with one control plane (default 20)
  --workers M             workers of each cluster (default 5)
  --spread 30s|burst      how the control planes become initialised (default burst)
  --provider-cmd LINE     any provider; {kubeconfig} stands for the file (default: this checkout's operator)
  --against LINE          another provider: the same world is played against it right before, and ratios are printed
  --cas provided|missing  whether the clusters' CAs are there already (default provided)
  --idle SECONDS          how long to watch the settled world (default 30)
  --rounds N              runs without, with and with a watched inspector, in turns (default 3; 0: its page only)
  --json FILE             also write the figures as JSON (default bench.json; empty for none)

npm run bench -- stack [flags]      the Go provider, then ours, in the real Cluster API stack; flags: npm run test:stack -- --help
`;

/** Reads it; throws with one line for what is wrong. */
export function parseBench(args: readonly string[]): BenchArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      clusters: { type: 'string', default: '20' },
      workers: { type: 'string', default: '5' },
      spread: { type: 'string', default: 'burst' },
      'provider-cmd': { type: 'string', default: ownCommand },
      against: { type: 'string', default: '' },
      cas: { type: 'string', default: 'provided' },
      idle: { type: 'string', default: '30' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'string', default: 'bench.json' },
    },
  });
  const parts = PARTS.filter((part) => positionals.includes(part) || positionals.length === 0);
  const unknown = positionals.find((word) => !PARTS.some((part) => part === word));
  if (unknown !== undefined) throw new Error(`there is no bench ${unknown}: want ${PARTS.join(', ')}`);
  if (!['provided', 'missing'].includes(values.cas)) throw new Error('--cas: want provided or missing');
  return {
    parts,
    clusters: whole('clusters', values.clusters, 1),
    workers: whole('workers', values.workers, 0),
    spreadMs: spread(values.spread),
    command: values['provider-cmd'],
    against: values.against,
    casProvided: values.cas === 'provided',
    idleMs: whole('idle', values.idle, 0) * 1000,
    rounds: whole('rounds', values.rounds, 0),
    json: values.json,
  };
}

function whole(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min)
    throw new Error(`--${name}: want a whole number from ${min}, got ${text}`);
  return value;
}

function spread(text: string): number {
  if (text === 'burst') return 0;
  const seconds = /^(\d+)s$/.exec(text)?.[1];
  if (seconds === undefined) throw new Error(`--spread: want burst or a time such as 30s, got ${text}`);
  return Number(seconds) * 1000;
}
