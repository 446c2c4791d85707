// What we print as YAML parses back to the same value, with a parser that is not ours.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';

import { goYaml, type YamlValue } from '../../src/bootstrap/go-format/go-yaml.js';
import { sortKeys } from '../../src/bootstrap/go-format/yaml-key-order.js';
import { printedSeed, sized } from '../test-size.js';

// Left out, because Go itself does not keep them: U+0085 (folded away), U+2028 and U+2029 (line breaks in YAML 1.1 only).
/** For the full size; a small run takes seconds. */
const timeoutMs = 1_800_000;

const fragments = [
  ...'aZ019 -:#?!&*|>%@`"\'{}[],\\/=+.~_<$^();\t\n\réñ日😀\u00a0\u200b\ufeff\u0001\u0000\u001b',
  ': ',
  ' #',
  '- ',
  '\n\n',
  '  ',
  ' \n',
  '---',
  '...',
  'true',
  'null',
  'yes',
  'y',
  'N',
  '0x1f',
  '1.5',
  '012',
  '1_000',
  '12:30',
  '2026-01-02',
  '2026-01-02T03:04:05Z',
  '{{ ds.meta_data.hostname }}',
  'a sentence with several words in it ',
  'x'.repeat(40),
];
const text = fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join(''));
const key = fc.oneof(
  text,
  fc.constantFrom('a1', 'a2', 'a10', 'name', 'value', 'x-y', 'x.y', 'featureGates', '__proto__'),
);
const document = fc.letrec<{ value: YamlValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom<YamlValue>(null, true, false, 0, 1, -1, 22, 123456789, 1.5, -0.25, 1e21, 1234567.25, 1e-7),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members) as YamlValue),
  ),
})).value;

describe('Go YAML', () => {
  test(
    'goYaml: any value -> parses back to itself',
    () => {
      const seed = printedSeed('Go YAML round trip');
      fc.assert(
        fc.property(document, (value) => {
          const printed = goYaml(value);
          expect(parse(printed, { uniqueKeys: false })).toEqual(value);
        }),
        { seed, numRuns: sized(2000, 200_000) },
      );
    },
    timeoutMs,
  );

  test(
    'sortKeys: any keys in any order -> the same order, each key once',
    () => {
      const seed = printedSeed('Go YAML key order');
      fc.assert(
        fc.property(fc.uniqueArray(key, { maxLength: 12 }), fc.integer(), (keys, turn) => {
          const rotated = [...keys.slice(turn % (keys.length || 1)), ...keys.slice(0, turn % (keys.length || 1))];
          const sorted = sortKeys(keys);
          expect(sortKeys(rotated)).toEqual(sorted);
          expect([...sorted].sort()).toEqual([...keys].sort());
        }),
        { seed, numRuns: sized(500, 20_000) },
      );
    },
    timeoutMs,
  );
});
