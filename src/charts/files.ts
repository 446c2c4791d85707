// The files that show a machine: pictures, texts for other tools, and the README that holds them together. Pure.

import type { AnyRow, AnyTable, ChartLayout } from './model.js';
import { chartOf } from './model.js';
import { chartSvg } from './svg.js';
import { chartMermaid, chartPlantUml, chartScxml } from './text.js';
import { chartConfig } from './xstate-config.js';

/** Where row ids lead to, seen from visualizations/. */
const REQUIREMENTS = '../docs/krtt.md';

/** Endings of the files of a machine. */
export const CHART_EXTENSIONS = ['svg', 'mmd', 'puml', 'scxml', 'json'] as const;

/** A machine's files by name. */
export function chartFiles(table: AnyTable, layout: ChartLayout): ReadonlyMap<string, string> {
  const model = chartOf(table);
  return new Map([
    [`${model.id}.svg`, chartSvg(model, layout, REQUIREMENTS)],
    [`${model.id}.mmd`, chartMermaid(model)],
    [`${model.id}.puml`, chartPlantUml(model)],
    [`${model.id}.scxml`, chartScxml(model)],
    [`${model.id}.json`, `${JSON.stringify(chartConfig(table), null, 2)}\n`],
  ]);
}

/** The README of visualizations/. */
export function chartsReadme(tables: readonly AnyTable[]): string {
  return [
    '# State charts',
    '',
    'Made from the transition tables of `machines/` by `npm run generate`; `npm run verify` fails when one is stale. Arrows carry the ids of',
    'their rows; in the SVG files they link to the [requirement table](../docs/krtt.md). A short dashed arrow at the left of a state stands for',
    'the healing table at the root: every row is answered from every state, so that a lost reply, a crash or a lost snapshot heals on the next look.',
    '',
    ...tables.map(section),
  ].join('\n');
}

function section(table: AnyTable): string {
  const model = chartOf(table);
  const links = CHART_EXTENSIONS.map((extension) => `[${extension}](${model.id}.${extension})`).join(' · ');
  return [
    `## ${model.id}`,
    '',
    `![State chart of ${model.id}](${model.id}.svg)`,
    '',
    links,
    '',
    '| State | Meaning |',
    '|---|---|',
    ...model.states.map((state) => `| ${state.id} | ${state.description.replaceAll('|', '\\|')} |`),
    '',
    `<details><summary>All ${table.rows.length} rows, in the order in which they are asked</summary>`,
    '',
    '| Row | On | When | From | To | Asks for | Says |',
    '|---|---|---|---|---|---|---|',
    ...table.rows.map(rowLine),
    '',
    '</details>',
    '',
    '<details><summary>Mermaid</summary>',
    '',
    '```mermaid',
    chartMermaid(model).trimEnd(),
    '```',
    '',
    '</details>',
    '',
  ].join('\n');
}

/** A row with all its words. `From` names the states it is drawn from; it is answered from every state. */
function rowLine(row: AnyRow): string {
  const { id, on, guard, from, target, request, requeue, title, description, requirements } = row;
  const again = requeue === null ? '' : ` Looked at again: ${requeue.why}.`;
  const cells = [
    `[${id}](${REQUIREMENTS}#${id.toLowerCase()})`,
    `\`${on}\``,
    `\`${guard}\``,
    from.join(', '),
    target ?? 'where it is',
    request === null ? '' : `\`${request}\``,
    `**${title}.** ${description}${again} (${requirements.join(', ')})`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
