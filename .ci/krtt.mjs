// Writes or checks docs/krtt.md: every requirement row with its machine rows, its tests and what turns them red.
//
// Made from test/requirements.json, the transition tables of machines/ and the titles under test/; nothing in it is typed by hand.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { findProofs } from './krtt-tests.mjs';
import { load } from './visualize.mjs';

const path = 'docs/krtt.md';
const sample = { max: 4_000, seed: 1 };

const controllers = [
  { name: 'kubeadmconfig', title: 'KubeadmConfig' },
  { name: 'cluster-initialized', title: 'Cluster: ControlPlaneInitialized' },
  { name: 'machine', title: 'Machine' },
  { name: 'machines-up-to-date', title: 'KubeadmControlPlane: MachinesUpToDate' },
];

/** The generator's step; returns the problems. */
export async function krtt({ check }) {
  const requirements = JSON.parse(readFileSync('test/requirements.json', 'utf8'));
  const rows = [];
  for (const { name } of controllers) rows.push(...(await machineRows(name)));
  const proofs = findProofs();
  const problems = problemsOf(requirements, rows, proofs);
  const text = `${documentOf(requirements, rows, proofs).join('\n')}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return problems;
  if (check) return [...problems, `${path} is stale: run npm run generate`];
  writeFileSync(path, text);
  process.stdout.write(`wrote ${path}\n`);
  return problems;
}

/** Models name Jest for their checks; nothing is checked here. */
const withoutJest = {
  name: 'without-jest',
  setup(build) {
    build.onResolve({ filter: /^@jest[/]globals$/ }, () => ({ path: 'jest', namespace: 'without-jest' }));
    build.onLoad({ filter: /.*/, namespace: 'without-jest' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** The rows of a machine, each with what it may say about conditions, as a sample of all combinations of facts tells. */
async function machineRows(name) {
  const models = Object.values(
    await load(`test/model/${name}-model.ts`, `krtt-${name}`, { plugins: [withoutJest] }),
  ).filter(isModel);
  const { eventsOf, rowFor } = await load('test/model/kit/model.ts', 'krtt-model');
  const table = models[0].table;
  const says = new Map(table.rows.map(({ id }) => [id, new Set()]));
  for (const model of models) {
    for (const event of eventsOf(model, sample)) {
      const row = rowFor(model, event);
      for (const { type, status, reason } of row?.conditions(event.facts) ?? []) {
        says.get(row.id).add(`\`${type}\` ${status}${reason === '' ? '' : ` ${reason}`}`);
      }
    }
  }
  return table.rows.map((row) => ({ ...row, controller: name, says: [...says.get(row.id)].sort() }));
}

function isModel(value) {
  return Array.isArray(value?.table?.rows) && value.base !== undefined && value.axes !== undefined;
}

/** Contradictions between requirements, machines and tests. */
function problemsOf(requirements, rows, proofs) {
  const known = new Set(requirements.map(({ id }) => id));
  const cited = new Set(rows.flatMap((row) => row.requirements));
  return [
    ...requirements
      .filter(({ id }) => !proofs.has(id))
      .map(({ id, statement }) => `${path}: ${id} has no test whose title names it: ${statement}`),
    ...requirements
      .filter(({ id, fault }) => fault === undefined && !cited.has(id))
      .map(({ id }) => `test/requirements.json: ${id} is in no machine row and names no fault that its test notices`),
    ...[...proofs]
      .filter(([id]) => !known.has(id))
      .flatMap(([id, tests]) => tests.map(({ file }) => `${file}: names ${id}, which is no requirement`)),
    ...rows.flatMap((row) =>
      row.requirements
        .filter((id) => !known.has(id))
        .map((id) => `machines/${row.controller}: row ${row.id} names ${id}, which is no requirement`),
    ),
  ];
}

function documentOf(requirements, rows, proofs) {
  return [
    '# Requirements, machine rows and tests',
    '',
    'Made by `npm run generate` from `test/requirements.json`, `machines/` and the titles under `test/`; `npm run verify` fails when a',
    'requirement has no test, when a test or a machine row names an unknown requirement, or when this file is stale.',
    '',
    '- [Requirements](#requirements): what is asked for, in our words; the ruling where we do otherwise or more; the machine rows that do it;',
    '  the tests that prove it; and what turns these tests red.',
    '- [Machine rows](#machine-rows): the transition tables, row by row. Charts and `explain` use the same ids.',
    '',
    'A *row mutant* is the machine with one thing of one row wrong: its guard negated, always or never true; another target, request or',
    'timer; a condition with another type, status, reason, message or v1beta1 twin, or without it; the row after its neighbour.',
    '`npm run test:mutate` makes them all and shows that none survives.',
    '',
    '## Requirements',
    '',
    '| Controller | Requirements | Tests that name them | Rulings |',
    '|---|---|---|---|',
    ...controllers.map(({ name, title }) => countsOf(title, ofController(requirements, name), proofs)),
    '',
    ...controllers.flatMap(({ name, title }) => [
      `### ${title}`,
      '',
      '| Id | What is asked for | Machine rows | Tests | Turns them red |',
      '|---|---|---|---|---|',
      ...ofController(requirements, name).map((each) => requirementLine(each, rows, proofs)),
      '',
    ]),
    '## Machine rows',
    '',
    'The first row whose event and guard fit decides. A row without a target leaves the state alone; `OBSERVED` is a look at the cluster,',
    '`EFFECT_FAILED` a request that did not get its work done, every other event a reply to a request.',
    '',
    ...controllers.flatMap(({ name, title }) => [
      `### Rows of ${title}`,
      '',
      '| Row | Meaning | Event and guard | Target | Asks for | Looks again | Conditions that it may write | Requirements |',
      '|---|---|---|---|---|---|---|---|',
      ...rows.filter(({ controller }) => controller === name).map(rowLine),
      '',
    ]),
  ].slice(0, -1);
}

function ofController(requirements, name) {
  return requirements.filter(({ controller }) => controller === name);
}

function countsOf(title, requirements, proofs) {
  const tests = new Set(
    requirements.flatMap(({ id }) => (proofs.get(id) ?? []).map((proof) => `${proof.file} ${proof.title}`)),
  );
  const rulings = requirements.filter(({ ruling }) => ruling !== undefined);
  return `| ${title} | ${requirements.length} | ${tests.size} | ${rulings.length} |`;
}

function requirementLine({ id, statement, ruling, fault }, rows, proofs) {
  const doing = rows.filter((row) => row.requirements.includes(id));
  const red = [
    ...(fault === undefined ? [] : [fault]),
    ...(doing.length === 0 ? [] : [`row mutants of ${doing.map((row) => row.id).join(', ')}`]),
  ];
  return line([
    anchor(id),
    plain(statement) + (ruling === undefined ? '' : `<br>**Ruling:** ${plain(ruling)}`),
    doing.map((row) => `[${row.id}](#${row.id.toLowerCase()})`).join(', '),
    byFile(proofs.get(id) ?? []),
    plain(red.join('; ')),
  ]);
}

/** Tests under the link to their file. */
function byFile(proofs) {
  const files = [...new Set(proofs.map(({ file }) => file))];
  return files
    .map((file) => {
      const titles = proofs.filter((proof) => proof.file === file).map(({ title }) => `<br>· ${plain(title)}`);
      return `[${file.replace(/^test\//u, '')}](../${file})${titles.join('')}`;
    })
    .join('<br>');
}

function rowLine(row) {
  return line([
    anchor(row.id),
    `**${plain(row.title)}.** ${plain(row.description)}`,
    `\`${row.on}\`<br>\`${row.guard}\``,
    row.target ?? '',
    row.request === null ? '' : `\`${row.request}\``,
    row.requeue === null ? (row.isInterruption ? 'a wake-up that was set stays' : '') : plain(row.requeue.why),
    row.says.join('<br>'),
    row.requirements.map((id) => `[${id}](#${id.toLowerCase()})`).join(' '),
  ]);
}

function anchor(id) {
  return `<a id="${id.toLowerCase()}"></a>${id}`;
}

function line(cells) {
  return `| ${cells.join(' | ')} |`;
}

/** Text for a cell: no bars, no lines, no tags outside of code. */
function plain(text) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('*', '\\*')))
    .join('`')
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/gu, ' ');
}

if (process.argv[1]?.endsWith('krtt.mjs')) {
  const problems = await krtt({ check: process.argv.includes('--check') });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
