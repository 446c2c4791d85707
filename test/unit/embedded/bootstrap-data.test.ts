import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { readBootstrapData } from '../../../src/embedded/infrastructure/node/bootstrap-data.js';

const folder = join(import.meta.dirname, '../../golden/vectors');

interface Vector {
  readonly id: string;
  readonly title: string;
  readonly input: { readonly mode?: string };
  readonly expected?: { readonly format?: string; readonly valueBase64?: string };
}

function vectors(): Vector[] {
  return readdirSync(folder)
    .filter((name) => /^kc-vec-\d+\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Vector)
    .filter(({ expected }) => expected?.valueBase64 !== undefined);
}

describe('bootstrap data as a node reads it', () => {
  test('golden vectors: every cloud-config and Ignition the Go provider makes -> runs kubeadm as meant', () => {
    const unread: string[] = [];
    for (const { id, title, input, expected } of vectors()) {
      const data = Buffer.from(expected?.valueBase64 ?? '', 'base64').toString('utf8');
      const plan = readBootstrapData(expected?.format ?? '', data);
      const wanted = input.mode?.startsWith('init') === true ? 'init' : 'join';
      if ('problem' in plan || (input.mode !== undefined && plan.action !== wanted)) unread.push(`${id} ${title}`);
    }
    // The Go provider does not quote these strings: what it writes is no YAML, and no node could boot from it.
    expect(unread.map((line) => line.slice(0, 10))).toEqual(['kc-vec-315', 'kc-vec-511', 'kc-vec-541']);
  });

  test.each([
    ['', 'hello', /no cloud-config/],
    ['cloud-config', '#cloud-config\nruncmd:\n  - echo\n', /no command runs kubeadm/],
    ['cloud-config', '#cloud-config\nruncmd:\n  - kubeadm join --config /x\n', /not among the files/],
    [
      'cloud-config',
      '#cloud-config\nwrite_files:\n- path: /x\n  content: "kind: InitConfiguration"\nruncmd:\n- kubeadm join --config /x\n',
      /no JoinConfiguration/,
    ],
    ['cloud-config', '#cloud-config\n: : :\n  - [', /cannot be read/],
    ['ignition', '{}', /no Ignition config/],
    ['ignition', '{', /cannot be read/],
    ['other', '', /unknown bootstrap data format/],
  ])('format %j, data %j: -> a reason, not a node', (format, data, why) => {
    expect(readBootstrapData(format, data)).toEqual({ problem: expect.stringMatching(why) });
  });
});
