// Regular expressions of flags mean what they mean to Go's regexp package (answers of regexp.MatchString).
import { describe, expect, test } from '@jest/globals';
import { compileGoRegExp } from '../../../src/cli/go-regexp.js';

describe('regular expressions of flags', () => {
  test.each([
    ['example', 'my.example.com/x', true],
    ['^example', 'my.example.com/x', false],
    ['^(?:a|b)\\.example\\.com/.*$', 'b.example.com/zone', true],
    ['.*\\.example\\.com/.*', 'x-example.com/y', false],
    ['', 'anything', true],
    ['a{2,3}b', 'caaab', true],
    ['^a{2,3}b', 'aaaab', false],
    ['^a{,3}$', 'a{,3}', true],
    ['x*?y', 'y', true],
    ['(?i)EXAMPLE', 'my.example', true],
    ['(?i:A)b', 'aB', false],
    ['(?i)^[^a]$', 'A', false],
    ['(?i)^ſ$', 's', true],
    ['(?i)^k$', '\u212a', true],
    ['(?i)^i$', 'ı', false],
    ['(?i)^\\P{Lu}$', 'a', false],
    ['(?i)^\\W$', 'ſ', false],
    ['(?P<name>x)+$', 'xx', true],
    ['\\Aab\\z', 'ab', true],
    ['\\Qa.b\\E', 'a.b', true],
    ['\\Qa.b\\E', 'axb', false],
    ['[[:alpha:]]+/[^[:digit:]]', 'ab/c', true],
    ['^[a-c\\-]+$', 'a-b', true],
    ['^[]a]+$', ']a', true],
    ['\\bnode\\b', 'x.node/y', true],
    ['\\bnode\\b', 'nodes', false],
    ['^\\p{Greek}\\pL$', 'αβ', true],
    ['^\\x41\\x{42}\\103$', 'ABC', true],
    ['a|b|', 'zzz', true],
    ['\\_\\-\\@', '_-@', true],
  ])('%s on %s -> %s', (expression, text, expected) => {
    expect(compileGoRegExp(expression).test(text)).toBe(expected);
  });

  test.each([
    ['(', 'missing closing )'],
    ['a)', 'unexpected )'],
    ['[a', 'missing closing ]: [a'],
    ['*a', 'missing argument to repetition operator: *'],
    ['a**', 'invalid nested repetition operator: **'],
    ['(?=a)', 'invalid or unsupported Perl syntax: (?='],
    ['(a)\\1', 'invalid escape sequence: \\1'],
    ['a{2,1}', 'invalid repeat count: {2,1}'],
    ['a{1001}', 'invalid repeat count: {1001}'],
    ['\\', 'trailing backslash at end of expression'],
    ['[z-a]', 'invalid character class range: z-a'],
    ['(?:(?:a{100}){100}){100}', 'expression is too large'],
  ])('%s, which Go refuses -> %s', (expression, problem) => {
    expect(() => compileGoRegExp(expression)).toThrow(problem);
  });

  test('nested repetitions on a long key: work -> grows with the key, not beyond', () => {
    expect(compileGoRegExp('^(a+)+(a|a)*$').test(`${'a'.repeat(5_000)}!`)).toBe(false);
  });
});
