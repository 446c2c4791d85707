// The command line of the stack's runner.
import { parseArgs } from 'node:util';
import { phases } from './phases.js';
import type { ProviderName } from './provider.js';

/** What was asked for. */
export interface StackArguments {
  readonly phases: readonly string[];
  readonly clusters: number;
  readonly controlPlanes: number;
  readonly workers: number;
  readonly topologies: number;
  readonly pools: number;
  readonly series: string;
  readonly providers: readonly ProviderName[];
  readonly idleMs: number;
  /** Where the figures go as JSON; empty for nowhere. */
  readonly json: string;
  /** Where logs go at the end; empty for nowhere. */
  readonly logs: string;
  readonly nodeFlags: readonly string[];
}

/** The short form: what CI plays. */
const short = { phases: 'create,pool,restart,delete', clusters: '1', 'control-planes': '1', workers: '1' };

/** How it is used. */
export const usage = `npm run test:stack -- [flags]
  --short                 one small cluster: ${short.phases}
  --nightly               two clusters of 3+2, one of them with a ClusterClass, all phases
  --phases A,B            some of ${Object.keys(phases).join(',')} (default: all)
  --clusters N            (default 1)
  --control-planes N      control planes of each cluster (default 3)
  --workers N             workers of each cluster (default 2)
  --topologies N          how many of the clusters have a ClusterClass (default 0)
  --pools N               how many of the clusters have a MachinePool (default 1)
  --series 1.13|1.14      of upstream's programs (default 1.13)
  --provider ours|go|both the bootstrap provider; both: one run after the other, and what they leave behind is compared (default ours)
  --idle SECONDS          how long the settled world is watched (default 60)
  --json FILE             also write the figures as JSON
  --logs FOLDER           keep the logs of all programs
  --node-flags "FLAGS"    flags for Node before the bundle, such as --cpu-prof
`;

/** Reads it; throws with one line for what is wrong. */
export function parseStack(args: readonly string[]): StackArguments {
  const isShort = args.includes('--short');
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      phases: { type: 'string', default: isShort ? short.phases : Object.keys(phases).join(',') },
      clusters: { type: 'string', default: short.clusters },
      'control-planes': { type: 'string', default: isShort ? short['control-planes'] : '3' },
      workers: { type: 'string', default: isShort ? short.workers : '2' },
      topologies: { type: 'string', default: '0' },
      pools: { type: 'string', default: '1' },
      series: { type: 'string', default: '1.13' },
      provider: { type: 'string', default: 'ours' },
      idle: { type: 'string', default: '60' },
      json: { type: 'string', default: '' },
      logs: { type: 'string', default: '' },
      'node-flags': { type: 'string', default: '' },
    },
  });
  const wanted = values.phases.split(',');
  const unknown = wanted.find((name) => phases[name] === undefined);
  if (unknown !== undefined) throw new Error(`--phases: no ${unknown}; want some of ${Object.keys(phases).join(', ')}`);
  if (!['ours', 'go', 'both'].includes(values.provider)) throw new Error('--provider: want ours, go or both');
  const clusters = whole('clusters', values.clusters, 1);
  return {
    phases: Object.keys(phases).filter((name) => wanted.includes(name)),
    clusters,
    controlPlanes: whole('control-planes', values['control-planes'], 1),
    workers: whole('workers', values.workers, 0),
    topologies: Math.min(clusters, whole('topologies', values.topologies, 0)),
    pools: Math.min(clusters, whole('pools', values.pools, 0)),
    series: values.series,
    providers: values.provider === 'both' ? ['go', 'ours'] : [values.provider as ProviderName],
    idleMs: whole('idle', values.idle, 0) * 1000,
    json: values.json,
    logs: values.logs,
    nodeFlags: values['node-flags'].split(' ').filter((flag) => flag !== ''),
  };
}

function whole(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min)
    throw new Error(`--${name}: want a whole number from ${min}, got ${text}`);
  return value;
}
