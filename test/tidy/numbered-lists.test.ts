// The two lists of what the Go provider does otherwise: its bugs, each with the test that would find it here, and the
// differences, each with its row. What they name exists.
import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Numbers of the list of bugs: 1 to this. */
const BUGS = 79;
const bugs = readFileSync('docs/upstream-bugs.md', 'utf8');
const parity = readFileSync('docs/parity.md', 'utf8');

interface BugRow {
  readonly number: number;
  readonly proof: string;
}

const rows: readonly BugRow[] = bugs
  .split('\n')
  .filter((line) => /^\| \d+ /.test(line))
  .map((line) => {
    const [, number = '', , proof = ''] = line
      .split(' | ')
      .flatMap((cell, index) => (index === 0 ? ['', cell] : [cell]));
    return { number: Number(number.replace(/\D/g, '')), proof: proof.replace(/\|$/, '').trim() };
  });

/** The text of a test file; of vectors, also the recorded inputs that it reads. */
function textOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  return /vectors\.test\.ts$/.test(file) ? `${text}${readdirSync('test/golden/vectors').join(' ')}` : text;
}

/** Files that a cell links to, each with the parts of titles behind it. */
function proofsOf(cell: string): readonly { readonly file: string; readonly titles: readonly string[] }[] {
  return [...cell.matchAll(/\]\(\.\.\/([^)]+)\)(?:: ([^[]*))?/g)].map(([, file = '', after = '']) => ({
    file,
    titles: after
      .replace(/;[^;]*$/, (end) => (end.trim() === ';' ? '' : end))
      .split(/[,;] /)
      .map((title) => title.replace(/[;.]$/, '').trim())
      .filter((title) => title !== ''),
  }));
}

describe('bugs of the Go implementation', () => {
  test('numbers: 1 to the last -> each has one row', () => {
    expect(rows.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: BUGS }, (_, index) => index + 1),
    );
  });

  test('rows: each -> a test that would find it, or why there is none', () => {
    const without = rows.filter(({ proof }) => proofsOf(proof).length === 0 && !proof.startsWith('Out of scope: '));
    expect(without).toEqual([]);
  });

  test('tests: each that is named -> is there, with these words in its titles', () => {
    const missing = rows.flatMap(({ number, proof }) =>
      proofsOf(proof).flatMap(({ file, titles }) => {
        if (!existsSync(file)) return [`${number}: ${file}`];
        const text = textOf(file).replace(/\\'/g, "'");
        return titles
          .filter((title) => !title.startsWith('`') && !text.includes(title) && !isRecorded(file, title))
          .map((title) => `${number}: ${file}: ${title}`);
      }),
    );
    expect(missing).toEqual([]);
  });

  test('upstream bug N: in a title -> has its row', () => {
    const named = [...filesOf('test/unit')].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/upstream bug (\d+):/g)].map(([, number]) => ({ file, number })),
    );
    expect(named.length).toBeGreaterThan(10);
    const unlisted = named.filter(
      ({ file, number }) => rows.find((row) => row.number === Number(number))?.proof.includes(file) !== true,
    );
    expect(unlisted).toEqual([]);
  });
});

/** Comments of the code, by file and in order, and the rows of the document that tell them to users. */
const told: Readonly<Record<string, readonly string[]>> = {
  'machines/cluster-initialized/reasons.ts': ['Deprecated `ControlPlaneInitialized`'],
  'machines/machine/status/node-conditions.ts': ['Lost Node (MA-050, MA-109, MA-110)'],
  'src/bootstrap/bootstrap-data.ts': ['Worker with `joinConfiguration.controlPlane` (S13, Q-20)'],
  'src/bootstrap/certificates/certificate-checks.ts': ['a CA (`ca`, `proxy`, `etcd`) whose key is not in its Secret'],
  'src/bootstrap/certificates/certificate-files.ts': ['External etcd whose CA Secret also holds a key (Q-49)'],
  'src/bootstrap/go-template/go-template.ts': ['Nesting of parentheses and blocks'],
  'src/bootstrap/ignition/literal-block.ts': ['Content whose first line is indented'],
  'src/bootstrap/ignition/node-disks.ts': ['`diskSetup.partitions[].diskLayout`', 'Filesystem without `overwrite`'],
  'src/bootstrap/ignition/node-files.ts': ['`files[].append: true`', 'File without `permissions`'],
  'src/bootstrap/ignition/node-units.ts': ['Mount points with `-`'],
  'src/bootstrap/ignition/systemd-escape.ts': ['Mount points with `-`'],
  'src/controllers/kubeadmconfig/effects/certificate-secrets.ts': ['Owner of generated CAs (Q-08)'],
  'src/controllers/kubeadmconfig/effects/refresh-token.ts': ["User's token (Q-26)"],
  'src/controllers/kubeadmconfig/owner.ts': ['An owner of the name but another uid', '`hasNodeRefs` of a pool (Q-25)'],
  'src/controllers/kubeadmconfig/persist.ts': ['`observedGeneration` (Q-11)'],
  'src/controllers/machine/drain/classify-pod.ts': ['DaemonSet that cannot be read'],
  'src/controllers/machine/wiring.ts': ['Deletion of an object that is paused'],
  'src/controllers/machines-up-to-date/view.ts': ['Label of control plane Machines'],
};

/** Open questions and findings that were answered otherwise than the Go provider does. */
const answered = [
  ...['Q-01', 'Q-03', 'Q-04', 'Q-05', 'Q-06', 'Q-07', 'Q-08', 'Q-10', 'Q-11', 'Q-12', 'Q-13', 'Q-14', 'Q-15', 'Q-17'],
  ...['Q-18', 'Q-19', 'Q-20', 'Q-21', 'Q-22', 'Q-25', 'Q-26', 'Q-27', 'Q-28', 'Q-33', 'Q-39', 'Q-40', 'Q-47', 'Q-48'],
  ...['Q-49', 'S2', 'S7', 'S8', 'S9', 'S11', 'S13', 'S16', 'S-1', 'S-2', 'S-14', 'Q-9'],
];

describe('differences from the Go provider', () => {
  const topics = parity
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ')[0] ?? '');

  test('PARITY comments of the code: each -> a row of docs/parity.md', () => {
    const files = [...filesOf('src', /\.ts$/), ...filesOf('machines', /\.ts$/)];
    const counts = files.flatMap((file) => {
      const count = readFileSync(file, 'utf8').match(/PARITY:/g)?.length ?? 0;
      return count === 0 ? [] : [[file, count] as const];
    });
    const wanted = Object.entries(told).map(([file, rowsOfFile]) => [file, rowsOfFile.length] as const);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(wanted));
    const untold = Object.values(told)
      .flat()
      .filter((topic) => !topics.some((each) => each.includes(topic)));
    expect(untold).toEqual([]);
  });

  test('answers that differ: each id -> a row', () => {
    expect(answered.filter((id) => !topics.some((topic) => new RegExp(`\\b${id}(?![0-9])`).test(topic)))).toEqual([]);
  });

  test('rows: each -> five cells, the last one a proof', () => {
    const bad = parity
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:Topic|-)/.test(line))
      .filter((line) => !/\| [^|]*\]\([^)]+\)[^|]*\|$/.test(line));
    expect(bad).toEqual([]);
  });
});

/** Titles that are data: cases of recorded inputs and requirement ids of the rows. */
function isRecorded(file: string, title: string): boolean {
  return file.endsWith('.json')
    ? readFileSync(file, 'utf8').includes(title)
    : /^(?:kc|wh)-vec-\d+$/.test(title) && existsVector(title);
}

function existsVector(id: string): boolean {
  return filesOf('test/golden', /\.json$/).some(
    (file) => file.includes(id) || readFileSync(file, 'utf8').includes(`"${id}"`),
  );
}

function filesOf(folder: string, ending = /\.test\.ts$/): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
