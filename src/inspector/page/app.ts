// The page: takes rows from the stream, shows what the person chose. It only reads.

import type { WireDelta, WireFull } from '../wire.js';
import { countStates, createChartView, edgeOf } from './chart-view.js';
import { showDetail, showNoDetail } from './detail.js';
import { byId, clock, el } from './dom.js';
import { drawHeader } from './header.js';
import { listenToKeys } from './keys.js';
import { createList } from './list.js';
import {
  age,
  filterOf,
  readChoice,
  toggleWord,
  worstFirst,
  writeChoice,
  type Chart,
  type Detail,
  type History,
  type Row,
} from './model.js';
import { createTimeline } from './timeline.js';

type Pane = 'list' | 'chart' | 'detail';

const choice = readChoice(location.search);
const rows = new Map<string, Row>();
let charts: readonly Chart[] = [];
let detail: Detail | null = null;
let entryShown: History | null = null;
let isFollowing = false;
let skewMs = 0;
let isDirty = true;

const now = (): number => Date.now() + skewMs;

const list = createList(byId('list'), { select, open: () => showPane('detail') });
const chartView = createChartView(byId('chart'), (state) => toggle(`state=${state}`));
const timeline = createTimeline(byId('timeline'), select);

function select(key: string): void {
  if (choice.selected !== key) detail = null;
  choice.selected = key;
  entryShown = null;
  choice.at = null;
  const row = rows.get(key);
  if (row !== undefined) choice.machine = row.m;
  remember();
  void loadDetail();
  drawTimeline();
}

function toggle(word: string): void {
  choice.filter = toggleWord(choice.filter, word);
  (byId('filter') as HTMLInputElement).value = choice.filter;
  remember();
}

function remember(): void {
  history.replaceState(null, '', writeChoice(choice));
  isDirty = true;
}

async function ask<T>(path: string): Promise<T | null> {
  // The operator may be gone for a moment: the stream says so, and asks again when it is back.
  const answer = await fetch(path).catch(() => null);
  return answer?.ok === true ? ((await answer.json().catch(() => null)) as T | null) : null;
}

let detailText = '';
let isLoading = false;
let isStale = false;
/** One question at a time: an actor that moves fast is asked for again when the answer is there. */
async function loadDetail(): Promise<void> {
  if (!rows.has(choice.selected)) return;
  isStale = true;
  if (isLoading) return;
  isLoading = true;
  while (isStale && choice.selected !== '') {
    isStale = false;
    const key = choice.selected;
    const answer = await ask<Detail>(`/api/actors/${key}`);
    const text = JSON.stringify(answer);
    if (answer !== null && key === choice.selected && (detail === null || text !== detailText)) {
      detail = answer;
      detailText = text;
      isDirty = true;
    }
  }
  isLoading = false;
}

function travel(entry: History): void {
  entryShown = entry;
  choice.at = entry.seq;
  isDirty = true;
  showPane('chart');
}

function backToLive(): void {
  entryShown = null;
  choice.at = null;
  isDirty = true;
}

/** Goes back (-1) or forth (1) in the selected actor's history; past its end is now. */
function step(by: -1 | 1): void {
  const entries = detail?.history ?? [];
  const at = entryShown === null ? entries.length : entries.findIndex((entry) => entry.seq === entryShown?.seq);
  const entry = entries[Math.max(0, at + by)];
  if (entry === undefined) backToLive();
  else travel(entry);
}

function draw(): void {
  const chart = charts.find((each) => each.id === choice.machine) ?? charts[0];
  if (chart === undefined) return;
  choice.machine = chart.id;
  const all = [...rows.values()];
  const mine = all.filter((row) => row.m === chart.id);
  const counts = countStates(mine);
  const sizes = new Map<string, number>();
  for (const row of all) sizes.set(row.m, (sizes.get(row.m) ?? 0) + 1);
  drawHeader(
    { charts, chart, mine, counts, sizes, filter: choice.filter, selected: choice.selected },
    { chooseMachine, toggle },
  );
  list.show(mine.filter(filterOf(choice.filter)).sort(worstFirst), choice.selected, now());
  chartView.show(chart);
  const row = rows.get(choice.selected);
  const isShown = row !== undefined && row.m === chart.id;
  if (!isShown) chartView.mark({ state: '', edge: '', rowId: '', counts });
  else if (entryShown === null) chartView.mark({ state: row.st, edge: row.ed, rowId: row.er, counts });
  else chartView.mark({ state: entryShown.to, edge: edgeOf(entryShown), rowId: entryShown.row, counts });
  drawTravel();
  if (row === undefined) showNoDetail(choice.selected !== '');
  else showDetail(row, detail, choice.at, { travel, goTo });
  tick();
}

/** Shows the actor of an object that is waited for; false when there is none. */
function goTo(kind: string, namespace: string, name: string): boolean {
  const words: Readonly<Record<string, string>> = {
    KubeadmConfig: 'kubeadmconfig',
    Machine: 'machine',
    Cluster: 'cluster-initialized',
  };
  const found = [...rows.values()].find((row) => row.m === words[kind] && row.ns === namespace && row.n === name);
  if (found === undefined) return false;
  choice.filter = '';
  (byId('filter') as HTMLInputElement).value = '';
  select(found.k);
  return true;
}

function chooseMachine(id: string): void {
  choice.machine = id;
  choice.selected = '';
  choice.filter = '';
  (byId('filter') as HTMLInputElement).value = '';
  detail = null;
  entryShown = null;
  remember();
}

function drawTravel(): void {
  const bar = byId('travel');
  const key = entryShown === null ? '' : String(entryShown.seq);
  bar.hidden = entryShown === null;
  if (entryShown === null || bar.dataset['seq'] === key) return;
  bar.dataset['seq'] = key;
  const { row, event, from, to, atMs } = entryShown;
  bar.replaceChildren(
    el('button', { type: 'button', title: 'One transition back ([)', onclick: () => step(-1) }, '◀'),
    el('button', { type: 'button', title: 'One transition forth (])', onclick: () => step(1) }, '▶'),
    el(
      'span',
      {},
      'Showing ',
      el('b', {}, `${row} ${event}: ${from === '' ? 'born' : from} → ${to}`),
      ', ',
      clock(atMs, 'ago'),
      ' ago',
    ),
    el('button', { type: 'button', onclick: backToLive }, 'Back to live'),
  );
}

/** Brings every time on the page up to date. */
function tick(): void {
  for (const element of document.querySelectorAll<HTMLElement>('.clock')) {
    const at = Number(element.dataset['at']);
    const text = age(element.dataset['kind'] === 'until' ? at - now() : now() - at);
    if (element.textContent !== text) element.textContent = text;
  }
}

function drawTimeline(): void {
  byId('timeline').hidden = !choice.timeline;
  byId('chart').hidden = choice.timeline;
  byId('timeline-button').setAttribute('aria-pressed', String(choice.timeline));
  if (!choice.timeline) return;
  const row = rows.get(choice.selected) ?? [...rows.values()].find((each) => each.c !== '');
  if (row !== undefined) void timeline.show(row.ns, row.c, choice.selected);
}

function showPane(pane: Pane): void {
  document.body.dataset['pane'] = pane;
  for (const button of byId('panes').children)
    button.setAttribute('aria-pressed', String(button.getAttribute('data-pane') === pane));
}

function setLive(text: string, className: string): void {
  const pill = byId('live');
  pill.textContent = text;
  pill.className = `pill ${className}`;
}

function connect(): void {
  const stream = new EventSource('/api/stream');
  stream.addEventListener('full', (event) => {
    const data = JSON.parse((event as MessageEvent<string>).data) as WireFull;
    skewMs = data.now - Date.now();
    rows.clear();
    for (const row of data.rows) rows.set(row.k, row);
    setLive('● live', 'live');
    isDirty = true;
    void loadDetail();
    void loadStatus();
    drawTimeline();
  });
  stream.addEventListener('delta', (event) => {
    const data = JSON.parse((event as MessageEvent<string>).data) as WireDelta;
    for (const row of data.up) rows.set(row.k, row);
    for (const key of data.rm) rows.delete(key);
    isDirty = true;
    const newest = isFollowing ? data.up.filter((row) => row.m === choice.machine).at(-1) : undefined;
    if (newest !== undefined && newest.k !== choice.selected) select(newest.k);
    else if (data.up.some((row) => row.k === choice.selected)) void loadDetail();
    drawTimeline();
  });
  stream.onerror = () => {
    setLive('○ reconnecting', 'lost');
    // A browser gives up for good on an answer that is no stream: it is asked for anew.
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, 2000);
  };
}

async function loadStatus(): Promise<void> {
  const status = await ask<{ readonly leader: boolean }>('/api/status');
  const pill = byId('leader');
  pill.hidden = status?.leader !== false;
  pill.textContent = status?.leader === false ? 'standby: another operator holds the Lease' : '';
}

function toggleTimeline(): void {
  choice.timeline = !choice.timeline;
  remember();
  drawTimeline();
  showPane('chart');
}

function toggleFollow(): void {
  isFollowing = !isFollowing;
  byId('follow').setAttribute('aria-pressed', String(isFollowing));
}

function bind(): void {
  const filter = byId('filter') as HTMLInputElement;
  filter.value = choice.filter;
  filter.addEventListener('input', () => {
    choice.filter = filter.value.trim();
    remember();
  });
  byId('timeline-button').addEventListener('click', toggleTimeline);
  byId('follow').addEventListener('click', toggleFollow);
  byId('help-button').addEventListener('click', () => (byId('help') as HTMLDialogElement).showModal());
  for (const how of ['in', 'out', 'fit'] as const)
    byId(`zoom-${how}`).addEventListener('click', () => chartView.zoom(how));
  for (const button of byId('panes').children)
    button.addEventListener('click', () => showPane((button as HTMLElement).dataset['pane'] as Pane));
  listenToKeys({
    filter,
    list: byId('list'),
    keys: {
      t: toggleTimeline,
      f: toggleFollow,
      m: () =>
        chooseMachine(charts[(charts.findIndex((each) => each.id === choice.machine) + 1) % charts.length]?.id ?? ''),
      '[': () => step(-1),
      ']': () => step(1),
      '+': () => chartView.zoom('in'),
      '-': () => chartView.zoom('out'),
      '0': () => chartView.zoom('fit'),
      '?': () => (byId('help') as HTMLDialogElement).showModal(),
      Escape: backToLive,
    },
  });
}

async function start(): Promise<void> {
  bind();
  showPane('list');
  for (;;) {
    charts = (await ask<readonly Chart[]>('/api/charts')) ?? [];
    if (charts.length > 0) break;
    setLive('○ reconnecting', 'lost');
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
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
    // Conditions and Events change without a transition; and an answer of a moment ago may be of the middle of a turn.
    if (rows.has(choice.selected) && document.visibilityState === 'visible') void loadDetail();
  }, 1000);
}

void start();
