// What documents tell people to type exists: flags, subcommands, scripts.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { DEMO_FLAGS } from '../../src/cli/demo-flags.js';
import { RUN_FLAGS } from '../../src/cli/run-flags.js';

const documents = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md') && name !== 'docs/krtt.md',
);
const read = (name: string): string => readFileSync(name, 'utf8');
const bundle = 'dist/kubeadm-bootstrap-operator.js';
const subcommands = ['run', 'demo', 'render', 'explain', 'visualize', 'version'];

/** Flags of the tools of others, and of our build scripts, that documents use. */
const OTHERS = [
  'against',
  'bootstrap',
  'build-arg',
  'cas',
  'from',
  'idle',
  'image',
  'max-semi-space-size',
  'optimize-for-size',
  'path',
  'provider-cmd',
  'release',
  'replicas',
  'rounds',
  'server-side',
  'spread',
  'tag',
  'type',
];

/** Flags that are not in the two tables: each subcommand says its own. */
const helpOf = (subcommand: string): string =>
  spawnSync(process.execPath, [bundle, subcommand, '--help'], { encoding: 'utf8' }).stdout;

describe('commands in documents', () => {
  test('flags: every flag that a document names -> is one of ours, or of a tool that it calls', () => {
    const own = new Set([
      ...[...RUN_FLAGS, ...DEMO_FLAGS].map(({ name }) => name),
      ...['render', 'explain', 'visualize', 'version'].flatMap((one) =>
        [...helpOf(one).matchAll(/--([a-z][a-z0-9-]+)/g)].map(([, name = '']) => name),
      ),
      'help',
      'version',
      ...OTHERS,
    ]);
    const unknown = documents.flatMap((name) =>
      [...read(name).matchAll(/(?<![\w-])--([a-z][a-z0-9-]+)/g)]
        .filter(([, flag = '']) => !own.has(flag))
        .map(([flag]) => `${name}: ${flag}`),
    );
    expect(unknown).toEqual([]);
  });

  test('flags.md: every flag of the program -> in the page', () => {
    const page = read('docs/flags.md');
    expect(
      RUN_FLAGS.filter(({ name }) => !page.includes(`\`${name.length === 1 ? '-' : '--'}${name}\``)).map(
        ({ name }) => name,
      ),
    ).toEqual([]);
  });

  test('inspector.md: every protocol, way to authenticate and path -> in the page, and served', () => {
    const page = read('docs/inspector.md');
    const source = ['inspector', 'server', 'routes'].map((name) => read(`src/inspector/${name}.ts`)).join('\n');
    const choices = RUN_FLAGS.filter(({ name }) => ['inspector-protocols', 'inspector-auth'].includes(name)).flatMap(
      (flag) => flag.choices ?? [],
    );
    expect(choices).toHaveLength(6);
    expect(choices.filter((word) => !page.includes(`| \`${word}\``))).toEqual([]);
    const paths = [...page.matchAll(/`(?:ws:\/\/\.\.\.)?(\/[a-z.-]*)`/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.filter((path) => !source.includes(path))).toEqual([]);
  });

  test('subcommands: every command line of the program -> calls one that exists', () => {
    const called = documents.flatMap((name) =>
      [...read(name).matchAll(/kubeadm-bootstrap-operator(?:\.js)? ([a-z]+)(?= |$)/gm)].map(([, word = '']) => ({
        name,
        word,
      })),
    );
    const commands = called.filter(
      ({ word }) => !/^(?:in|is|of|and|to|with|as|the|takes|serves|needs|page)$/.test(word),
    );
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter(({ word }) => !subcommands.includes(word))).toEqual([]);
  });

  test('scripts: every npm script and file of .ci that a document calls -> exists', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const missing = documents.flatMap((name) => [
      ...[...read(name).matchAll(/npm run ([a-z:]+)/g)]
        .filter(([, script = '']) => scripts[script] === undefined)
        .map(([command]) => `${name}: ${command}`),
      ...[...read(name).matchAll(/node (\.ci\/[\w/.-]+)/g)]
        .filter(([, file = '']) => !existsSync(file))
        .map(([command]) => `${name}: ${command}`),
    ]);
    expect(missing).toEqual([]);
  });
});
