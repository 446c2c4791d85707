// `npm run bench`: measures this checkout, or any provider, and prints what it found. It judges nothing.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseBench, usage, type BenchArguments } from './arguments.js';
import { runInspector } from './inspector/run.js';
import { runMicro } from './micro/run.js';
import { ratioLines, systemLines, table } from './report.js';
import { runSystem, type SystemFigures } from './system/run.js';

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
  if (wanted.parts.includes('system')) Object.assign(found, await measureSystems(wanted));
  if (wanted.parts.includes('inspector')) found['inspector'] = await runInspector(wanted, { print, note });
  if (wanted.json !== '') writeFileSync(wanted.json, `${JSON.stringify(found, null, 2)}\n`);
}

/** The other provider, where one is named, then ours: back to back, each on a server of its own. */
async function measureSystems(wanted: BenchArguments): Promise<Readonly<Record<string, SystemFigures>>> {
  const how = wanted.spreadMs === 0 ? 'burst' : `spread over ${wanted.spreadMs / 1000} s`;
  const title = `${wanted.clusters} x (1+${wanted.workers}), ${how}, CAs ${wanted.casProvided ? 'provided' : 'to be made'}`;
  const measure = async (name: string, command: string): Promise<SystemFigures> => {
    const figures = await runSystem({ ...wanted, command, note });
    print(table(`${name}: ${title}`, systemLines(figures)));
    return figures;
  };
  if (wanted.against === '') return { system: await measure('system', wanted.command) };
  const against = await measure('against', wanted.against);
  const system = await measure('system', wanted.command);
  print(table(`ratios, system to against: ${title}`, ratioLines(system, against)));
  return { against, system };
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
