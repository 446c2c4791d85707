// Request targets, cookies and JSON texts of strangers: never an exception.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonDepth, jsonExtent, jsonText } from '../../../src/json-text.js';
import { cookieOf, requestTarget, unescaped } from '../../../src/http/request-target.js';

describe('request target', () => {
  test.each([
    ['/healthz', '/healthz', ''],
    ['/healthz?verbose&x=1', '/healthz', 'verbose=&x=1'],
    ['//', '//', ''],
    ['//[', '//[', ''],
    ['http://host:1/path?q=%', '/path', 'q=%25'],
    ['HTTPS://h', '', ''],
    ['http://%/', '/', ''],
    ['/a#b?c', '/a', ''],
    ['*', '*', ''],
    [undefined, '', ''],
  ])('%s -> path %s', (target, path, query) => {
    const split = requestTarget(target);
    expect([split.path, split.query.toString()]).toEqual([path, query]);
  });

  test('any text -> a path and a query', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void requestTarget(text)));
  });
});

describe('cookie', () => {
  test.each([
    ['inspector=abc', 'abc'],
    ['a=b; inspector=a%20b ; c', 'a b'],
    ['inspector=%', '%'],
    ['inspector=%E0%A4%A', '%E0%A4%A'],
    ['xinspector=no', undefined],
    ['inspector', undefined],
    [undefined, undefined],
  ])('%s -> %s', (header, value) => {
    expect(cookieOf(header, 'inspector')).toBe(value);
  });

  test('escapes: that cannot be read -> the text as it is', () => {
    expect(unescaped('%zz')).toBe('%zz');
  });
});

describe('JSON of any depth', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`);

  test('depth: brackets in texts -> do not count', () => {
    expect(jsonDepth('{"a":"[[[{\\"[","b":[{}]}')).toBe(3);
    expect(jsonDepth('[]]]]][')).toBe(1);
    expect(jsonDepth('"')).toBe(0);
  });

  test('extent: lists, objects and what they hold -> counted at least once each', () => {
    expect(jsonExtent('{"a":[{},{},"x,y"],"b":1}').values).toBe(8);
    expect(jsonExtent('{"a":"\\\\","b":"\\"[,","c":[1]}').values).toBe(5);
  });

  test('text: a value of 50,000 levels -> written, and read again the same', () => {
    const value = nested(25_000);
    const text = jsonText(value);
    expect(jsonDepth(text)).toBe(50_000);
    expect(text).toBe(`${'{"a":['.repeat(25_000)}1${']}'.repeat(25_000)}`);
  });

  test('text: any JSON value, deep or not -> what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, isDeep) => {
        const given = isDeep ? { value, deep: nested(600), gone: undefined } : value;
        expect(jsonText(given)).toBe(JSON.stringify(given));
      }),
    );
  });
});
