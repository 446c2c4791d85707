// Flags of `demo`: its own, and all of `run`'s, whose listeners are off here unless they are asked for.

import type { FlagSpec } from './flag-types.js';
import { flagText, parseBool, parseDurationMs, readFlags, UsageError } from './flag-types.js';
import { parseConfig } from './config.js';
import { RUN_FLAGS, type ControllerName } from './run-flags.js';

/** The flags that only `demo` has. */
export const DEMO_FLAGS: readonly FlagSpec[] = [
  {
    name: 'exit',
    kind: 'bool',
    default: 'false',
    help: 'Stop when the world has settled: exit 0; exit 1 after --timeout.',
    own: true,
  },
  { name: 'timeout', kind: 'duration', default: '180s', help: 'How long --exit waits.', own: true },
  {
    name: 'filename',
    kind: 'string',
    default: '',
    short: 'f',
    help: 'File with manifests instead of the sample world (also -f).',
    own: true,
  },
  { name: 'clusters', kind: 'int', default: '1', help: 'Clusters of the sample world.', own: true },
  { name: 'workers', kind: 'int', default: '3', help: 'Workers of each cluster of the sample world.', own: true },
  {
    name: 'chaos',
    kind: 'string',
    default: '',
    help: 'Seed of API faults and crashes of the operator while it runs.',
    own: true,
  },
  {
    name: 'output',
    kind: 'string',
    default: 'text',
    choices: ['text', 'json'],
    short: 'o',
    help: 'Progress for people or for machines (also -o).',
    own: true,
  },
];

/** What `demo` was told. */
export interface DemoOptions {
  readonly exit: boolean;
  readonly timeoutMs: number;
  readonly file: string;
  readonly clusters: number;
  readonly workers: number;
  readonly chaosSeed: number | null;
  readonly output: 'text' | 'json';
  /** False when the inspector was turned off. */
  readonly hasInspector: boolean;
  /** Controllers that the operator runs; the simulated infrastructure leaves their work to it. */
  readonly controllers: readonly ControllerName[];
  /** Arguments for `run`. */
  readonly runArgs: readonly string[];
}

/** Listeners and lines that a demonstration does not need; a person's own choice comes later and wins. */
const RUN_DEFAULTS = [
  '--health-addr=',
  '--diagnostics-address=',
  '--feature-gates=KubeadmBootstrapFormatIgnition=true',
  '--v=0',
];

/** Nothing else makes bootstrap data in the demo: without the main controller no node would ever come up. */
function withMainJob(controllers: string): string {
  const words = controllers.split(',');
  return controllers === '' || words.includes('all') || words.includes('kubeadmconfig')
    ? controllers
    : `kubeadmconfig,${controllers}`;
}

/** Reads the command line. Throws UsageError. */
export function parseDemo(args: readonly string[]): DemoOptions {
  const { values: given, words } = readFlags([...DEMO_FLAGS, ...RUN_FLAGS], args);
  if (words[0] !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}: this command takes flags only`);
  const text = (name: string): string => {
    const spec = DEMO_FLAGS.find((flag) => flag.name === name);
    if (spec === undefined) throw new Error(`there is no flag ${name}`);
    return flagText(spec, given, {});
  };
  const chaos = text('chaos');
  if (chaos !== '' && !/^\d+$/.test(chaos))
    throw new UsageError(`invalid argument ${JSON.stringify(chaos)} for --chaos: want a number, the seed`);
  const count = (name: string, least: number): number => {
    const value = Number(text(name));
    if (value < least || value > 1000) throw new UsageError(`--${name}: want ${least} to 1000`);
    return value;
  };
  const own = new Set(DEMO_FLAGS.map((flag) => flag.name));
  const runArgs = [...given]
    .filter(([name]) => !own.has(name))
    .map(([name, value]) => `--${name}=${name === 'controllers' ? withMainJob(value) : value}`);
  const { controllers, inspector } = parseConfig([...RUN_DEFAULTS, ...runArgs], {});
  return {
    exit: parseBool(text('exit')) === true,
    timeoutMs: parseDurationMs(text('timeout')) ?? 180_000,
    file: text('filename'),
    clusters: count('clusters', 1),
    workers: count('workers', 0),
    chaosSeed: chaos === '' ? null : Number(chaos),
    output: text('output') as DemoOptions['output'],
    hasInspector: inspector.bindAddress !== '',
    controllers,
    runArgs: [...RUN_DEFAULTS, ...runArgs],
  };
}
