import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDifferential } from './arguments.js';
import { differencesOf } from './differences.js';
import { historyOf } from './plot.js';
import { judge, RULES } from './rules.js';
import { named, pemKey, type Names } from './texts.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

describe('random histories', () => {
  test('rules: each meant difference -> names a row of the parity page', () => {
    const page = readFileSync(join(root, 'docs/parity.md'), 'utf8');
    expect(RULES.map(({ row }) => row).filter((row) => !page.includes(`<a id="${row}"></a>`))).toEqual([]);
  });

  test('histories: one seed twice -> the same acts', () => {
    for (let seed = 1; seed <= 50; seed += 1) expect(historyOf(seed)).toEqual(historyOf(seed));
    expect(historyOf(1)).not.toEqual(historyOf(11));
  });

  test('histories: many seeds -> every act of chance is played', () => {
    const text = JSON.stringify(Array.from({ length: 400 }, (_, seed) => historyOf(seed)));
    const signs = [
      '"do":"restart"',
      '"do":"collect"',
      '"do":"forget"',
      '"version":"v1beta1"',
      'failureReason',
      'bootstrap-token-<token-id:',
      '"paused":true',
      'cluster.x-k8s.io/paused',
      'controlPlaneRef',
      'contentFormat',
      'kubeConfigPath',
      '"finalizers":["example.com/hold"]',
      'lock-information',
      'made by a user',
      'watch-filter":"red"',
      'no certificate',
    ];
    expect(signs.filter((sign) => !text.includes(sign))).toEqual([]);
  });

  test('pictures: a field that only one side has -> one difference with its path', () => {
    const found = differencesOf({ 'A/b': { c: { d: 1 } } }, { 'A/b': { c: { d: 1, e: 2 } } });
    expect(found).toEqual([{ of: 'A/b', path: 'c.e', ours: undefined, theirs: 2 }]);
  });

  test('judging: a difference that no rule allows, beside one that a rule does -> told, and the row counted', () => {
    const differences = [
      { of: 'KubeadmConfig/w', path: 'status.conditions.ActorState', ours: {}, theirs: undefined },
      { of: 'KubeadmConfig/w', path: 'spec.format', ours: 'ignition', theirs: undefined },
    ];
    const seen = { ours: {}, theirs: {}, manner: 'plain' } as const;
    expect(judge(differences, seen)).toEqual({ unexplained: [differences[1]], rows: ['actor-s-state'], end: null });
  });

  test('texts: tokens, certificates and hashes, plain, indented, in base64 and in a data URL -> their names', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const names: Names = {
      pems: new Map([[pemKey(pem.trim()), '<ca>']]),
      hashes: new Map([[`sha256:${'0'.repeat(64)}`, '<hash>']]),
      tokens: new Map([['abcdef.0123456789abcdef', '<token>']]),
      uids: new Map(),
      others: new Map(),
    };
    expect(named(`a\n  ${pem.replaceAll('\n', '\n  ')}`, names)).toContain('a\n  <ca>');
    expect(named(`x ${Buffer.from(pem).toString('base64')} y`, names)).toBe('x <base64 of <ca>> y');
    expect(named(`"data:,${encodeURIComponent(pem)}"`, names)).toContain('data:,<ca>');
    expect(named(`abcdef.0123456789abcdef bootstrap-token-abcdef`, names)).toBe('<token> bootstrap-token-<token>');
    expect(named(`sha256:${'0'.repeat(64)} sha256:${'1'.repeat(64)}`, names)).toBe('<hash> <hash of another CA>');
  });

  test('command line: seed and seeds -> the seeds that are played', () => {
    expect(parseDifferential(['--seed', '7']).seeds).toEqual([7]);
    expect(parseDifferential(['--seed', '7', '--seeds', '2']).seeds).toEqual([7, 8]);
    expect(parseDifferential([]).seeds).toHaveLength(20);
    expect(() => parseDifferential(['--seeds', 'x'])).toThrow('--seeds: want a whole number from 1, got x');
  });
});
