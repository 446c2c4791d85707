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

  const secret = (name: string): string => JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
  test.each([
    ['one on each line', [secret('a'), secret('}{"b"'), ''].join('\n'), ['a', '}{"b"']],
    ['printed', [secret('a'), JSON.stringify(JSON.parse(secret('b')), null, '\t')].join('\n\n'), ['a', 'b']],
    ['with nothing between', secret('a') + secret('b\\') + secret('c'), ['a', 'b\\', 'c']],
    ['behind a byte order mark', `\ufeff${secret('a')}\n${secret('b')}`, ['a', 'b']],
    ['some of them separated', `${secret('a')}\n---\n${secret('b')}\n${secret('c')}\n`, ['a', 'b', 'c']],
    ['YAML in braces', '{apiVersion: v1, kind: Secret, metadata: {name: "a"}}\n', ['a']],
    ['Windows’ ends of lines', [secret('a'), secret('b'), ''].join('\r\n'), ['a', 'b']],
  ])('a stream of JSON objects, %s -> each is a document', (_, text, names) => {
    const documents = readDocuments(text);
    expect(documents.map(({ value }) => (value.metadata as { readonly name: string }).name)).toEqual(names);
    expect(documents.map(({ where }) => where)).toEqual(names.map((_name, index) => `document ${index + 1}`));
  });

  test('a stream of JSON with a mistake -> one line', () => {
    expect(() => readDocuments(`${secret('a')}\n{"kind" "x"}`)).toThrow(CommandFailure);
    expect(() => readDocuments(`${secret('a')}\n${secret('b')}}`)).toThrow(CommandFailure);
  });

  test('an alias that is used twice -> both have its value', () => {
    const [{ value } = { value: {} }] = readDocuments(`${head}data: {a: &x {k: v}, b: *x, c: *x}\n`);
    expect(value).toMatchObject({ data: { a: { k: 'v' }, b: { k: 'v' }, c: { k: 'v' } } });
  });
});
