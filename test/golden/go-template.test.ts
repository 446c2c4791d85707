import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { textToBytes } from '../../src/bootstrap/go-format/go-string.js';
import { renderGoTemplate } from '../../src/bootstrap/go-template/go-template.js';
import type { TemplateData } from '../../src/bootstrap/go-template/values.js';

type Row = readonly [name: string, template: string, data: TemplateData, outcome: string, result: string];

const golden = JSON.parse(readFileSync(new URL('./go-template/cases.json', import.meta.url), 'utf8')) as {
  readonly data: TemplateData;
  readonly rows: readonly Row[];
};

/** What a row should be compared with: the output in base64, or the stage and words of the error. */
function actual([name, template, data]: Row): string {
  const result = renderGoTemplate(name, template, data === 0 ? golden.data : data);
  if (result.kind === 'failed') return `${result.stage}: ${result.message}`;
  return `ok: ${Buffer.from(textToBytes(result.text)).toString('base64')}`;
}

describe('go template: as Go', () => {
  // One test for each hundred rows: thousands of titles help nobody, a failure shows its rows.
  const groups = Array.from({ length: Math.ceil(golden.rows.length / 100) }, (_, group) => group);
  test.each(groups)('rows of hundred %i -> the output or the error of Go, byte for byte', (group) => {
    const wrong = golden.rows.slice(group * 100, group * 100 + 100).flatMap((row) => {
      const [, template, , outcome, expected] = row;
      const received = actual(row);
      return received === `${outcome}: ${expected}` ? [] : [{ template, expected: `${outcome}: ${expected}`, received }];
    });
    expect(wrong).toEqual([]);
  });

  test('rows: the table is there', () => {
    expect(golden.rows.length).toBeGreaterThan(4000);
  });
});
