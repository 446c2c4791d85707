import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { memoryFlags } from '../../../src/cli/heap.js';

const namesOf = (flags: readonly string[]): readonly string[] => flags.map((flag) => flag.replace(/=.*/, ''));

describe('memory flags', () => {
  test('of the Node that runs -> V8 lists each of them', () => {
    const listed = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 << 20 });
    const known = new Set([...listed.matchAll(/^\s+(--[a-z0-9-]+) \(/gm)].map(([, name]) => name));
    expect(known.size).toBeGreaterThan(100);
    for (const name of namesOf(memoryFlags(process.versions.v8))) expect(known).toContain(name);
  });

  // From `node --v8-options` of Node 20, 22 and 24.
  test.each([
    ['11.3.244.8-node.38', true],
    ['12.4.254.21-node.56', false],
    ['13.6.233.17-node.49', false],
  ])('V8 %s -> --interrupt-budget, as far as it knows it: %s', (version, isKnown) => {
    expect(namesOf(memoryFlags(version)).includes('--interrupt-budget')).toBe(isKnown);
  });
});
