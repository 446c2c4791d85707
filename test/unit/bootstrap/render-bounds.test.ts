import { describe, expect, test } from '@jest/globals';
import { renderWorkerJoin } from '../../../src/bootstrap/bootstrap-data.js';
import type { RenderInput, RenderResult } from '../../../src/bootstrap/bootstrap-types.js';
import type { KubeadmConfigSpec, SpecFile } from '../../../src/bootstrap/spec-types.js';

const discovery = {
  bootstrapToken: {
    token: 'abcdef.0123456789abcdef',
    apiServerEndpoint: '10.0.0.1:6443',
    unsafeSkipCAVerification: true,
  },
};

function render(spec: KubeadmConfigSpec, values: Readonly<Record<string, string>> = {}): RenderResult {
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, btoa(value)]));
  const input: RenderInput = {
    spec: { joinConfiguration: { discovery }, ...spec },
    namespace: 'ns',
    cluster: { name: 'c', namespace: 'ns' } as RenderInput['cluster'],
    kubernetesVersion: 'v1.34.0',
    certificates: [],
    secrets: new Map([['s', { kind: 'found', data }]]) as unknown as RenderInput['secrets'],
    controlPlaneVersion: { kind: 'absent' },
    sizeLimitBytes: 0,
  };
  return renderWorkerJoin(input);
}

const template = (path: string, content: string): SpecFile =>
  ({ path, content, contentFormat: 'Template' }) as unknown as SpecFile;
const causeOf = (result: RenderResult): string =>
  result.kind === 'refused' ? result.cause : `data ${result.bytes.length}`;

describe('one rendering: bounded in total', () => {
  test('steps: files that stay within them alone, and not together -> the first beyond is named with the limit', () => {
    const files = Array.from({ length: 200 }, (_, index) => template(`/f${index}`, '{{range 90000}}{{end}}'));
    expect(causeOf(render({ files }))).toMatch(
      /^failed to render templates: failed to execute template for file "\/f\d+": .*: exceeded the limit of 150000 steps$/,
    );
  });

  test('escapes of long texts: -> paid for, so that the steps end them', () => {
    const content = '{{$t := printf "%900000s" "x"}}{{range 100}}{{$u := urlquery $t}}{{end}}';
    expect(causeOf(render({ files: [template('/a', content)] }))).toMatch(
      /exceeded the limit of 150000 steps$|characters$/,
    );
  });

  test('output: files of one megabyte each -> refused by what all may have', () => {
    const files = Array.from({ length: 20 }, (_, index) => template(`/f${index}`, '{{printf "%1000000s" "x"}}'));
    expect(causeOf(render({ files }))).toBe(
      'failed to render templates: failed to execute template for file "/f2": rendered output of all files exceeds the 2097152 byte limit',
    );
  });

  test.each(['cloud-config', 'ignition'] as const)(
    '%s: twenty megabytes of files -> refused before they are written',
    (format) => {
      const files = Array.from({ length: 20 }, (_, index) => ({ path: `/f${index}`, content: 'x'.repeat(1_000_000) }));
      expect(causeOf(render({ format, files } as unknown as KubeadmConfigSpec))).toMatch(
        /^the parts of the bootstrap data have 20000000 characters, more than the limit of 1572864 .*spec\.files\[0\] \(1000000 bytes\)/,
      );
    },
  );

  test('data above what a Secret holds: -> refused with the largest parts; what fits is made', () => {
    const files = (size: number) => [{ path: '/a', content: 'x'.repeat(size) }] as unknown as readonly SpecFile[];
    expect(causeOf(render({ files: files(1_040_000) }))).toMatch(/^data 104\d{4}$/);
    expect(causeOf(render({ files: files(1_048_576) }))).toMatch(
      /^bootstrap data has \d+ bytes, more than the limit of 1048564 that a Secret holds; largest parts: spec\.files\[0\]/,
    );
  });
});

describe('one rendering: far more than a Secret holds', () => {
  const field = 'bootstrap data would have at least';
  test.each([
    ['a file of line ends', 'cloud-config', { files: [{ path: '/a', content: '\n'.repeat(1_000_000) }] }],
    ['a file of quotes', 'ignition', { files: [{ path: '/a', content: '"'.repeat(1_000_000) }] }],
    ['a command of quotes', 'ignition', { preKubeadmCommands: ['"'.repeat(1_000_000)] }],
    ['more files than fit', 'ignition', { files: Array.from({ length: 20_000 }, () => ({ path: '/a' })) }],
    ['more mounts than fit', 'ignition', { mounts: Array.from({ length: 20_000 }, () => ['a', '/b']) }],
    ['more sudoers than fit', 'ignition', { users: Array.from({ length: 20_000 }, () => ({ name: 'a', sudo: 'b' })) }],
  ])('%s as %s: -> refused before it is written', (_, format, spec) => {
    const cause = causeOf(render({ format, ...spec } as unknown as KubeadmConfigSpec));
    expect(cause).toContain(field);
    expect(cause).toMatch(/more than the limit of 1048576 that a Secret holds; largest parts: spec\./);
  });

  test.each([
    ['a file of line ends', { files: [{ path: '/a', content: '\n'.repeat(1_500_000) }] }],
    ['a file of spaces', { files: [{ path: '/a', content: ' '.repeat(1_500_000) }] }],
    ['last commands that are empty', { postKubeadmCommands: Array.from({ length: 500_000 }, () => '') }],
    ['boot commands', { bootCommands: ['"'.repeat(1_500_000)] }],
    ['base64 that grows little', { files: [{ path: '/a', encoding: 'base64', content: 'YWFh'.repeat(340_000) }] }],
  ])('%s, of which Ignition keeps little: -> data', (_, spec) => {
    expect(causeOf(render({ format: 'ignition', ...spec } as unknown as KubeadmConfigSpec))).toMatch(/^data \d+$/);
  });
});

describe('Container Linux Config: what its parser has to do', () => {
  const clc = (additionalConfig: string): string =>
    causeOf(
      render({ format: 'ignition', ignition: { containerLinuxConfig: { additionalConfig } } } as KubeadmConfigSpec),
    );
  const limit =
    'spec.ignition.containerLinuxConfig.additionalConfig: building Ignition config: converting additional CLC to Ignition: ' +
    'error parsing Container Linux Config: error: yaml: it has more than 32768 names, values, marks and line ends outside of block texts';

  test.each([
    ['lists', '- a\n'],
    ['flow lists', '[a, '],
    ['mappings', 'a: b\n'],
    ['line ends', '\n'],
    ['brackets that nothing opened', ']'],
    ['comments', '# a\n'],
    ['block texts of one line', '- |\n  a\n'],
  ])('half a megabyte of %s: -> refused with the limit', (_, shape) => {
    const text = `${shape === '[a, ' ? '[' : ''}${(shape === '[a, ' ? 'a, ' : shape).repeat(100_000)}`;
    expect(clc(text.slice(0, 524_000))).toBe(limit);
  });

  test('half a megabyte of one block text: -> counts as one', () => {
    const head = 'storage:\n  files:\n  - path: /a\n    filesystem: root\n    contents:\n      inline: |\n';
    expect(clc(`${head}${'        - [a, b]: {c}\n'.repeat(23_000)}`)).toMatch(/^data \d+$/);
  });

  test('a thousand units of twenty lines: -> far below the limit', () => {
    const unit = `  - name: a.service\n    contents: |\n${'      #\n'.repeat(20)}`;
    expect(clc(`systemd:\n  units:\n${unit.repeat(1_000)}`)).toMatch(/^data \d+$/);
  });
});

describe('one rendering: contents of Secrets', () => {
  test.each([
    ['a function that is not defined', '{{TOPSECRET}}', ':1'],
    ['a broken action', 'a\n{{ "TOPSECRET', ':2'],
    ['a value that cannot be ranged over', 'a\n\n{{range "TOPSECRET"}}{{end}}', ':3:8'],
    ['a template that is not defined', '{{template "TOPSECRET"}}', ':1:11'],
    ['a wrong argument', '{{len 5 | printf "TOPSECRET" | index}}', ':1:2'],
  ])('template from a Secret: %s -> its place alone', (_, content, place) => {
    const files = [
      { path: '/a', contentFormat: 'Template', contentFrom: { secret: { name: 's', key: 'k' } } },
    ] as unknown as readonly SpecFile[];
    const result = render({ files }, { k: content });
    expect(JSON.stringify(result)).not.toContain('TOPSECRET');
    expect(causeOf(result)).toMatch(
      /^failed to render templates: failed to (parse|execute) template for file "\/a": template: \/a:\d/,
    );
    expect(causeOf(result)).toContain(
      `template: /a${place}: the content comes from a Secret, so the error is not shown`,
    );
  });

  test('template from a Secret that hits a bound: -> the bound is told', () => {
    const files = [
      { path: '/a', contentFormat: 'Template', contentFrom: { secret: { name: 's', key: 'k' } } },
    ] as unknown as readonly SpecFile[];
    expect(causeOf(render({ files }, { k: '{{range 9000000}}{{/*TOPSECRET*/}}{{end}}' }))).toMatch(
      /template: \/a:1:\d+: exceeded the limit of 150000 steps$/,
    );
  });
});
