import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { writeIgnition } from '../../src/bootstrap/ignition-writer.js';
import type { NodeData } from '../../src/bootstrap/node-data.js';
import { printedSeed, sized } from '../test-size.js';

const seed = printedSeed('ignition');
const runs = sized(800, 30_000);

const awkward = fc.constantFrom(
  ...[
    '',
    ' ',
    '~',
    'null',
    'a: b',
    'a #b',
    '- a',
    '[',
    '{}',
    '"',
    "'",
    '&a b',
    '*a',
    '!x y',
    '|',
    '>',
    '%',
    '@',
    '`',
    '\t',
    '\n',
  ],
  ...[
    '\r',
    '\u0085',
    '\u2028',
    '\u0000',
    '\udcff',
    '\ufeff',
    '😀',
    'é',
    '  x',
    'x\n',
    '{{ x }}',
    '__proto__',
    '../..',
    '0640',
    '1e9',
  ],
);
const text = fc.oneof(
  { weight: 3, arbitrary: awkward },
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const lines = fc.array(text, { maxLength: 4 }).map((parts) => parts.join('\n'));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** Absent members are left out, as in JSON. */
const record = <T extends Record<string, fc.Arbitrary<unknown>>>(members: T) =>
  fc
    .record(members)
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)));

const node = record({
  kubeadm: fc.constant({ mode: 'workerJoin', joinConfiguration: 'kind: JoinConfiguration\n' }),
  files: fc
    .array(
      record({
        path: fc.oneof(
          text,
          text.map((part) => `/${part}`),
        ),
        owner: maybe(text),
        permissions: maybe(fc.oneof(fc.constantFrom('0640', '0600', '640', '08'), text)),
        encoding: maybe(fc.constantFrom('base64', 'gzip', 'gzip+base64')),
        append: maybe(fc.boolean()),
        content: lines,
      }),
      { maxLength: 3 },
    )
    .map((files) => files.map((file, index) => ({ ...file, field: `spec.files[${index}]` }))),
  users: fc.array(
    record({
      name: text,
      passwd: maybe(text),
      gecos: maybe(text),
      groups: maybe(text),
      homeDir: maybe(text),
      shell: maybe(text),
      primaryGroup: maybe(text),
      lockPassword: maybe(fc.boolean()),
      sudo: maybe(lines),
      sshAuthorizedKeys: maybe(fc.array(text, { maxLength: 3 })),
    }),
    { maxLength: 2 },
  ),
  bootCommands: fc.constant([]),
  preKubeadmCommands: fc.array(lines, { maxLength: 3 }),
  postKubeadmCommands: fc.array(lines, { maxLength: 2 }),
  verbosityFlag: fc.constantFrom('', '--v 5'),
  ntp: maybe(record({ enabled: maybe(fc.boolean()), servers: maybe(fc.array(text, { maxLength: 2 })) })),
  diskSetup: maybe(
    record({
      partitions: maybe(
        fc.array(record({ device: text, layout: maybe(fc.boolean()), overwrite: maybe(fc.boolean()) }), {
          maxLength: 2,
        }),
      ),
      filesystems: maybe(
        fc.array(
          record({
            device: text,
            filesystem: text,
            label: maybe(text),
            extraOpts: maybe(fc.array(text, { maxLength: 2 })),
          }),
          {
            maxLength: 2,
          },
        ),
      ),
    }),
  ),
  mounts: fc.array(fc.array(text, { maxLength: 4 }), { maxLength: 2 }),
}) as unknown as fc.Arbitrary<NodeData>;

const corpus = (
  JSON.parse(readFileSync(new URL('../golden/ignition/container-linux-configs.json', import.meta.url), 'utf8')) as {
    cases: readonly { readonly text: string }[];
  }
).cases.map((given) => given.text);

describe('ignition: any input', () => {
  test(`node: random values (seed ${seed}) -> data of one shape, or a refusal that names the field`, () => {
    fc.assert(
      fc.property(node, (given) => {
        const answer = writeIgnition(given);
        if (answer.kind === 'invalid') {
          expect(answer.field).toMatch(/^(spec\.|certificate )/);
          expect(answer.message.startsWith(`${answer.field}: `)).toBe(true);
          return;
        }
        const written = JSON.parse(Buffer.from(answer.bytes).toString()) as {
          storage: { files: { path: string; mode?: number; contents: { source: string } }[] };
          systemd: { units: unknown[] };
        };
        const own = written.storage.files.filter((file) => given.files.some(({ path }) => path.trim() === file.path));
        for (const file of own) expect(file.contents.source).toMatch(/^data:,[A-Za-z0-9\-_.!~*'()%]*$/);
        expect(written.storage.files.length).toBeGreaterThanOrEqual(given.files.length + 2);
        expect(written.systemd.units.length).toBeGreaterThanOrEqual(given.mounts.length + 1);
        expect(answer.contributors.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(answer.bytes.length);
      }),
      { seed, numRuns: runs },
    );
  });

  test(`additionalConfig: mutated texts (seed ${seed}) -> data, or a refusal that names the field`, () => {
    const mutated = fc
      .tuple(fc.constantFrom(...corpus), fc.array(fc.tuple(fc.nat(), fc.nat(6), text), { maxLength: 4 }), fc.boolean())
      .map(([source, edits, strict]) => {
        let additionalConfig = source;
        for (const [at, cut, insert] of edits) {
          const place = at % (additionalConfig.length + 1);
          additionalConfig = additionalConfig.slice(0, place) + insert + additionalConfig.slice(place + cut);
        }
        return { additionalConfig, strict };
      });
    fc.assert(
      fc.property(mutated, (containerLinuxConfig) => {
        const answer = writeIgnition({
          kubeadm: { mode: 'init', clusterConfiguration: 'a: b\n', initConfiguration: 'c: d\n' },
          files: [],
          users: [],
          bootCommands: [],
          preKubeadmCommands: [],
          postKubeadmCommands: [],
          verbosityFlag: '',
          mounts: [],
          ignition: { containerLinuxConfig },
        });
        if (answer.kind === 'invalid') expect(answer.field).toBe('spec.ignition.containerLinuxConfig.additionalConfig');
        else expect(() => JSON.parse(Buffer.from(answer.bytes).toString()) as unknown).not.toThrow();
      }),
      { seed, numRuns: runs },
    );
  });
});
