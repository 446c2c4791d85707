import { describe, expect, test } from '@jest/globals';
import { annotationErrors, labelErrors } from '../../../src/api/label-rules.js';

const name =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('labels', () => {
  test.each([
    ['a key without a name', { 'a.b/': 'v' }, ['"a.b/": name part must be non-empty', `"a.b/": ${name}`]],
    ['a key without a prefix', { '/a': 'v' }, ['"/a": prefix part must be non-empty']],
    [
      'a key with an upper case prefix',
      { 'A/b': 'v' },
      [
        `"A/b": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
    ['a long name', { ['n'.repeat(64)]: 'v' }, [`"${'n'.repeat(64)}": name part must be no more than 63 bytes`]],
    ['a long value', { a: 'v'.repeat(64) }, [`"${'v'.repeat(64)}": must be no more than 63 bytes`]],
    [
      'a bad value',
      { a: '-' },
      [
        `"-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ],
    ],
    ['good ones', { 'a.b/c_d': '', e: '1.x' }, []],
  ])('%s -> the words of Kubernetes', (_, labels, problems) => {
    expect(labelErrors(labels, 'f')).toEqual(
      problems.map((problem) => ({ type: 'FieldValueInvalid', field: 'f', message: `Invalid value: ${problem}` })),
    );
  });
});

describe('annotations', () => {
  test('upper case in the prefix, any value -> allowed', () => {
    expect(annotationErrors({ 'Example.COM/Name': ' any value ' }, 'f')).toEqual([]);
  });

  test('more than 256 KiB together -> too long', () => {
    const most = 256 * 1024 - 1;
    expect(annotationErrors({ a: 'x'.repeat(most) }, 'f')).toEqual([]);
    expect(annotationErrors({ a: 'x'.repeat(most + 1) }, 'f')).toEqual([
      { type: 'FieldValueTooLong', field: 'f', message: 'Too long: may not be more than 262144 bytes' },
    ]);
  });
});
