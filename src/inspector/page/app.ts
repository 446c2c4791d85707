// The page: takes rows from the stream, shows what the person chose. It only reads.

import { countStates, createChartView, edgeOf } from './chart-view.js';
import { showDetail, type Detail } from './detail.js';
import { byId, el } from './dom.js';
import { createList } from './list.js';
import { age, filterOf, readChoice, worstFirst, writeChoice, type Chart, type History, type Row } from './model.js';
import { showTimeline } from './timeline.js';

const RESTING = new Set(['Done', 'Running', 'TokenMonitoring', 'True', 'Initialized']);

const choice = readChoice(location.search);
const rows = new Map<string, Row>();
let charts: readonly Chart[] = [];
let detail: Detail | null = null;
let entryShown: History | null = null;
let skewMs = 0;
let isDirty = true;

const now = (): number => Date.now() + skewMs;

const list = createList(byId('list'), select);
const chartView = createChartView(byId('chart'), (state) => setFilter(`state=${state}`));

function select(key: string): void {
  if (choice.selected !== key) detail = null;
  choice.selected = key;
  entryShown = null;
  choice.at = null;
  const row = rows.get(key);
  if (row !== undefined) choice.machine = row.m;
  remember();
  void loadDetail();
  if (choice.timeline) drawTimeline();
}

function setFilter(text: string): void {
  choice.filter = choice.filter === text ? '' : text;
  (byId('filter') as HTMLInputElement).value = choice.filter;
  remember();
}

function remember(): void {
  history.replaceState(null, '', writeChoice(choice));
  isDirty = true;
}

async function loadDetail(): Promise<void> {
  const key = choice.selected;
  if (key === '') return;
  const answer = await fetch(`/api/actors/${key}`);
  if (!answer.ok || key !== choice.selected) return;
  detail = (await answer.json()) as Detail;
  isDirty = true;
}

function travel(entry: History): void {
  entryShown = entry;
  choice.at = entry.seq;
  isDirty = true;
}

function backToLive(): void {
  entryShown = null;
  choice.at = null;
  isDirty = true;
}

function draw(): void {
  const chart = charts.find((each) => each.id === choice.machine) ?? charts[0];
  if (chart === undefined) return;
  choice.machine = chart.id;
  const mine = [...rows.values()].filter((row) => row.m === chart.id);
  const counts = countStates(mine);
  drawHeader(chart, mine);
  drawChips(chart, mine, counts);
  list.show(mine.filter(filterOf(choice.filter)).sort(worstFirst(RESTING)), choice.selected, now());
  chartView.show(chart);
  const row = rows.get(choice.selected);
  const mark =
    entryShown ?? (row === undefined || row.m !== chart.id ? null : { to: row.st, edge: row.ed, row: row.row });
  chartView.mark({
    state: mark === null ? '' : mark.to,
    edge: mark === null ? '' : 'edge' in mark ? mark.edge : edgeOf(mark),
    rowId: mark === null ? '' : mark.row,
    counts,
  });
  drawTravel();
  if (row !== undefined) showDetail(row, detail, choice.at, now(), { travel });
}

function drawHeader(chart: Chart, mine: readonly Row[]): void {
  const tabs = charts.map((each) => {
    const tab = el(
      'button',
      {
        type: 'button',
        role: 'tab',
        'aria-selected': String(each.id === chart.id),
        onclick: () => chooseMachine(each.id),
      },
      each.id,
    );
    return tab;
  });
  if (
    byId('machines').childElementCount !== tabs.length ||
    byId('machines').querySelector('[aria-selected="true"]')?.textContent !== chart.id
  ) {
    byId('machines').replaceChildren(...tabs);
    const names: readonly (readonly [string, string])[] = [
      ['svg', 'SVG'],
      ['mmd', 'Mermaid'],
      ['puml', 'PlantUML'],
      ['scxml', 'SCXML'],
      ['json', 'XState JSON'],
    ];
    byId('exports').replaceChildren(
      ...names.map(([extension, name]) =>
        el('a', { href: `/charts/${chart.id}.${extension}`, download: `${chart.id}.${extension}` }, name),
      ),
    );
  }
  byId('totals').textContent =
    `${mine.length} actors, ${mine.filter((row) => !RESTING.has(row.st)).length} on their way`;
}

function chooseMachine(id: string): void {
  choice.machine = id;
  choice.selected = '';
  choice.filter = '';
  (byId('filter') as HTMLInputElement).value = '';
  detail = null;
  byId('detail').replaceChildren(el('p', { class: 'empty' }, 'Select an actor to see why it is where it is.'));
  remember();
}

function drawChips(chart: Chart, mine: readonly Row[], counts: ReadonlyMap<string, number>): void {
  const parents = new Set(chart.states.map((state) => state.parent));
  const wanted = chart.states
    .filter((state) => !parents.has(state.id))
    .map((state) => [`state=${state.id}`, state.id, counts.get(state.id) ?? 0, state.description] as const);
  const errors = mine.filter((row) => row.err !== null).length;
  const all = [...wanted, ['error', 'with error', errors, 'Actors whose last effect failed'] as const];
  const chips = byId('chips');
  if (chips.childElementCount !== all.length || chips.dataset['machine'] !== chart.id) {
    chips.dataset['machine'] = chart.id;
    chips.replaceChildren(
      ...all.map(([filter, name, , title]) =>
        el('button', { type: 'button', title, onclick: () => setFilter(filter) }, name, el('b', {}, '')),
      ),
    );
  }
  all.forEach(([filter, , count], index) => {
    const chip = chips.children[index];
    const number = chip?.querySelector('b');
    if (chip === undefined || number === null || number === undefined) return;
    if (number.textContent !== String(count)) number.textContent = String(count);
    chip.setAttribute('aria-pressed', String(choice.filter === filter));
    chip.classList.toggle('bad', filter === 'error' && count > 0);
  });
}

function drawTravel(): void {
  const bar = byId('travel');
  bar.hidden = entryShown === null;
  if (entryShown === null) return;
  bar.replaceChildren(
    'Showing ',
    el('b', {}, `${entryShown.row} ${entryShown.event}: ${entryShown.from || 'born'} → ${entryShown.to}`),
    `, ${age(now() - entryShown.atMs)} ago`,
    el('button', { type: 'button', onclick: backToLive }, 'Back to live'),
  );
}

function drawTimeline(): void {
  byId('timeline').hidden = !choice.timeline;
  byId('chart').hidden = choice.timeline;
  byId('timeline-button').setAttribute('aria-pressed', String(choice.timeline));
  const row = rows.get(choice.selected) ?? [...rows.values()].find((each) => each.c !== '');
  if (choice.timeline && row !== undefined) void showTimeline(byId('timeline'), row.ns, row.c, select);
}

function setLive(text: string, className: string): void {
  const pill = byId('live');
  pill.textContent = text;
  pill.className = `pill ${className}`;
}

function connect(): void {
  const stream = new EventSource('/api/stream');
  stream.addEventListener('full', (event) => {
    const data = JSON.parse((event as MessageEvent<string>).data) as { now: number; rows: Row[] };
    skewMs = data.now - Date.now();
    rows.clear();
    for (const row of data.rows) rows.set(row.k, row);
    setLive('live', 'live');
    isDirty = true;
    void loadDetail();
    void loadStatus();
    if (choice.timeline) drawTimeline();
  });
  stream.addEventListener('delta', (event) => {
    const data = JSON.parse((event as MessageEvent<string>).data) as { up: Row[]; rm: string[] };
    for (const row of data.up) rows.set(row.k, row);
    for (const key of data.rm) rows.delete(key);
    isDirty = true;
    if (data.up.some((row) => row.k === choice.selected)) void loadDetail();
    if (choice.timeline) drawTimeline();
  });
  stream.onerror = () => setLive('reconnecting', 'lost');
}

async function loadStatus(): Promise<void> {
  const status = (await (await fetch('/api/status')).json()) as { leader: boolean; identity: string };
  const pill = byId('leader');
  pill.hidden = status.leader;
  pill.textContent = status.leader ? '' : 'standby: another operator holds the Lease';
}

function toggleTimeline(): void {
  choice.timeline = !choice.timeline;
  remember();
  drawTimeline();
}

async function start(): Promise<void> {
  const filter = byId('filter') as HTMLInputElement;
  filter.value = choice.filter;
  filter.addEventListener('input', () => {
    choice.filter = filter.value.trim();
    remember();
  });
  byId('timeline-button').addEventListener('click', toggleTimeline);
  for (const how of ['in', 'out', 'fit'] as const)
    byId(`zoom-${how}`).addEventListener('click', () => chartView.zoom(how));
  document.addEventListener('keydown', (event) => {
    if (event.target instanceof HTMLInputElement) {
      if (event.key === 'Escape') byId('list').focus();
      return;
    }
    if (event.key === '/') {
      event.preventDefault();
      filter.focus();
    } else if (event.key === 't') toggleTimeline();
    else if (event.key === '+') chartView.zoom('in');
    else if (event.key === '-') chartView.zoom('out');
    else if (event.key === '0') chartView.zoom('fit');
    else if (event.key === 'Escape') backToLive();
    else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && event.target === document.body)
      byId('list').focus();
  });
  charts = (await (await fetch('/api/charts')).json()) as readonly Chart[];
  connect();
  const frame = (): void => {
    if (isDirty) {
      isDirty = false;
      draw();
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  setInterval(() => {
    isDirty = true;
  }, 1000);
}

void start();
