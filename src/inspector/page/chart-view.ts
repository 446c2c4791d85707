// The chart in the middle: drawn once per machine, then only classes and counts change.
//
// Shown small, a chart hides the words at its arrows and writes names and row ids larger: it stays readable on a phone.

import { svg } from './dom.js';
import type { Chart, History, Row } from './model.js';

/** Below this scale words at arrows cannot be read. */
const FAR_SCALE = 0.8;
/** Least scale to start with: a larger chart scrolls. */
const START_SCALE_MIN = 0.42;
const ZOOM_STEP = 1.25;
/** Sizes in pixels of the screen that text keeps when the chart is small. */
const NAME_PX = 12.5;
const IDS_PX = 9.5;
const CALLOUT_PX = 12;
/** Between an arrow's line and its ids, in units of the drawing. */
const IDS_GAP = 6;

/** What is marked: where the selected actor is, how it came there, and how many are in each state. */
export interface Marks {
  readonly state: string;
  /** `Source->Target`; empty for none. */
  readonly edge: string;
  readonly rowId: string;
  /** Of the selected actor; empty for none. */
  readonly name: string;
  readonly counts: ReadonlyMap<string, number>;
}

/** Shows one machine's chart. */
export interface ChartView {
  show(chart: Chart): void;
  /** `in`, `out`, or `fit` to the pane. */
  zoom(how: 'in' | 'out' | 'fit'): void;
  mark(marks: Marks): void;
}

/** Binds the view to its element; a click on a state filters the list. */
export function createChartView(element: HTMLElement, pickState: (state: string) => void): ChartView {
  let shown = '';
  let parents = new Map<string, string | null>();
  let isFitted = true;
  let scale = 1;
  let marked = '';
  const drawing = (): SVGSVGElement | null => element.querySelector('svg');
  const fitScale = (): number => {
    const box = drawing()?.viewBox.baseVal;
    if (box === undefined || element.clientWidth === 0) return 1;
    return Math.min((element.clientWidth - 16) / box.width, (element.clientHeight - 16) / box.height, 1);
  };
  const resize = (to: number): void => {
    const chart = drawing();
    if (chart === null) return;
    scale = Math.min(3, Math.max(0.15, to));
    chart.setAttribute('width', String(chart.viewBox.baseVal.width * scale));
    chart.removeAttribute('height');
    element.classList.toggle('far', scale < FAR_SCALE);
    sizeText(chart, scale);
    marked = '';
  };
  const fit = (): void => resize(Math.max(fitScale(), START_SCALE_MIN));
  new ResizeObserver(() => {
    if (isFitted && element.clientWidth > 0) fit();
  }).observe(element);
  element.addEventListener('click', (event) => {
    const state = (event.target as Element).closest('[data-state]')?.getAttribute('data-state');
    if (state !== null && state !== undefined) pickState(state);
  });
  element.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      isFitted = false;
      resize(event.deltaY < 0 ? scale * 1.1 : scale / 1.1);
    },
    { passive: false },
  );
  return {
    show(chart) {
      if (shown === chart.id) return;
      shown = chart.id;
      parents = new Map(chart.states.map((state) => [state.id, state.parent]));
      const parsed = new DOMParser().parseFromString(chart.svg, 'image/svg+xml').documentElement;
      for (const link of parsed.querySelectorAll('a')) link.replaceWith(...link.childNodes);
      const imported = document.importNode(parsed, true);
      for (const name of imported.querySelectorAll('.name, .badge')) keepPlace(name);
      for (const edge of imported.querySelectorAll('.edge')) moveIdsToLine(edge);
      element.replaceChildren(imported);
      isFitted = true;
      fit();
    },
    zoom(how) {
      isFitted = how === 'fit';
      if (how === 'fit') resize(fitScale());
      else resize(how === 'in' ? scale * ZOOM_STEP : scale / ZOOM_STEP);
    },
    mark(marks) {
      const chart = drawing();
      if (chart === null) return;
      const where = marks.state === '' ? '' : `: ${marks.name} is in ${marks.state}`;
      element.setAttribute('aria-label', `State chart of ${shown}${where}`);
      drawMarks(chart, marks, { scale, parent: parents.get(marks.state) ?? null });
      const place = `${marks.state} ${marks.edge}`;
      if (marks.state === '' || place === marked) return;
      marked = place;
      chart.querySelector('.state.active')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    },
  };
}

/** Remembers where the drawing put it: a small chart puts it elsewhere. */
function keepPlace(node: Element): void {
  node.setAttribute('data-place', node.getAttribute(node.classList.contains('badge') ? 'transform' : 'y') ?? '');
}

/** Puts the ids of an arrow beside its line: the words at the arrow, which a small chart hides, may lie a good way from it. */
function moveIdsToLine(edge: Element): void {
  const ids = edge.querySelector('.ids');
  const back = edge.querySelector('.label-back');
  if (ids === null || back === null) return;
  const number = (name: string): number => Number(back.getAttribute(name));
  const [left, right, y] = [number('x'), number('x') + number('width'), number('y') + number('height') / 2];
  const points = [...(edge.querySelector('.line')?.getAttribute('d') ?? '').matchAll(/[ML]([\d.-]+),([\d.-]+)/g)].map(
    (match) => [Number(match[1]), Number(match[2])] as const,
  );
  const beside = points.flatMap(([x, from], index) => {
    const [nextX, to] = points[index + 1] ?? [NaN, NaN];
    return nextX === x && Math.min(from, to) <= y && y <= Math.max(from, to) ? [x] : [];
  });
  const distance = (x: number): number => Math.max(left - x, x - right, 0);
  const x = beside.sort((a, b) => distance(a) - distance(b))[0];
  if (x === undefined || distance(x) > IDS_GAP * 4) return;
  const isLeft = x < (left + right) / 2;
  ids.setAttribute('x', String(isLeft ? x + IDS_GAP : x - IDS_GAP));
  ids.classList.add(isLeft ? 'after' : 'before');
}

/** Gives names, ids and counts a size that can be read at this scale. */
function sizeText(chart: SVGSVGElement, scale: number): void {
  const isFar = scale < FAR_SCALE;
  chart.style.setProperty('--ids', `${IDS_PX / scale}px`);
  for (const name of chart.querySelectorAll<SVGTextElement>('.name')) {
    const box = name.parentElement?.querySelector<SVGRectElement>('.box');
    if (box === null || box === undefined) continue;
    const width = Number(box.getAttribute('width'));
    const size = isFar ? Math.min(NAME_PX / scale, (width - 10) / ((name.textContent ?? '').length * 0.67)) : 14;
    name.style.fontSize = `${size}px`;
    const middle = Number(box.getAttribute('y')) + Number(box.getAttribute('height')) / 2 + size * 0.35;
    name.setAttribute('y', isFar ? String(middle) : (name.dataset['place'] ?? ''));
  }
  for (const badge of chart.querySelectorAll<SVGGElement>('.badge'))
    badge.setAttribute(
      'transform',
      `${badge.dataset['place'] ?? ''} scale(${isFar ? Math.min(1.9, 0.95 / scale) : 1})`,
    );
}

interface Shown {
  readonly scale: number;
  /** The state that holds the marked one; null for none. */
  readonly parent: string | null;
}

function drawMarks(chart: SVGSVGElement, { state, edge, rowId, counts }: Marks, { scale, parent }: Shown): void {
  for (const node of chart.querySelectorAll('.state')) {
    const id = node.getAttribute('data-state') ?? '';
    const count = counts.get(id) ?? 0;
    node.classList.toggle('active', id === state);
    node.classList.toggle('counted', count > 0);
    const badge = node.querySelector('.badge text');
    if (badge !== null && badge.textContent !== String(count)) badge.textContent = String(count);
  }
  for (const node of chart.querySelectorAll('.frame'))
    node.classList.toggle('active', parent !== null && node.getAttribute('data-state') === parent);
  let last: Element | null = null;
  for (const node of chart.querySelectorAll('.edge')) {
    const isLast = edge !== '' && node.getAttribute('data-edge') === edge;
    if (isLast) last = node;
    node.classList.toggle('last', isLast);
    for (const label of node.querySelectorAll('.label'))
      label.classList.toggle('row', isLast && (label.getAttribute('data-rows') ?? '').split(' ').includes(rowId));
  }
  const key = `${edge} ${rowId} ${scale}`;
  if (chart.dataset['marked'] === key) return;
  chart.dataset['marked'] = key;
  chart.querySelectorAll('.callout, .jump').forEach((node) => node.remove());
  if (last !== null && scale < FAR_SCALE) callOut(chart, last, rowId, scale);
  if (last === null && edge !== '') jump(chart, edge);
}

/** Says which row the last transition took, in words that can be read at this scale. */
function callOut(chart: SVGSVGElement, edge: Element, rowId: string, scale: number): void {
  const back = edge.querySelector('.label-back');
  if (back === null) return;
  const number = (name: string): number => Number(back.getAttribute(name));
  const lines = [...edge.querySelectorAll('.label.row')].map((label) => (label.textContent ?? '').trim());
  const words = lines.length === 0 ? rowId : lines.join(' ');
  const size = CALLOUT_PX / scale;
  const text = svg('text', {
    class: 'callout',
    y: number('y') + number('height') / 2 + size * 0.35,
    'font-size': size,
  }) as SVGTextElement;
  text.textContent = words;
  chart.append(text);
  const half = text.getComputedTextLength() / 2 + size / 2;
  const middle = number('x') + number('width') / 2;
  text.setAttribute('x', String(Math.max(half, Math.min(middle, chart.viewBox.baseVal.width - half))));
}

/** A healing arrow that was taken: drawn only then, from state to state. */
function jump(chart: SVGSVGElement, edge: string): void {
  const [from, to] = edge.split('->').map((id) => chart.querySelector(`.state[data-state="${CSS.escape(id)}"] .box`));
  if (from === null || to === null || from === undefined || to === undefined) return;
  const middle = (box: Element): readonly [number, number] => [
    Number(box.getAttribute('x')) + Number(box.getAttribute('width')) / 2,
    Number(box.getAttribute('y')) + Number(box.getAttribute('height')) / 2,
  ];
  const [x1, y1] = middle(from);
  const [x2, y2] = middle(to);
  const height = Number(to.getAttribute('height')) / 2;
  const y = y2 + (y1 < y2 ? -height : height);
  const path = svg('path', {
    class: 'jump',
    d: `M${x1},${y1} Q${(x1 + x2) / 2 + 40},${(y1 + y) / 2} ${x2},${y}`,
    'marker-end': 'url(#arrow-last)',
  });
  chart.append(path);
}

/** The arrow of a history entry. */
export function edgeOf(entry: Pick<History, 'from' | 'to'>): string {
  return `${entry.from}->${entry.to}`;
}

/** How many actors are in each state. */
export function countStates(rows: Iterable<Row>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row.st, (counts.get(row.st) ?? 0) + 1);
  return counts;
}
