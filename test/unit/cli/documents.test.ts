// What people write by mistake into the files of `render -f` and `demo -f`.
import { describe, expect, test } from '@jest/globals';
import { readDocuments } from '../../../src/cli/documents.js';
import { CommandFailure } from '../../../src/cli/exit.js';

const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n';

describe('documents', () => {
  test.each([
    ['an alias inside its anchor', `${head}data: &a [*a]\n`, 'document 1: an alias names what holds it'],
    [
      'an alias deep inside its anchor',
      `${head}data: &a {b: {c: [1, *a]}}\n`,
      'document 1: an alias names what holds it',
    ],
    ['an alias of nothing', `${head}data: *a\n`, 'document 1: Unresolved alias'],
    ['brackets without end', `${head}data: ${'['.repeat(5_000)}\n`, 'document 1: '],
    ['a sequence of words', '- a\n- b\n', 'document 1: is not a Kubernetes object'],
    ['no kind', 'apiVersion: v1\n', 'document 1: apiVersion and kind are required'],
    ['no name', `${head}---\napiVersion: v1\nkind: Secret\nmetadata: {}\n`, 'document 2: Secret has no metadata.name'],
  ])('%s -> one line that names the document', (_, text, problem) => {
    const read = (): unknown => readDocuments(text);
    expect(read).toThrow(CommandFailure);
    expect(read).toThrow(problem);
    expect(read).not.toThrow(/\n/);
  });

  test('an alias that is used twice -> both have its value', () => {
    const [{ value } = { value: {} }] = readDocuments(`${head}data: {a: &x {k: v}, b: *x, c: *x}\n`);
    expect(value).toMatchObject({ data: { a: { k: 'v' }, b: { k: 'v' }, c: { k: 'v' } } });
  });
});
