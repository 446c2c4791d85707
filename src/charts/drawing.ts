// Measures and looks of a chart: shared by the layout, which needs sizes, and the drawing, which fills them.

import type { ChartEdge, ChartModel, ChartRow } from './model.js';

/** Width of a character of a state's name with room to be written larger when the chart is shown small. */
const NAME_CHARACTER = 12;
/** Widths of characters of an 11 px label in pixels: capitals are wide. */
const CAPITAL = 7.6;
const SMALL = 6;
const LABEL_LINES_MAX = 6;
/** A row's words go on a second line when they are longer than this. */
const LINE_CHARACTERS = 27;
/** Height of a line of a label or of a box, in pixels. */
export const LINE_HEIGHT = 14;
/** Height of a state's name, in pixels. */
export const NAME_HEIGHT = 30;

/** One line of text, with the rows it belongs to. */
export interface LabelLine {
  readonly text: string;
  readonly rows: readonly string[];
}

/** The text beside an arrow: rows with the same request share its line; at most six lines, then only ids. */
export function edgeLabels(edge: ChartEdge): readonly LabelLine[] {
  const lines = rowLines(edge.rows, '');
  if (lines.length <= LABEL_LINES_MAX) return lines;
  const shown = lines.slice(0, LABEL_LINES_MAX - 1);
  const named = new Set(shown.flatMap((line) => line.rows));
  const rest = edge.rows.map((row) => row.rowId).filter((id) => !named.has(id));
  if (rest.length === 0) return [...shown, { text: '…', rows: [] }];
  return [...shown, { text: `${rest.slice(0, 4).join(' ')}${rest.length > 4 ? ' …' : ''}`, rows: rest }];
}

/** The ids of an arrow's rows, for a chart that is shown too small for words. */
export function edgeIds(edge: ChartEdge): string {
  const ids = edge.rows.map((row) => row.rowId);
  return ids.length <= 3 ? ids.join(' ') : `${ids.slice(0, 2).join(' ')} +${ids.length - 2}`;
}

/** Size of an arrow's label in pixels. */
export function edgeLabelSize(edge: ChartEdge): { readonly width: number; readonly height: number } {
  const labels = edgeLabels(edge);
  return {
    width: Math.ceil(Math.max(...labels.map((label) => textWidth(label.text)))) + 8,
    height: labels.length * LINE_HEIGHT + 4,
  };
}

function textWidth(text: string): number {
  return [...text].reduce((sum, character) => sum + (/[A-Z_0-9\u21bb]/.test(character) ? CAPITAL : SMALL), 0);
}

/** The arrow that leads from a state to itself: its rows ask for the state's effect again. Drawn inside the box. */
export function selfEdge(model: ChartModel, stateId: string): ChartEdge | undefined {
  return model.edges.find((edge) => edge.source === stateId && edge.target === stateId);
}

/** Lines inside a state's box: rows that keep it there, and those that ask for its effect again. */
export function boxLines(
  model: ChartModel,
  stateId: string,
): { readonly stays: readonly LabelLine[]; readonly again: readonly LabelLine[] } {
  return {
    stays: rowLines(model.stays[stateId] ?? [], ''),
    again: rowLines(selfEdge(model, stateId)?.rows ?? [], '↻ '),
  };
}

/** Size of a state's box in pixels. */
export function stateSize(model: ChartModel, stateId: string): { readonly width: number; readonly height: number } {
  const { stays, again } = boxLines(model, stateId);
  const lines = [...stays, ...again];
  const widest = Math.max(stateId.length * NAME_CHARACTER, ...lines.map((line) => textWidth(line.text)));
  return {
    width: Math.ceil(Math.max(120, widest + 26)),
    height: NAME_HEIGHT + 4 + (lines.length === 0 ? 0 : lines.length * LINE_HEIGHT + 6),
  };
}

/** Rows as lines. Neighbours with the same request name it once, below them. */
function rowLines(rows: readonly ChartRow[], mark: string): readonly LabelLine[] {
  return rows.flatMap((row, index) => {
    const group = [row];
    for (let back = index - 1; back >= 0 && rows[back]?.request === row.request; back -= 1)
      group.push(rows[back] ?? row);
    const isLast = rows[index + 1]?.request !== row.request;
    const ids = [row.rowId];
    const request =
      row.request === null || !isLast ? [] : [{ text: `   / ${row.request}`, rows: group.map((each) => each.rowId) }];
    return [...wordsOf(row, mark).map((text) => ({ text, rows: ids })), ...request];
  });
}

/** A row's event and guard; a guard that always holds after an event says nothing. */
function wordsOf(row: ChartRow, mark: string): readonly string[] {
  const event = row.event === 'OBSERVED' ? '' : row.event;
  const isPlain = event !== '' && (row.guard === 'always' || row.guard === 'otherwise');
  const guard = isPlain ? '' : `[${row.guard}]`;
  const head = `${mark}${row.rowId} `;
  const line = `${head}${[event, guard].filter((part) => part !== '').join(' ')}`;
  if (event === '' || guard === '' || line.length <= LINE_CHARACTERS) return [line];
  return [`${head}${event}`, `   ${guard}`];
}

/** The looks, for light and dark; a page overrides the variables. */
export const STYLE = [
  '.chart{--ink:#1b2733;--quiet:#5b6875;--paper:#f7f9fb;--box:#fff;--line:#7b8794;--accent:#1d5fe0;--bad:#b3261e;font-family:ui-sans-serif,system-ui,sans-serif}',
  '@media (prefers-color-scheme:dark){.chart{--ink:#e6ebf0;--quiet:#9aa7b4;--paper:#12181e;--box:#1c252e;--line:#7f8b97;--accent:#7aa7ff;--bad:#ff8a80}}',
  '.paper{fill:var(--paper)}.frame rect{fill:none;stroke:var(--line);stroke-dasharray:4 4}.frame text{font:600 13px ui-sans-serif,system-ui,sans-serif;fill:var(--quiet)}',
  '.box{fill:var(--box);stroke:var(--line);stroke-width:1.5}.name{font:700 14px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:var(--ink)}',
  '.label{font:11px ui-sans-serif,system-ui,sans-serif;fill:var(--ink);white-space:pre}.state .label{fill:var(--quiet)}.label-back{fill:var(--paper);opacity:.92}.ids{display:none}',
  '.line{fill:none;stroke:var(--line);stroke-width:1.5}.edge.failure .line{stroke:var(--bad);stroke-dasharray:5 4}.edge.failure .label{fill:var(--bad)}',
  '.head{fill:var(--line)}.head.failure{fill:var(--bad)}.head.last{fill:var(--accent)}',
  '.healing path{fill:none;stroke:var(--quiet);stroke-width:1;stroke-dasharray:2 3;opacity:.6}.start{fill:var(--ink)}.start-line{fill:none;stroke:var(--ink)}',
  '.badge{display:none}.badge rect{fill:var(--ink)}.badge text{font:700 11px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:var(--box)}',
  '.state.active .box{stroke:var(--accent);stroke-width:3}.state.counted .badge{display:block}',
  '.edge.last .line{stroke:var(--accent);stroke-width:3.5;marker-end:url(#arrow-last)}.edge.last .label{fill:var(--accent);font-weight:600}',
].join('');
