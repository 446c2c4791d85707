// Documents lead somewhere, and speak of the project alone.
import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

function filesIn(folder: string, isWanted: (path: string) => boolean): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules/') && isWanted(path))
    .sort();
}

const documents = [
  'README.md',
  ...filesIn('docs', (path) => path.endsWith('.md')),
  ...filesIn('visualizations', (path) => path.endsWith('.md')),
];

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Text without code, in which brackets and slashes are no links. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gmu, '').replace(/`[^`\n]*`/gu, '');
}

/** Relative targets of links and images. */
function linksOf(text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/gu)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/u.test(target));
}

/** Anchors that a document has: made by headings, or written down. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gmu)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/gu)].map((match) => match[1] ?? '')]);
}

const anchors = new Map<string, ReadonlySet<string>>();

function problemOf(document: string, link: string): string | null {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : normalize(join(dirname(document), path)).replaceAll('\\', '/');
  if (!existsSync(join(root, target))) return `${document}: ${link} does not exist`;
  if (anchor === undefined || !target.endsWith('.md')) return null;
  let known = anchors.get(target);
  if (known === undefined) anchors.set(target, (known = anchorsOf(read(target))));
  return known.has(anchor) ? null : `${document}: ${link} has no such place`;
}

describe('documents', () => {
  test('links: every relative link and image of every document -> leads to a file, and to a place in it', () => {
    const links = documents.flatMap((document) => linksOf(read(document)).map((link) => [document, link] as const));
    expect(links.length).toBeGreaterThan(100);
    expect(
      [...new Set(links.map(([document, link]) => problemOf(document, link)))].filter((problem) => problem !== null),
    ).toEqual([]);
  });

  test('paths: every path of the project in backticks -> exists', () => {
    const missing = documents.flatMap((document) =>
      [
        ...read(document).matchAll(
          /`((?:src|machines\/(?:kit|kubeadmconfig|machine|cluster-initialized|machines-up-to-date)|test|docs|deploy|visualizations|\.ci)\/[^`\s*{}<>]*)`/gu,
        ),
      ]
        .map((match) => match[1] ?? '')
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${document}: ${path} does not exist`),
    );
    expect([...new Set(missing)]).toEqual([]);
  });

  test('differences: ids of rows of the parity page -> no two rows have the same', () => {
    const ids = [...read('docs/parity.md').matchAll(/^\| <a id="([a-z0-9-]+)"><\/a>/gmu)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(80);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('charts: every link of a row -> leads to its line of the requirement table', () => {
    const svgs = filesIn('visualizations', (path) => path.endsWith('.svg'));
    const links = svgs.flatMap((svg) =>
      [...read(svg).matchAll(/href="([^"]+)"/gu)].map((match) => problemOf(svg, match[1] ?? '')),
    );
    expect(links.length).toBeGreaterThan(50);
    expect([...new Set(links)].filter((problem) => problem !== null)).toEqual([]);
  });

  test('files: paths of somebody’s machine -> nowhere', () => {
    const texts = [
      ...documents,
      'package.json',
      ...['src', 'machines', 'test', 'deploy', '.ci'].flatMap((folder) =>
        filesIn(folder, (path) => /\.(?:ts|mjs|md|yaml)$/u.test(path)),
      ),
    ];
    const forbidden = /(?<![\w.-])\/(?:work\/(?:main|shared)|tmp\/team|farm)\b/u;
    const here = 'test/tidy/docs.test.ts';
    expect(texts.filter((path) => path !== here && forbidden.test(read(path)))).toEqual([]);
  });

  test('packages: the lock file -> names no server', () => {
    const hosts = [...read('package-lock.json').matchAll(/"resolved": "https?:\/\/([^/"]+)/gu)].map(
      (match) => match[1],
    );
    expect([...new Set(hosts)]).toEqual([]);
  });
});
