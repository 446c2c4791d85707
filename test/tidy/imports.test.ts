import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'page' ? [] : sources(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

const files = [...sources('machines'), ...sources('src')];
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

function imports(file: string): string[] {
  const text = texts.get(file) ?? '';
  const found = [
    ...text.matchAll(/(?:^|[\n;])\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]/g),
    ...text.matchAll(/import\(\s*['"]([^'"]+)['"]/g),
  ];
  return found.map((match) => match[1] ?? '');
}

/** The folder of the house that a path belongs to. */
function room(path: string): string {
  const parts = path.split('/');
  if (parts[0] === 'machines') return parts[1] === 'kit' ? 'machines/kit' : `machines/${parts[1]}`;
  return parts.length === 2 ? path : `src/${parts[1]}`;
}

const everything = [/.*/];
const may: readonly (readonly [RegExp, readonly RegExp[]])[] = [
  [/^machines\/kit$/, []],
  [/^machines\//, [/^machines\/kit$/, /^src\/conditions$/]],
  [/^src\/conditions$/, []],
  [/^src\/api$/, [/^src\/limits\.ts$/]],
  [/^src\/bootstrap$/, [/^src\/api$/]],
  [/^src\/host$/, [/^machines\/kit$/, /^src\/(limits|scrub)\.ts$/]],
  [/^src\/kube$/, [/^src\/host$/, /^src\/api$/, /^src\/(json-text|limits|log|metrics|scrub)\.ts$/]],
  [
    /^src\/controllers$/,
    [/^machines\//, /^src\/(bootstrap|host|conditions|api|kube)$/, /^src\/(limits|log|metrics|scrub)\.ts$/],
  ],
  [/^src\/http$/, [/^src\/(json-text|limits|system)\.ts$/]],
  [/^src\/webhooks$/, [/^src\/(api|http)$/, /^src\/(json-text|limits|log|metrics|scrub)\.ts$/]],
  [/^src\/inspector$/, [/^machines\//, /^src\/(charts|host|http)$/, /^src\/(limits|log|metrics|scrub)\.ts$/]],
  [/^src\/embedded$/, [/^src\/(api|http)$/, /^src\/(json-text|limits|log|scrub)\.ts$/]],
  [/^src\/charts$/, [/^machines\//]],
  [/^src\/(json-text|limits|log|metrics|scrub|system)\.ts$/, [/^src\/(limits|log|metrics|scrub)\.ts$/, /^src\/host$/]],
  [/^src\/cli$/, everything],
];

const homes: Readonly<Record<string, readonly RegExp[]>> = {
  '@kubernetes/client-node': [/^src\/kube$/],
  commander: [/^src\/cli$/],
  'node-forge': [/^src\/bootstrap$/],
  ws: [/^src\/inspector$/],
  yaml: [/^src\/(bootstrap|cli|embedded)$/],
  pino: [/^src\/log\.ts$/],
  'prom-client': [/^src\/metrics\.ts$/],
  xstate: [/^machines\//, /^src\/(host|inspector)$/],
};

describe('imports', () => {
  test('arrows: every import -> allowed by the table of folders', () => {
    const wrong = files.flatMap((file) =>
      imports(file)
        .filter((target) => target.startsWith('.'))
        .map((target) => relative(root, normalize(join(root, dirname(file), target))).replace(/\.js$/, '.ts'))
        .filter((target) => room(target) !== room(file))
        .filter(
          (target) => !(may.find(([from]) => from.test(room(file)))?.[1] ?? []).some((to) => to.test(room(target))),
        )
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('circles: files that import each other, types included -> none', () => {
    const arrows = new Map(
      files.map((file) => [
        file,
        imports(file)
          .filter((target) => target.startsWith('.'))
          .map((target) => relative(root, normalize(join(root, dirname(file), target))).replace(/\.js$/, '.ts')),
      ]),
    );
    const settled = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, way: readonly string[]): void => {
      if (settled.has(file)) return;
      if (way.includes(file)) {
        circles.push([...way.slice(way.indexOf(file)), file].join(' -> '));
        return;
      }
      for (const target of arrows.get(file) ?? []) visit(target, [...way, file]);
      settled.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  test('packages: every third-party import -> in its home folder', () => {
    const wrong = files.flatMap((file) =>
      imports(file)
        .filter((target) => !target.startsWith('.') && !target.startsWith('node:'))
        .map((target) =>
          target
            .split('/')
            .slice(0, target.startsWith('@') ? 2 : 1)
            .join('/'),
        )
        .filter((name) => !(homes[name] ?? []).some((home) => home.test(room(file))))
        .map((name) => `${file} -> ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

/** Words that only one file may use: time, randomness, timers and the environment come in through ports elsewhere. */
const banned: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bDate\.now\(|\bnew Date\(\)/, ['src/system.ts']],
  [/\bMath\.random\(/, ['src/system.ts']],
  [/\b(?:setTimeout|setInterval|setImmediate)\(/, ['src/system.ts']],
  [/\bprocess\.env\b/, ['src/system.ts']],
  [/\bconsole\./, []],
  [/(?<![.\w])fetch\(/, []],
  // Ports: one layer answers for what a handler throws, and only it takes requests and upgrades.
  [/\bcreateServer\b/, ['src/http/listener.ts']],
  [/\.(?:on|once|addListener)\(\s*['"](?:request|upgrade)['"]/, ['src/http/listener.ts']],
  // What strangers send is split, never resolved: a URL that cannot be read throws. Configuration may be a URL.
  [/\bnew URL\(/, ['src/kube/kubeconfig.ts', 'src/kube/https-transport.ts', 'src/kube/proxy.ts']],
  [/\bdecodeURI(?:Component)?\(/, ['src/http/request-target.ts']],
];

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

describe('house rules', () => {
  test.each(banned.map(([word, owners]) => [String(word), word, owners] as const))(
    '%s -> only where it belongs',
    (_, word, owners) => {
      const users = files.filter((file) => !owners.includes(file) && word.test(withoutComments(texts.get(file) ?? '')));
      expect(users).toEqual([]);
    },
  );

  test('TLS clients: whether certificates are checked -> always said, never left to the environment', () => {
    const clients = files.flatMap((file) =>
      [...withoutComments(texts.get(file) ?? '').matchAll(/\bconnectTls\(([\s\S]*?)\);?\n/g)].map(([, options]) => ({
        file,
        options: options ?? '',
      })),
    );
    expect(clients.length).toBeGreaterThan(0);
    expect(clients.filter(({ options }) => !options.includes('rejectUnauthorized')).map(({ file }) => file)).toEqual(
      [],
    );
  });

  test('files: length -> at most 400 lines', () => {
    expect(files.filter((file) => (texts.get(file) ?? '').split('\n').length > 401)).toEqual([]);
  });

  test('files: first lines -> say what the file is', () => {
    expect(files.filter((file) => !/^(\/\/|\/\*\*)/.test(texts.get(file) ?? ''))).toEqual([]);
  });

  test('exports: default exports and barrels -> none', () => {
    expect(
      files.filter((file) => /^export default/m.test(texts.get(file) ?? '') || file.endsWith('/index.ts')),
    ).toEqual([]);
  });
});
