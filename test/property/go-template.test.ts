import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { renderGoTemplate } from '../../src/bootstrap/go-template/go-template.js';
import { printedSeed, sized } from '../test-size.js';

const seed = printedSeed('go-template');
const runs = sized(3_000, 100_000);
const templates = (
  JSON.parse(readFileSync(new URL('../golden/go-template/cases.json', import.meta.url), 'utf8')) as {
    rows: readonly (readonly [string, string])[];
  }
).rows.map(([, template]) => template);

const piece = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{{-',
    '-}}',
    '"',
    '`',
    "'",
    '(',
    ')',
    '|',
    '.',
    '$',
    '$x',
    ':=',
    '=',
    ',',
    ' ',
    '\n',
    '%',
    '\\',
    '/*',
    '*/',
  ],
  ...[
    'end',
    'else',
    'if ',
    'range ',
    'with ',
    'define "a"',
    'template "a"',
    'block "b" .',
    'break',
    'continue',
    'nil',
    'true',
  ],
  ...[
    'printf "%*d"',
    'index ',
    'slice ',
    'and ',
    'or ',
    'call ',
    '1e9',
    '0x',
    '1i',
    "'c'",
    '\udcff',
    '\u2028',
    '__proto__',
    'é',
  ],
);

describe('go template: any text', () => {
  test(`templates: mutated (seed ${seed}) -> a text within the limit, or an error with the file's name`, () => {
    const mutated = fc
      .tuple(fc.constantFrom(...templates), fc.array(fc.tuple(fc.nat(), fc.nat(4), piece), { maxLength: 5 }))
      .map(([source, edits]) => {
        let template = source;
        for (const [at, cut, insert] of edits) {
          const place = at % (template.length + 1);
          template = template.slice(0, place) + insert + template.slice(place + cut);
        }
        return template;
      });
    fc.assert(
      fc.property(mutated, (template) => {
        const result = renderGoTemplate('/etc/x.conf', template, { controlPlane: { version: 'v1.34.0' } });
        if (result.kind === 'rendered') expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(1_048_576);
        else expect(result.message).toMatch(/^template: \/etc\/x\.conf|^rendered output exceeds/);
      }),
      { seed, numRuns: runs },
    );
  });

  test(`templates: text without delimiters (seed ${seed}) -> itself`, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('{{'));
        expect(renderGoTemplate('/f', text, {})).toEqual({ kind: 'rendered', text });
      }),
      { seed, numRuns: runs / 10 },
    );
  });
});
