// `visualize`: writes or checks the diagrams of every machine, from the finished layouts that the program carries.
//
// Laying out again needs a checkout (elkjs is a development dependency): there, `npm run generate` does it.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { CHART_EXTENSIONS, chartFiles, chartsReadme } from '../charts/files.js';
import { lintChart } from '../charts/lint.js';
import { chartOf } from '../charts/model.js';
import { LAYOUTS } from '../charts/layouts.js';
import { ALL_TABLES } from '../charts/tables.js';
import { fileProblem } from '../kube/file-problem.js';
import { CommandFailure } from './exit.js';

/** Every diagram by file name. */
export function allChartFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>([['README.md', chartsReadme(ALL_TABLES)]]);
  for (const table of ALL_TABLES) {
    const layout = LAYOUTS[table.id];
    if (layout === undefined)
      throw new CommandFailure(`${table.id} has no finished layout: run "npm run generate" in a checkout`);
    for (const [name, text] of chartFiles(table, layout)) files.set(name, text);
  }
  return files;
}

function check(folder: string, files: ReadonlyMap<string, string>): void {
  const findings = ALL_TABLES.flatMap((table) => lintChart(chartOf(table)));
  const stale = [...files].filter(
    ([name, text]) =>
      !existsSync(join(folder, name)) || readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n') !== text,
  );
  const problems = [
    ...findings,
    ...stale.map(([name]) => `${join(folder, name)} is stale: run visualize`),
    ...orphans(folder, files).map((name) => `${join(folder, name)}: no machine makes this file`),
  ];
  if (problems.length > 0) throw new CommandFailure(problems.join('\n'));
  process.stdout.write(`${files.size} files are fresh\n`);
}

/** Files that are no picture although they end like one. */
const OTHERS: ReadonlySet<string> = new Set(['package.json', 'tsconfig.json']);

function orphans(folder: string, files: ReadonlyMap<string, string>): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter(
    (name) =>
      !files.has(name) && !OTHERS.has(name) && CHART_EXTENSIONS.some((extension) => name.endsWith(`.${extension}`)),
  );
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    writeFileSync(path, text);
    process.stdout.write(`wrote ${path}\n`);
  }
}

/** The subcommand. */
export function visualizeCommand(): Command {
  return new Command('visualize')
    .description('write or check (--check) the diagrams of every machine')
    .option('--check', 'write nothing; exit 1 when a diagram is stale', false)
    .option('--out <folder>', 'folder of the diagrams', 'visualizations')
    .action(({ check: isCheck, out }: { readonly check: boolean; readonly out: string }) => {
      const files = allChartFiles();
      try {
        if (isCheck) check(out, files);
        else write(out, files);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
        throw new CommandFailure(`cannot ${isCheck ? 'read' : 'write'} ${out}: ${fileProblem(error)}`);
      }
    });
}
