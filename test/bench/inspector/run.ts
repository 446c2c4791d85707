// The inspector's part of the bench: what it costs an operator, and how its page moves in a browser.
import { quantile } from '../micro/figure.js';
import type { BenchArguments } from '../arguments.js';
import { table, type Line } from '../report.js';
import { measureFrames, type FrameFigures } from './frames.js';
import { measureShares, type Kind, type RunCost, type Shares } from './shares.js';

/** Measures, prints tables, and gives the figures. */
export async function runInspector(
  wanted: BenchArguments,
  { print, note }: { readonly print: (text: string) => void; readonly note: (text: string) => void },
): Promise<{ readonly shares: Shares | null; readonly frames: FrameFigures | null }> {
  const shares = wanted.rounds === 0 ? null : await measureShares(wanted, note);
  const size = `${wanted.clusters} x (1+${wanted.workers})`;
  if (shares !== null) print(table(`inspector: what it adds to the operator's run, ${size}`, shareLines(shares)));
  const frames = await measureFrames(note);
  if (frames === null) print('\ninspector: no Chromium here, the page is not measured\n');
  else print(table(`inspector: its page in ${frames.browser}, ${frames.actors} actors`, frameLines(frames)));
  return { shares, frames };
}

const middle = (values: readonly number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function shareLines({ costs, profiles }: Shares): readonly Line[] {
  const of = (kind: Kind, name: keyof RunCost): number => middle(costs[kind].map((cost) => cost[name]));
  const seconds = (kind: Kind): string =>
    `${of(kind, 'work').toFixed(2)} s (${costs[kind].map(({ work }) => work.toFixed(2)).join(', ')}), start included ${of(kind, 'whole').toFixed(2)} s`;
  const added = (kind: Kind): string => percent(of(kind, 'work') / of('off', 'work') - 1);
  const profile = (kind: 'unwatched' | 'watched'): string => {
    const { inspectorMs, busyMs } = profiles[kind];
    return `${percent(inspectorMs / (busyMs - inspectorMs))} (${inspectorMs.toFixed(0)} of ${busyMs.toFixed(0)} ms)`;
  };
  return [
    ['processor time without an inspector, median', seconds('off')],
    ['with one that nobody looks at', seconds('unwatched')],
    ['with a viewer', seconds('watched')],
    ['added, nobody looks', added('unwatched')],
    ['added, with a viewer', added('watched')],
    ['added by samples of stacks, nobody looks', profile('unwatched')],
    ['added by samples of stacks, with a viewer', profile('watched')],
    [
      'peak RSS: without, unwatched, with a viewer',
      (['off', 'unwatched', 'watched'] as const).map((kind) => of(kind, 'peakMebibytes').toFixed(0)).join(', ') +
        ' MiB',
    ],
  ];
}

function frameLines({ firstRowsMs, scenes }: FrameFigures): readonly Line[] {
  const ms = (value: number): string => `${value.toFixed(1)}`;
  return [
    ['navigation to the first rows, median', `${firstRowsMs.toFixed(0)} ms`],
    ...scenes.flatMap((scene): readonly Line[] => [
      [
        `${scene.name}: frame interval p50, p95, p99, longest`,
        `${[scene.interval.p50, scene.interval.p95, scene.interval.p99, scene.interval.max].map(ms).join(', ')} ms`,
      ],
      [
        `${scene.name}: the page's own script in a frame p50, p99, longest`,
        `${[scene.script.p50, scene.script.p99, scene.script.max].map(ms).join(', ')} ms`,
      ],
      [
        `${scene.name}: processor time of a frame: script, style and layout, whole main thread`,
        `${[scene.cpu.script, scene.cpu.layout, scene.cpu.all].map((value) => value.toFixed(2)).join(', ')} ms`,
      ],
    ]),
  ];
}
