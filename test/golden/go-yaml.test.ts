// YAML as sigs.k8s.io/yaml 1.6.0 prints it, and Go's Unicode tables.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { goYaml, type YamlValue } from '../../src/bootstrap/go-format/go-yaml.js';
import { unicodeRanges } from '../../src/bootstrap/go-format/unicode-tables.js';

const folder = join(import.meta.dirname, 'vectors');

interface YamlCase {
  readonly id: string;
  readonly value: YamlValue;
  readonly yaml: string;
}

const cases = JSON.parse(readFileSync(join(folder, 'yaml/cases.json'), 'utf8')) as readonly YamlCase[];
const tables = JSON.parse(readFileSync(join(folder, 'go-unicode.json'), 'utf8')) as Record<
  'printable' | 'letter' | 'digit',
  readonly (readonly [number, number])[]
>;

describe('Go YAML', () => {
  test.each(cases.map(({ id, value, yaml }) => [id, value, yaml] as const))(
    'goYaml: %s -> the text that Go prints',
    (_, value, yaml) => {
      expect(goYaml(value)).toBe(yaml);
    },
  );

  test.each(['printable', 'letter', 'digit'] as const)('Unicode: table %s -> the ranges of Go', (name) => {
    expect([...unicodeRanges(name)]).toEqual(tables[name].flat());
  });
});
