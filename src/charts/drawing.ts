// Measures and looks of a chart: shared by the layout, which needs sizes, and the drawing, which fills them.

import { rowLabel, stayLabels, type ChartEdge, type ChartModel } from './model.js';

const NAME_CHARACTER = 9;
const LABEL_CHARACTER = 6.3;
const LABEL_LINES_MAX = 4;

/** The text beside an arrow: at most four rows, and how many more there are. */
export function edgeLabels(edge: ChartEdge): readonly string[] {
  const labels = edge.rows.map(rowLabel);
  if (labels.length <= LABEL_LINES_MAX) return labels;
  const rest = edge.rows.slice(LABEL_LINES_MAX - 1).map((row) => row.rowId);
  return [...labels.slice(0, LABEL_LINES_MAX - 1), `${rest.slice(0, 4).join(', ')}${rest.length > 4 ? ', …' : ''}`];
}

/** Size of an arrow's label in pixels. */
export function edgeLabelSize(edge: ChartEdge): { readonly width: number; readonly height: number } {
  const labels = edgeLabels(edge);
  return {
    width: Math.ceil(Math.max(...labels.map((label) => label.length)) * LABEL_CHARACTER) + 8,
    height: labels.length * 14 + 4,
  };
}

/** Size of a state's box in pixels. */
export function stateSize(model: ChartModel, stateId: string): { readonly width: number; readonly height: number } {
  const lines = stayLabels(model, stateId);
  const widest = Math.max(stateId.length * NAME_CHARACTER, ...lines.map((line) => line.length * LABEL_CHARACTER));
  return {
    width: Math.ceil(Math.max(120, widest + 28)),
    height: 34 + (lines.length === 0 ? 0 : lines.length * 15 + 6),
  };
}

/** The looks, for light and dark; a page overrides the variables. */
export const STYLE = [
  '.chart{--ink:#1b2733;--quiet:#6b7785;--paper:#f7f9fb;--box:#fff;--line:#7b8794;--accent:#1d5fe0;--bad:#b3261e;font-family:ui-sans-serif,system-ui,sans-serif}',
  '@media (prefers-color-scheme:dark){.chart{--ink:#e6ebf0;--quiet:#9aa7b4;--paper:#12181e;--box:#1c252e;--line:#7f8b97;--accent:#7aa7ff;--bad:#ff8a80}}',
  '.paper{fill:var(--paper)}.frame rect{fill:none;stroke:var(--line);stroke-dasharray:4 4}.frame text{font:600 13px ui-sans-serif,system-ui,sans-serif;fill:var(--quiet)}',
  '.box{fill:var(--box);stroke:var(--line);stroke-width:1.5}.name{font:700 14px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:var(--ink)}',
  '.stay{font:11px ui-monospace,monospace;fill:var(--quiet)}.label{font:10.5px ui-monospace,monospace;fill:var(--ink)}.label-back{fill:var(--paper);opacity:.92}',
  '.line{fill:none;stroke:var(--line);stroke-width:1.4}.edge.failure .line{stroke:var(--bad);stroke-dasharray:5 4}.edge.failure .label{fill:var(--bad)}',
  '.head{fill:var(--line)}.head.failure{fill:var(--bad)}.head.last{fill:var(--accent)}',
  '.healing path{fill:none;stroke:var(--quiet);stroke-width:1;stroke-dasharray:2 3;opacity:.6}.start{fill:var(--ink)}.start-line{fill:none;stroke:var(--ink)}',
  '.badge{display:none}.badge rect{fill:var(--ink)}.badge text{font:700 11px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:var(--box)}',
  '.state.active .box{stroke:var(--accent);stroke-width:3}.state.counted .badge{display:block}',
  '.edge.last .line{stroke:var(--accent);stroke-width:3;marker-end:url(#arrow-last)}.edge.last .label{fill:var(--accent);font-weight:700}',
].join('');
