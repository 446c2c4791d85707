// The top of the page: machines, count chips and exports. Elements are made once per machine, then only their text changes.

import { byId, el } from './dom.js';
import { hasWord, standingOf, type Chart, type Row } from './model.js';

const EXPORTS: readonly (readonly [string, string])[] = [
  ['svg', 'SVG'],
  ['mmd', 'Mermaid'],
  ['puml', 'PlantUML'],
  ['scxml', 'SCXML'],
  ['json', 'XState JSON'],
];

/** What the header shows. */
export interface HeaderState {
  readonly charts: readonly Chart[];
  readonly chart: Chart;
  readonly mine: readonly Row[];
  readonly counts: ReadonlyMap<string, number>;
  /** Actors of every machine, by machine. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly filter: string;
  readonly selected: string;
}

/** Draws tabs, totals, exports and chips. */
export function drawHeader(
  state: HeaderState,
  actions: { readonly chooseMachine: (id: string) => void; readonly toggle: (word: string) => void },
): void {
  drawTabs(state, actions.chooseMachine);
  drawExports(state);
  const { mine } = state;
  const moving = mine.filter((row) => standingOf(row) !== 'rest').length;
  setText(byId('totals'), `${mine.length} actors, ${moving} on their way`);
  drawChips(state, actions.toggle);
}

function drawTabs({ charts, chart, sizes }: HeaderState, choose: (id: string) => void): void {
  const tabs = byId('machines');
  if (tabs.childElementCount !== charts.length) {
    tabs.replaceChildren(
      ...charts.map((each) =>
        el(
          'button',
          { type: 'button', 'data-machine': each.id, onclick: () => choose(each.id) },
          each.id,
          ' ',
          el('small', {}),
        ),
      ),
    );
  }
  charts.forEach((each, index) => {
    const tab = tabs.children[index];
    tab?.setAttribute('aria-current', each.id === chart.id ? 'page' : 'false');
    const size = tab?.querySelector('small');
    if (size instanceof HTMLElement) setText(size, String(sizes.get(each.id) ?? 0));
  });
}

function drawExports({ chart, selected }: HeaderState): void {
  const links = byId('exports');
  const shown = `${chart.id} ${selected}`;
  if (links.dataset['shown'] === shown) return;
  links.dataset['shown'] = shown;
  links.replaceChildren(
    el('b', {}, `Chart of ${chart.id}`),
    ...EXPORTS.map(([extension, name]) =>
      el('a', { href: `/charts/${chart.id}.${extension}`, download: `${chart.id}.${extension}` }, name),
    ),
    ...(selected === ''
      ? []
      : [
          el('b', {}, 'Selected actor'),
          el('a', { href: `/api/actors/${selected}/history.json`, download: 'history.json' }, 'History JSON'),
        ]),
  );
}

function drawChips({ chart, mine, counts, filter }: HeaderState, toggle: (word: string) => void): void {
  const parents = new Set(chart.states.map((state) => state.parent));
  const chipsOf = chart.states
    .filter((state) => !parents.has(state.id))
    .map((state) => [`state=${state.id}`, state.id, counts.get(state.id) ?? 0, state.description] as const);
  const errors = mine.filter((row) => row.err !== null).length;
  const all = [['error', '▲ with error', errors, 'Actors whose last effect failed'] as const, ...chipsOf];
  const chips = byId('chips');
  if (chips.dataset['machine'] !== chart.id) {
    chips.dataset['machine'] = chart.id;
    chips.replaceChildren(
      ...all.map(([word, name, , title]) =>
        el('button', { type: 'button', title, 'data-word': word, onclick: () => toggle(word) }, name, el('b', {}, '')),
      ),
    );
  }
  all.forEach(([word, , count], index) => {
    const chip = chips.children[index];
    const number = chip?.querySelector('b');
    if (chip === undefined || number === null || number === undefined) return;
    setText(number, String(count));
    chip.setAttribute('aria-pressed', String(hasWord(filter, word)));
    chip.classList.toggle('none', count === 0);
    chip.classList.toggle('bad', word === 'error' && count > 0);
  });
}

function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
