// `visualize`: writes or checks the diagrams of every machine, from the finished layouts that the program carries.
//
// Laying out again needs a checkout (elkjs is a development dependency): there, `npm run visualize` does it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { chartFiles, chartsReadme } from '../charts/files.js';
import { lintChart } from '../charts/lint.js';
import { chartOf } from '../charts/model.js';
import { LAYOUTS } from '../charts/layouts.js';
import { ALL_TABLES } from '../charts/tables.js';
import { CommandFailure } from './exit.js';

/** Every diagram by file name. */
export function allChartFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>([['README.md', chartsReadme(ALL_TABLES)]]);
  for (const table of ALL_TABLES) {
    const layout = LAYOUTS[table.id];
    if (layout === undefined)
      throw new CommandFailure(`${table.id} has no finished layout: run "npm run visualize" in a checkout`);
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
  const problems = [...findings, ...stale.map(([name]) => `${join(folder, name)} is stale: run visualize`)];
  if (problems.length > 0) throw new CommandFailure(problems.join('\n'));
  process.stdout.write(`${files.size} files are fresh\n`);
}

/** The subcommand. */
export function visualizeCommand(): Command {
  return new Command('visualize')
    .description('write or check (--check) the diagrams of every machine')
    .option('--check', 'write nothing; exit 1 when a diagram is stale', false)
    .option('--out <folder>', 'folder of the diagrams', 'visualizations')
    .action(({ check: isCheck, out }: { readonly check: boolean; readonly out: string }) => {
      const files = allChartFiles();
      if (isCheck) {
        check(out, files);
        return;
      }
      mkdirSync(out, { recursive: true });
      for (const [name, text] of files) {
        const path = join(out, name);
        if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
        writeFileSync(path, text);
        process.stdout.write(`wrote ${path}\n`);
      }
    });
}
