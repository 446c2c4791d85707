// `npm run bench`: measures this checkout, or any provider, and prints what it found. It judges nothing.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseBench, usage } from './arguments.js';
import { runMicro } from './micro/run.js';
import { systemLines, table } from './report.js';
import { runSystem } from './system/run.js';

const print = (text: string): void => void process.stdout.write(text);
const note = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

/** Runs what the command line asks for. */
export async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(usage);
  const wanted = parseBench(args);
  const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model ?? '' };
  print(`Node ${machine.node}, ${machine.cpus} x ${machine.cpu}\n`);
  const found: Record<string, unknown> = { at: new Date().toISOString(), machine, arguments: wanted };
  if (wanted.parts.includes('micro')) {
    const lines = await runMicro(note);
    found['micro'] = Object.fromEntries(lines.map(({ name, value, unit }) => [`${name} [${unit}]`, value]));
    print(
      table(
        'micro',
        lines.map(({ name, value, unit }) => [name, `${Number(value.toPrecision(4))} ${unit}`]),
      ),
    );
  }
  if (wanted.parts.includes('system')) {
    const figures = await runSystem({ ...wanted, note });
    found['system'] = figures;
    const how = wanted.spreadMs === 0 ? 'burst' : `spread over ${wanted.spreadMs / 1000} s`;
    print(table(`system: ${wanted.clusters} x (1+${wanted.workers}), ${how}`, systemLines(figures)));
  }
  if (wanted.json !== '') writeFileSync(wanted.json, `${JSON.stringify(found, null, 2)}\n`);
}

// What was started ends with us.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
