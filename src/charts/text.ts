// A chart as text for other tools: Mermaid, PlantUML and SCXML.

import { escape } from './svg.js';
import { rowLabel, type ChartModel, type ChartRow } from './model.js';

const HEAD = 'Generated from the transition table; do not edit.';

/** Mermaid `stateDiagram-v2`. Labels lose the characters that Mermaid reads as syntax. */
export function chartMermaid(model: ChartModel): string {
  const clean = (text: string): string =>
    text
      .replace(/[:;#{}]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  const label = (rows: readonly ChartRow[]): string => rows.map((row) => clean(rowLabel(row))).join('<br/>');
  return [
    `%% ${HEAD}`,
    'stateDiagram-v2',
    `  [*] --> ${model.initial}`,
    ...nested(model, (state, inner) => [`  state ${state} {`, ...inner.map((name) => `    ${name}`), '  }']),
    ...model.states.map((state) => `  ${state.id} : ${state.id}`),
    ...model.edges.map((edge) => `  ${edge.source} --> ${edge.target} : ${label(edge.rows)}`),
    '',
  ].join('\n');
}

/** PlantUML state diagram. */
export function chartPlantUml(model: ChartModel): string {
  const label = (rows: readonly ChartRow[]): string => rows.map(rowLabel).join('\\n');
  return [
    '@startuml',
    `' ${HEAD}`,
    `title ${model.id}`,
    'hide empty description',
    ...nested(model, (state, inner) => [`state ${state} {`, ...inner.map((name) => `  state ${name}`), '}']),
    ...model.states.map((state) => `state ${state.id} : ${state.description.replaceAll('\n', ' ')}`),
    `[*] --> ${model.initial}`,
    ...model.edges.map(
      (edge) => `${edge.source} -${edge.failure ? '[dashed]' : ''}-> ${edge.target} : ${label(edge.rows)}`,
    ),
    '@enduml',
    '',
  ].join('\n');
}

/** W3C SCXML: the drawn arrows in their states and the healing table at the root, guards by name, requests as sent events. */
export function chartScxml(model: ChartModel): string {
  const transition = (row: ChartRow, target: string | null, indent: string): string => {
    const to = target === null ? '' : ` target="${escape(target)}"`;
    const open = `${indent}<transition event="${escape(row.event)}" cond="${escape(row.guard)}"${to}`;
    const note = `<!-- ${row.rowId} ${row.title.replaceAll('--', '—')} -->`;
    if (row.request === null) return `${indent}${note}\n${open}/>`;
    return `${indent}${note}\n${open}><send event="${escape(row.request)}"/></transition>`;
  };
  const state = (id: string, indent: string): string => {
    const inner = model.states.filter((each) => each.parent === id).map((each) => state(each.id, `${indent}  `));
    const own = [
      ...model.edges
        .filter((edge) => edge.source === id)
        .flatMap((edge) => edge.rows.map((row) => transition(row, edge.target, `${indent}  `))),
      ...(model.stays[id] ?? []).map((row) => transition(row, null, `${indent}  `)),
    ];
    return [`${indent}<state id="${escape(id)}">`, ...inner, ...own, `${indent}</state>`].join('\n');
  };
  const roots = model.states.filter((each) => each.parent === null);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${HEAD} -->`,
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="${escape(model.id)}" initial="${escape(model.initial)}">`,
    ...roots.map((each) => state(each.id, '  ')),
    ...Object.entries(model.healing).flatMap(([target, rows]) => rows.map((row) => transition(row, target, '  '))),
    '</scxml>',
    '',
  ].join('\n');
}

function nested(
  model: ChartModel,
  draw: (parent: string, inner: readonly string[]) => readonly string[],
): readonly string[] {
  const parents = [...new Set(model.states.flatMap((state) => (state.parent === null ? [] : [state.parent])))];
  return parents.flatMap((parent) =>
    draw(
      parent,
      model.states.filter((state) => state.parent === parent).map((state) => state.id),
    ),
  );
}
