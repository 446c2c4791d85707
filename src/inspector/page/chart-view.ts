// The chart in the middle: drawn once per machine, then only classes and counts change.

import type { Chart, History, Row } from './model.js';

/** Least scale at which the chart's text can be read: a wider chart scrolls. */
const READABLE_SCALE = 0.66;
const ZOOM_STEP = 1.25;

/** Shows one machine's chart. */
export interface ChartView {
  show(chart: Chart): void;
  /** `in`, `out`, or `fit` to the width of the pane. */
  zoom(how: 'in' | 'out' | 'fit'): void;
  /** Marks where the selected actor is, how it came there, and how many are in each state. */
  mark(options: {
    readonly state: string;
    readonly edge: string;
    readonly rowId: string;
    readonly counts: ReadonlyMap<string, number>;
  }): void;
}

/** Binds the view to its element; a click on a state filters the list. */
export function createChartView(element: HTMLElement, pickState: (state: string) => void): ChartView {
  let shown = '';
  let scale = 0;
  let centred = '';
  const svg = (): SVGSVGElement | null => element.querySelector('svg');
  const fitScale = (): number => (element.clientWidth - 24) / (svg()?.viewBox.baseVal.width ?? 1000);
  const resize = (to: number): void => {
    const drawing = svg();
    if (drawing === null) return;
    scale = Math.min(3, Math.max(0.2, to));
    drawing.setAttribute('width', String(drawing.viewBox.baseVal.width * scale));
    drawing.removeAttribute('height');
    centred = '';
  };
  const centre = (state: string): void => {
    if (state === centred) return;
    centred = state;
    element.querySelector('.state.active')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  };
  element.addEventListener('click', (event) => {
    const state = (event.target as Element).closest('[data-state]')?.getAttribute('data-state');
    if (state !== null && state !== undefined) pickState(state);
  });
  return {
    show(chart) {
      if (shown === chart.id) return;
      shown = chart.id;
      const parsed = new DOMParser().parseFromString(chart.svg, 'image/svg+xml').documentElement;
      for (const link of parsed.querySelectorAll('a')) link.replaceWith(...link.childNodes);
      element.replaceChildren(document.importNode(parsed, true));
      resize(Math.min(1, Math.max(READABLE_SCALE, fitScale())));
    },
    zoom(how) {
      resize(how === 'fit' ? fitScale() : how === 'in' ? scale * ZOOM_STEP : scale / ZOOM_STEP);
    },
    mark({ state, edge, rowId, counts }) {
      for (const node of element.querySelectorAll('.state')) {
        const id = node.getAttribute('data-state') ?? '';
        const count = counts.get(id) ?? 0;
        node.classList.toggle('active', id === state);
        node.classList.toggle('counted', count > 0);
        const badge = node.querySelector('.badge text');
        if (badge !== null && badge.textContent !== String(count)) badge.textContent = String(count);
      }
      for (const node of element.querySelectorAll('.frame')) {
        node.classList.toggle('active', state.startsWith(node.getAttribute('data-state') ?? '?'));
      }
      for (const node of element.querySelectorAll('.edge')) {
        const isLast = edge !== '' && node.getAttribute('data-edge') === edge;
        node.classList.toggle('last', isLast);
        for (const label of node.querySelectorAll('.label')) {
          label.classList.toggle('row', isLast && (label.textContent ?? '').startsWith(`${rowId} `));
        }
      }
      if (state !== '') centre(state);
    },
  };
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
