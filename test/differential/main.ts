// `npm run test:differential`: random histories on two real API servers, one with another provider, one with ours.
//
// Exit code 1 when a difference is found that no row of docs/parity.md allows.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goCommand, parseDifferential, usage, type DifferentialArguments } from './arguments.js';
import { mannerOf, type Manner } from './history.js';
import { makeMaterial, type Material } from './material.js';
import { play, type Played, type Sides } from './play.js';
import { historyOf } from './plot.js';
import { reportOf, summaryOf } from './report.js';
import { shrink } from './shrink.js';
import { startSide } from './side.js';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const note = (text: string): void => void process.stderr.write(`differential: ${text}\n`);

/** Histories of a manner are played together: the provider's flags are theirs. */
const MANNERS: readonly Manner[] = ['plain', 'short-ttl', 'filter'];

async function main(args: readonly string[]): Promise<boolean> {
  if (args.includes('--help')) {
    print(usage);
    return true;
  }
  const wanted = parseDifferential(args);
  const startedMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'differential-'));
  const against = wanted.against === '' ? goCommand(process.env['GO_PROVIDER'] ?? '') : wanted.against;
  const [ours, theirs] = await Promise.all([
    startSide('ours', wanted.command, folder),
    startSide('theirs', against, folder),
  ]);
  const sides: Sides = { ours, theirs, patienceMs: wanted.patienceMs };
  const material = await makeMaterial();
  try {
    const played = await playAll(sides, wanted, material);
    const failing = played.filter(({ end }) => end === 'differs' || end === 'failed');
    for (const [index, one] of failing.entries()) {
      const small = index < wanted.shrink && one.end === 'differs' ? await shrink(sides, one, material, note) : one;
      print(reportOf(small));
    }
    print(summaryOf(played, Math.round((performance.now() - startedMs) / 1000)));
    if (failing.length > 0) note(`logs of the providers: ${folder}`);
    if (wanted.json !== '')
      writeFileSync(
        wanted.json,
        JSON.stringify(
          played.map((each) => ({ ...each, rows: [...each.rows] })),
          null,
          1,
        ),
      );
    return failing.length === 0;
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
  }
}

async function playAll(sides: Sides, wanted: DifferentialArguments, material: Material): Promise<readonly Played[]> {
  const played: Played[] = [];
  for (const manner of MANNERS) {
    const seeds = wanted.seeds.filter((seed) => mannerOf(seed) === manner);
    if (seeds.length === 0) continue;
    note(`${seeds.length} histories, ${manner}`);
    await Promise.all([sides.ours.start(manner), sides.theirs.start(manner)]);
    let next = 0;
    const run = async (): Promise<void> => {
      for (let seed = seeds[next++]; seed !== undefined; seed = seeds[next++]) {
        const one = await play(sides, historyOf(seed), `h${seed}`, material);
        played.push(one);
        if (one.end === 'differs' || one.end === 'failed') note(`seed ${seed}: ${one.end}`);
        if (played.length % 50 === 0) note(`${played.length} of ${wanted.seeds.length}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(wanted.parallel, seeds.length) }, run));
  }
  return played;
}

// What was started ends with us.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

main(process.argv.slice(2)).then(
  (isGood) => process.exit(isGood ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`differential: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
