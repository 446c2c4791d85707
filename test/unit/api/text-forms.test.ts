import { describe, expect, test } from '@jest/globals';
import { parseJson } from '../../../src/api/json-syntax.js';
import { goJson, goQuote } from '../../../src/api/go-json.js';
import { normaliseQuantity } from '../../../src/api/quantity.js';
import {
  asBootstrapToken,
  formatDuration,
  parseDuration,
  secondsAsDuration,
  time,
  wholeSeconds,
} from '../../../src/api/text-forms.js';
import { text } from '../../../src/api/schema.js';

describe('durations', () => {
  test.each([
    ['0s', '0s'],
    ['0', '0s'],
    ['1ns', '1ns'],
    ['1500ns', '1.5µs'],
    ['1.5us', '1.5µs'],
    ['2ms', '2ms'],
    ['1.5s', '1.5s'],
    ['90s', '1m30s'],
    ['20m30s', '20m30s'],
    ['1h', '1h0m0s'],
    ['100h5m0.25s', '100h5m0.25s'],
    ['-1h30m', '-1h30m0s'],
    ['.5h', '30m0s'],
    ['1.s', '1s'],
    ['1.99999999999999999999999999s', '2s'],
    ['0.33333333333333333333h', '20m0s'],
    ['00000000000000000000000000000001s', '1s'],
    ['9223372036854775807ns', '2562047h47m16.854775807s'],
    ['-9223372036854775808ns', '-2562047h47m16.854775808s'],
  ])('%s -> written as %s', (given, written) => {
    const nanoseconds = parseDuration(given);
    expect(nanoseconds === undefined ? undefined : formatDuration(nanoseconds)).toBe(written);
  });

  test.each([
    '',
    '-',
    '5',
    'm',
    '.s',
    '1 s',
    '5m 3s',
    '1d',
    's1',
    '1.5.5s',
    '9223372036854775808ns',
    '-9223372036854775809ns',
    '1'.repeat(1_000_000),
    '1s'.repeat(500_000),
  ])('%.40j -> no duration', (given) => {
    expect(parseDuration(given)).toBeUndefined();
  });

  test.each([
    [1_999_999_999n, 1],
    [-1_999_999_999n, -1],
    [2n ** 62n, 2147483647],
  ])('%s ns -> %s whole seconds', (nanoseconds, seconds) => {
    expect(wholeSeconds(nanoseconds)).toBe(seconds);
  });

  test('240 seconds -> 4m0s', () => {
    expect(secondsAsDuration(240)).toBe('4m0s');
  });
});

describe('other forms', () => {
  test.each([
    ['2027-01-02T03:04:05Z', '2027-01-02T03:04:05Z'],
    ['2027-01-02T03:04:05+02:00', '2027-01-02T01:04:05Z'],
    ['2027-01-02T03:04:05.999Z', '2027-01-02T03:04:05Z'],
  ])('time %s -> %s', (given, written) => {
    expect(time('A time.').normalise?.(given)).toEqual({ text: written });
  });

  test.each(['2027-01-02', 'now', '2027-13-02T03:04:05Z', '2027-01-02 03:04:05Z'])('time %s -> a problem', (given) => {
    expect(time('A time.').normalise?.(given)).toEqual({ problem: `invalid time "${given}"` });
  });

  test('bootstrap tokens: form -> quotes are stripped, anything else is named', () => {
    const { normalise } = asBootstrapToken(text('A token.'));
    expect(normalise?.('"abcdef.0123456789abcdef"')).toEqual({ text: 'abcdef.0123456789abcdef' });
    expect(normalise?.('abcdef')).toEqual({
      problem: 'the bootstrap token "abcdef" was not of the form "\\\\A([a-z0-9]{6})\\\\.([a-z0-9]{16})\\\\z"',
    });
  });

  test.each([
    ['0', '0'],
    ['1', '1'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1500', '1500'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1000Ki', '1000Ki'],
    ['0.5Gi', '512Mi'],
    ['512Ki', '512Ki'],
    ['0.5Ki', '512'],
    ['1e3', '1e3'],
    ['12e-1', '1200e-3'],
    ['+5', '+5'],
    ['12.345', '12.345'],
    ['1.10', '1100m'],
    ['2e-3', '2e-3'],
    ['-2k', '-2k'],
    ['0.0000000001', '1n'],
    ['100u', '100u'],
    ['1e21', '1e21'],
    ['1e22', '10e21'],
    ['10e20', '1e21'],
    ['1e10000000', '10e9999999'],
    ['5000000e1000000', '50e1000005'],
    ['1e2147483647', '10e2147483646'],
    ['1e-10000000', '1e-9'],
    ['1.5e-100', '1e-9'],
    ['1e-5', '10e-6'],
    ['0e10000000', '0'],
    ['-0.0e50', '0'],
    ['12345678901234567890e100000', '123456789012345678900e99999'],
    ['12345678901234567890', '12345678901234567890'],
    ['9999999999Ei', '9223372036854775807'],
    ['-100Ei', '-9223372036854775807'],
    ['1.5Ei', '1536Pi'],
  ])('quantity %s -> %s', (given, written) => {
    expect(normaliseQuantity(given)).toEqual({ text: written });
  });

  test.each([
    '',
    'abc',
    '1 Gi',
    '1kB',
    '--1',
    '1e',
    '1e1.5',
    '1e2147483648',
    '1e99999999999999999999',
    '1'.repeat(1_000_000),
    `1e${'9'.repeat(1_000_000)}`,
  ])('quantity %.40j -> a problem', (given) => {
    expect(normaliseQuantity(given)).toHaveProperty('problem');
  });

  test('JSON: characters of HTML -> escaped; quotes: only what cannot be printed', () => {
    expect(goJson({ a: '<b>&\u2028' })).toBe('{"a":"\\u003cb\\u003e\\u0026\\u2028"}');
    expect(goQuote('<a "b"\n\x07\x0b\x01\x7f>')).toBe('"<a \\"b\\"\\n\\a\\v\\x01\\x7f>"');
  });
});

describe('broken JSON', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['  ', 'unexpected end of JSON input'],
    ['not json', "invalid character 'o' in literal null (expecting 'u')"],
    ['tru', 'unexpected end of JSON input'],
    ['falsy', "invalid character 'y' in literal false (expecting 'e')"],
    ['{', 'unexpected end of JSON input'],
    ['{a', "invalid character 'a' looking for beginning of object key string"],
    ['{"a"', 'unexpected end of JSON input'],
    ['{"a"}', "invalid character '}' after object key"],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ['{"a":1 "b"', `invalid character '"' after object key:value pair`],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['"a', 'unexpected end of JSON input'],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['{} x', "invalid character 'x' after top-level value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
  ])('%j -> %s', (given, problem) => {
    expect(parseJson(given)).toEqual({ problem });
  });

  test('sound JSON -> its value', () => {
    expect(parseJson('{"a":[1.5e3,"\\u00e9",null]}')).toEqual({ value: { a: [1500, 'é', null] } });
  });
});
