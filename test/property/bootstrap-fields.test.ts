// The table of fields and their readers is true: a field that is read somewhere changes the data there or is refused; one
// that is not leaves the data as it is, and is never refused.
import { describe, expect, test } from '@jest/globals';

import { isRead, specFields, type ReadingContext } from '../../src/bootstrap/field-reads.js';
import type { OfflineResult } from '../../src/bootstrap/offline.js';
import { isNightly } from '../test-size.js';
import { contexts, evaluateSpec, fullSpecs } from './full-spec.js';

/** One place in a spec: the way there, and the field it belongs to. */
interface Place {
  readonly field: string;
  readonly way: readonly (string | number)[];
  readonly value: unknown;
}

function placesOf(value: unknown, way: readonly (string | number)[] = [], field = ''): readonly Place[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => placesOf(item, [...way, index], `${field}[]`));
  if (typeof value !== 'object' || value === null) return [{ field, way, value }];
  const isMap = field.endsWith('featureGates') || field.endsWith('authProvider.config');
  return Object.entries(value).flatMap(([name, member]) => {
    const part = isMap ? '*' : name;
    return placesOf(member, [...way, name], field === '' ? part : `${field}.${part}`);
  });
}

const otherTexts: Readonly<Record<string, string>> = {
  base64: 'gzip+base64',
  NoSchedule: 'NoExecute',
  '0640': '0600',
  ext4: 'xfs',
  Raw: 'Template',
  '1m': '2m',
  'Y2E=': 'Y2I=',
  'aGk=': 'aG8=',
  'cloud-config': 'ignition',
  ignition: 'cloud-config',
};

function anotherValue(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  const text = String(value);
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return text.replace('2026', '2027');
  if (/^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(text)) return `${text.slice(0, -1)}0`;
  return otherTexts[text] ?? (text.includes('\n') ? text.replace('extra', 'other') : `${text}x`);
}

function withValue(
  spec: object,
  way: readonly (string | number)[],
  change: (parent: never, last: never) => void,
): unknown {
  // Not structuredClone: parts that the specs share would stay shared.
  const copy: unknown = JSON.parse(JSON.stringify(spec));
  const parent = way.slice(0, -1).reduce((at: unknown, part) => (at as Record<string | number, unknown>)[part], copy);
  change(parent as never, way.at(-1) as never);
  return copy;
}

/** The spec with another value in this place, and without one. */
function variantsOf(spec: object, { way, value }: Place): readonly unknown[] {
  const other = withValue(spec, way, (parent: Record<string, unknown>, last: string) => {
    parent[last] = anotherValue(value);
  });
  const isItem = typeof way.at(-1) === 'number';
  if (isItem) return [other];
  const without = withValue(spec, way, (parent: Record<string, unknown>, last: string) => {
    delete parent[last];
  });
  return [other, without];
}

function outcome(result: OfflineResult): string {
  return result.kind === 'data' ? Buffer.from(result.bytes).toString('latin1') : `${result.kind}: ${result.message}`;
}

async function problemsOf(spec: object, context: ReadingContext): Promise<readonly string[]> {
  const inFormat = { ...spec, format: context.format };
  const before = outcome(await evaluateSpec(inFormat, context));
  const problems: string[] = [];
  for (const place of placesOf(inFormat).filter(({ field }) => isTried(field, context))) {
    const after: string[] = [];
    for (const variant of variantsOf(inFormat, place)) after.push(outcome(await evaluateSpec(variant, context)));
    const shows = before.startsWith('refused') || after.some((text) => text !== before);
    if (shows !== isRead(place.field, context) && !before.startsWith('refused')) {
      problems.push(`${place.field}: ${shows ? 'read, but not in the table' : 'in the table, but not read'}`);
    }
    if (
      !isRead(place.field, context) &&
      after.some((text) => text.startsWith('refused')) &&
      !before.startsWith('refused')
    ) {
      problems.push(`${place.field}: refused although it is not read`);
    }
  }
  return problems;
}

/** Both formats carry the same kubeadm documents: a small run changes their fields in one of them only. */
function isTried(field: string, { format }: ReadingContext): boolean {
  return isNightly || format === 'cloud-config' || !/^(cluster|init|join)Configuration\b/.test(field);
}

/** For the full size; a small run takes seconds. */
const timeoutMs = 600_000;

const chosen = contexts.filter(({ api, format }) => isNightly || api === 'v1beta4' || format === 'cloud-config');

describe('bootstrap fields', () => {
  test('full specs: all together -> every field of the API holds a value', () => {
    const given = new Set(fullSpecs.flatMap((spec) => placesOf(spec)).map(({ field }) => field));
    expect(specFields().filter((field) => field !== 'format' && !given.has(field))).toEqual([]);
  });

  test.each(chosen.map((context) => [context.mode, context.format, context.api, context] as const))(
    'fields: %s, %s, %s, each one changed or removed -> the data changes exactly where the table says so',
    async (_mode, _format, _api, context) => {
      const problems: string[] = [];
      for (const spec of fullSpecs) problems.push(...(await problemsOf(spec, context)));
      expect(problems).toEqual([]);
    },
    timeoutMs,
  );
});
