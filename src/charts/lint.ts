// What is wrong with a chart although it works: states nobody reaches or leaves, words that are missing.

import type { ChartModel } from './model.js';

/** One finding, as a sentence that names the state or row. */
export type Finding = string;

/** Checks a chart; an empty list means it reads well. */
export function lintChart(model: ChartModel): readonly Finding[] {
  const findings: Finding[] = [];
  const parents = new Set(model.states.map((state) => state.parent));
  const leaves = model.states.filter((state) => !parents.has(state.id));
  const reached = reachable(model);
  for (const state of leaves) {
    if (!reached.has(state.id)) findings.push(`${model.id}: state ${state.id} is not reached by drawn arrows`);
    const leaves_ = model.edges.some((edge) => edge.source === state.id && edge.target !== state.id);
    const rests = (model.stays[state.id] ?? []).length > 0;
    if (!leaves_ && !rests) findings.push(`${model.id}: state ${state.id} has no way out and no row that lets it rest`);
  }
  for (const state of model.states) {
    if (state.description.trim().length < 10) findings.push(`${model.id}: state ${state.id} has no description`);
  }
  const rows = [...model.edges.flatMap((edge) => edge.rows), ...Object.values(model.stays).flat()];
  for (const row of new Map(rows.map((each) => [each.rowId, each])).values()) {
    if (row.description.trim().length < 10) findings.push(`${model.id}: row ${row.rowId} has no description`);
    if (!/^(is|are|has|not|otherwise|always)/.test(row.guard))
      findings.push(`${model.id}: row ${row.rowId} has an unnamed guard ${row.guard}`);
    if (row.request !== null && model.requests[row.request] === undefined) {
      findings.push(`${model.id}: row ${row.rowId} asks for ${row.request}, which is not described`);
    }
  }
  return findings;
}

function reachable(model: ChartModel): ReadonlySet<string> {
  const seen = new Set([model.initial]);
  for (let grew = true; grew;) {
    grew = false;
    for (const edge of model.edges) {
      if (seen.has(edge.source) && !seen.has(edge.target)) {
        seen.add(edge.target);
        grew = true;
      }
    }
  }
  return seen;
}
