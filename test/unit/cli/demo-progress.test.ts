// What `demo` prints of what happened.
import { describe, expect, test } from '@jest/globals';
import { createProgress } from '../../../src/cli/demo-progress.js';

function printed(output: 'text' | 'json'): string {
  let text = '';
  const progress = createProgress({
    output,
    isTerminal: false,
    columns: () => 120,
    write: (part) => (text += part),
    nowMs: () => 0,
    schedule: () => () => undefined,
  });
  progress.noted({ kind: 'node-joined', cluster: 'demo/sample', node: 'w-0', token: 'abcdef.0123456789abcdef' });
  progress.noted({ kind: 'node-joined', cluster: 'demo/sample', node: 'w-1', token: null });
  progress.close();
  return text;
}

describe('demo progress', () => {
  test('a node that joined: JSON -> the token by its id, its secret nowhere', () => {
    const lines = printed('json')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual([
      { atMs: 0, kind: 'node-joined', cluster: 'demo/sample', node: 'w-0', tokenId: 'abcdef' },
      { atMs: 0, kind: 'node-joined', cluster: 'demo/sample', node: 'w-1', tokenId: null },
    ]);
  });

  test('a node that joined: text -> a sentence without the token', () => {
    expect(printed('text')).toContain('Cluster demo/sample: node w-0 joined');
    expect(printed('text')).not.toContain('abcdef');
  });
});
