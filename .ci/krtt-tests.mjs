// Finds the tests that prove requirement rows: string literals of test/ that carry an id such as `KC-017`.
//
// A literal of a test file is a title, or a line of a table of examples. A literal of any other file under test/ counts for the
// test files that import it, directly or not. Comments never count.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** What an id looks like. */
export const ID = /\b(?:KC|BC|CI|MA|MU)-\d{3}\b/gu;

/** Proofs by id: `{ file, title }` in the order of files and lines. */
export function findProofs() {
  const sources = readdirSync('test', { recursive: true })
    .map((path) => join('test', path).replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => readSource(path));
  const files = new Map(sources.map((source) => [source.path, source]));
  const proofs = new Map();
  for (const { path } of sources.filter((source) => source.path.endsWith('.test.ts'))) {
    for (const { id, title } of [...reachable(path, files)].flatMap((each) => files.get(each).found)) {
      const known = proofs.get(id) ?? [];
      if (!known.some((proof) => proof.file === path && proof.title === title)) known.push({ file: path, title });
      proofs.set(id, known);
    }
  }
  return proofs;
}

/** A file, and the files under test/ that it uses: itself first. */
function reachable(path, files, seen = new Set()) {
  if (seen.has(path) || !files.has(path)) return seen;
  seen.add(path);
  for (const next of files.get(path).imports) reachable(next, files, seen);
  return seen;
}

function readSource(path) {
  const text = readFileSync(path, 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const [found, imports] = [[], []];
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      if (node.moduleSpecifier.text.startsWith('.')) imports.push(importedFile(path, node.moduleSpecifier.text));
      return;
    }
    const words = wordsOf(node);
    for (const id of new Set(words?.match(ID) ?? [])) found.push({ id, title: titleOf(node, words) });
    if (!ts.isTemplateExpression(node)) ts.forEachChild(node, visit);
  };
  visit(source);
  return { path, found, imports };
}

function importedFile(path, specifier) {
  return normalize(join(dirname(path), specifier))
    .replaceAll('\\', '/')
    .replace(/\.js$/u, '.ts');
}

/** The text of a literal; holes of templates are `…`. */
function wordsOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
}

/** What the test is called: the literal itself, with the words around it where it is a line of a table. */
function titleOf(node, words) {
  const { parent } = node;
  if (ts.isCallExpression(parent)) return words;
  const format = formatOf(node);
  if (format?.includes('%s') && ts.isArrayLiteralExpression(parent)) return format.replace('%s', words);
  if (ts.isPropertyAssignment(parent) && ts.isObjectLiteralExpression(parent.parent)) {
    const title = parent.parent.properties.find(
      (each) => ts.isPropertyAssignment(each) && each.name.getText() === 'title' && each !== parent,
    );
    const more = title === undefined ? undefined : wordsOf(title.initializer);
    return more === undefined ? words : `${words} ${more}`;
  }
  return words;
}

/** The title of the `test.each(table)(title, ...)` in whose table a node stands. */
function formatOf(node) {
  for (let each = node; each.parent !== undefined; each = each.parent) {
    const call = each.parent;
    if (!ts.isCallExpression(call) || !call.arguments.includes(each)) continue;
    if (!/\.each$/u.test(call.expression.getText())) return undefined;
    return ts.isCallExpression(call.parent) ? wordsOf(call.parent.arguments[0]) : undefined;
  }
  return undefined;
}
