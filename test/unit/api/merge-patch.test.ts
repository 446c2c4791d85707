import { describe, expect, test } from '@jest/globals';
import { mergePatch } from '../../../src/api/merge-patch.js';
import { isSame, mergeDiff } from '../../../src/controllers/kubeadmconfig/merge-diff.js';

const json = (text: string): unknown => JSON.parse(text);

describe('keys called __proto__', () => {
  test('merge patch: such a key -> a member like any other', () => {
    const merged = mergePatch(json('{"a":{"__proto__":{"b":1}}}'), json('{"a":{"__proto__":{"c":2}}}'));
    expect(JSON.stringify(merged)).toBe('{"a":{"__proto__":{"b":1,"c":2}}}');
    expect(JSON.stringify(mergePatch(merged, json('{"a":{"__proto__":null}}')))).toBe('{"a":{}}');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test.each([
    ['added', '{}', '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
    ['changed', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', '{"__proto__":{"a":2}}'],
    ['removed', '{"__proto__":{"a":1}}', '{}', '{"__proto__":null}'],
    ['a method of objects', '{}', '{"toString":"x"}', '{"toString":"x"}'],
  ])('difference: such a key %s -> in the patch, which leads to the value', (_, before, after, patch) => {
    expect(JSON.stringify(mergeDiff(json(before), json(after)))).toBe(patch);
    expect(JSON.stringify(mergePatch(json(before), json(patch)))).toBe(after);
    expect(isSame(json(before), json(after))).toBe(false);
  });
});
