// Go's printers beside YAML's golden cases: %q, JSON, times, strings of any bytes, and what YAML refuses.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { goJson, goJsonString } from '../../../src/bootstrap/go-format/go-json.js';
import { goQuote } from '../../../src/bootstrap/go-format/go-quote.js';
import {
  base64ToText,
  byteLength,
  bytesToText,
  isValidUtf8,
  textToBytes,
  toValidUtf8,
} from '../../../src/bootstrap/go-format/go-string.js';
import { goRfc3339 } from '../../../src/bootstrap/go-format/go-time.js';
import { goYaml, isYamlText } from '../../../src/bootstrap/go-format/go-yaml.js';
import { printedSeed, sized } from '../../test-size.js';

describe('Go strings', () => {
  test('bytes: any bytes -> text and back', () => {
    const seed = printedSeed('Go strings');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
        const text = bytesToText(bytes);
        expect([...textToBytes(text)]).toEqual([...bytes]);
        expect(byteLength(text)).toBe(bytes.length);
        expect(isValidUtf8(toValidUtf8(text))).toBe(true);
        expect(toValidUtf8(text).length).toBe(text.length);
      }),
      { seed, numRuns: sized(500, 50_000) },
    );
  });

  test('bytes: a byte order mark -> kept', () => {
    expect(base64ToText(Buffer.from('\ufeffa').toString('base64'))).toBe('\ufeffa');
  });

  test('validity: an invalid byte -> seen', () => {
    expect(isValidUtf8(bytesToText(Uint8Array.of(0x61, 0xff)))).toBe(false);
    expect(isValidUtf8('aé😀')).toBe(true);
  });
});

describe('Go %q', () => {
  test.each([
    ['echo "a" \\ b', '"echo \\"a\\" \\\\ b"'],
    ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\x00\x1b\x7f', '"\\x00\\x1b\\x7f"'],
    ['\u0085\u00a0\u200b\ufeff', '"\\u0085\\u00a0\\u200b\\ufeff"'],
    ['é日😀', '"é日😀"'],
    ['\u{10ffff}', '"\\U0010ffff"'],
    ["'<>&$`", '"\'<>&$`"'],
    [bytesToText(Uint8Array.of(0xff, 0xc3)), '"\\xff\\xc3"'],
  ])('goQuote: %j -> %s', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});

describe('Go JSON', () => {
  test.each([
    ['<a & b>', '"\\u003ca \\u0026 b\\u003e"'],
    ['"\\/', '"\\"\\\\/"'],
    ['\b\f\n\r\t\x01\x7f', '"\\b\\f\\n\\r\\t\\u0001\x7f"'],
    ['\u2028\u2029', '"\\u2028\\u2029"'],
    [bytesToText(Uint8Array.of(0xff)), '"\ufffd"'],
  ])('goJsonString: %j -> %s', (text, printed) => {
    expect(goJsonString(text)).toBe(printed);
  });

  test('goJson: an object -> keys in their order, or sorted by bytes', () => {
    const value = { b: 1, a: [true, null, 1.5], é: {}, z: undefined, Z: 'x' };
    expect(goJson(value)).toBe('{"b":1,"a":[true,null,1.5],"é":{},"Z":"x"}');
    expect(goJson(value, true)).toBe('{"Z":"x","a":[true,null,1.5],"b":1,"é":{}}');
  });

  test.each([
    [-0, '-0'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [123456789, '123456789'],
  ])('goJson: the number %d -> %s', (value, printed) => {
    expect(goJson(value)).toBe(printed);
  });
});

describe('Go times', () => {
  test.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.999Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'],
    ['tomorrow', 'tomorrow'],
  ])('goRfc3339: %s -> %s', (text, printed) => {
    expect(goRfc3339(text)).toBe(printed);
  });
});

describe('Go YAML oddities', () => {
  test.each([
    ['a top-level text that ends in a line separator', '\n0x1f\u2028', '|2\n\n  0x1f\u2028'],
    ['next line characters beside spaces', 'x \u0085\u0085 y', '|-\n  x\n  y\n'],
    ['a tab before a next line character', 'x\t\u0085\ty', '"x\\t \\ty"\n'],
    ['floats', [1234567.25, 1e-5, 1e21, 0.0001], '- 1.23456725e+06\n- 1e-05\n- 1e+21\n- 0.0001\n'],
    [
      'integers beyond 64 bits',
      ['18446744073709551615', '18446744073709551616'],
      '- "18446744073709551615"\n- "18446744073709551616"\n',
    ],
    ['dates that do not exist', ['2001-02-29', '2000-02-29'], '- 2001-02-29\n- "2000-02-29"\n'],
    ['a number too large for a float', '1e999', '1e999\n'],
    ['a member without a value', { a: undefined, b: 1 }, 'b: 1\n'],
    ['a member named like the prototype', JSON.parse('{"__proto__": "x"}'), '__proto__: x\n'],
  ])('goYaml: %s -> as Go', (_, value, printed) => {
    expect(goYaml(value)).toBe(printed);
  });

  test.each([
    ['U+0080', 'a\x80', 'yaml: control characters are not allowed'],
    ['U+007F', ['\x7f'], 'yaml: control characters are not allowed'],
    ['U+FFFE', { a: '\ufffe' }, 'yaml: control characters are not allowed'],
    ['a next line character in a key', { 'a\x85b': 1 }, "did not find expected ',' or '}'"],
    ['a key that is too long to be read back', { ['k'.repeat(1023)]: 1 }, "did not find expected ',' or '}'"],
    ['a document mark after a next line character', 'a\x85... b', 'found unexpected document indicator'],
  ])('goYaml: %s -> refused', (_, value, message) => {
    expect(() => goYaml(value)).toThrow(message);
  });

  test('isYamlText: what goYaml refuses -> false', () => {
    expect(['a', '\x01', 'a\x85b'].map(isYamlText)).toEqual([true, true, true]);
    expect(['\x7f', '\uffff'].map(isYamlText)).toEqual([false, false]);
  });
});
