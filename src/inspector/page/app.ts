// The page: takes rows from the stream, shows what the person chose. It only reads.

import type { WireDelta, WireFull } from '../wire.js';
import { countStates, createChartView, edgeOf } from './chart-view.js';
import { ask, connect } from './connection.js';
import { showDetail, showNoDetail } from './detail.js';
import { byId } from './dom.js';
import { drawHeader } from './header.js';
import { listenToKeys } from './keys.js';
import { createList } from './list.js';
import {
  filterOf,
  readChoice,
  sortWorstFirst,
  timeText,
  toggleWord,
  writeChoice,
  type Chart,
  type Detail,
  type History,
  type Row,
} from './model.js';
import { createTimeline } from './timeline.js';
import { drawTravel, tickClocks } from './travel.js';

type Pane = 'list' | 'chart' | 'detail';

const choice = readChoice(location.search);
const rows = new Map<string, Row>();
let charts: readonly Chart[] = [];
let detail: Detail | null = null;
/** Why there is no detail: it is on its way, or nobody answers. */
let trouble: 'loading' | 'lost' = 'loading';
let entryShown: History | null = null;
let isFollowing = false;
let isStandby = false;
let skewMs = 0;
/** When the operator was heard last, while it is not there; the page shows that moment. */
let lostAtMs: number | null = null;
let heardAtMs: number | null = null;

const now = (): number => lostAtMs ?? Date.now() + skewMs;
const filterInput = (): HTMLInputElement => byId('filter') as HTMLInputElement;

const list = createList(byId('list'), { select, clearFilter: () => setFilter(''), open: openDetail });
const chartView = createChartView(byId('chart'), (state) => toggle(`state=${state}`));
const timeline = createTimeline(byId('timeline'), (key) => select(key));

let isScheduled = false;
/** Draws with the next frame: however much changes until then, once. */
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    draw();
  });
}

/** Selects an actor. Each step with the keyboard is no page of its own: `isStep` leaves the browser's history alone. */
function select(key: string, isStep = false): void {
  const isOther = choice.selected !== key;
  if (isOther) {
    detail = null;
    trouble = 'loading';
  }
  choice.selected = key;
  entryShown = null;
  choice.at = null;
  const row = rows.get(key);
  if (row !== undefined) choice.machine = row.m;
  remember(isOther && !isStep);
  void loadDetail();
  drawTimeline();
}

function toggle(word: string): void {
  setFilter(toggleWord(choice.filter, word));
}

function setFilter(filter: string): void {
  choice.filter = filter;
  filterInput().value = filter;
  remember(false);
}

/** Writes the choice into the address; with `isNew` as a page that the back button leaves. */
function remember(isNew: boolean): void {
  if (isNew) history.pushState(null, '', writeChoice(choice));
  else history.replaceState(null, '', writeChoice(choice));
  schedule();
}

/** The back and forward buttons. */
function goBack(): void {
  Object.assign(choice, readChoice(location.search));
  filterInput().value = choice.filter;
  detail = null;
  trouble = 'loading';
  entryShown = null;
  void loadDetail();
  drawTimeline();
  schedule();
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
    const answer = await ask<Detail | null>(`/api/actors/${key}`);
    if (key === choice.selected) takeDetail(answer.kind === 'answer' ? answer.value : null, answer.kind !== 'answer');
  }
  isLoading = false;
}

function takeDetail(answer: Detail | null, isLost: boolean): void {
  trouble = isLost ? 'lost' : 'loading';
  const text = JSON.stringify(answer);
  if (detail !== null && (answer === null || text === detailText)) return;
  detail = answer;
  detailText = text;
  schedule();
}

function travel(entry: History): void {
  entryShown = entry;
  choice.at = entry.seq;
  if (choice.timeline) toggleTimeline();
  schedule();
  showPane('chart');
}

function backToLive(): void {
  entryShown = null;
  choice.at = null;
  schedule();
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
  const { mine, sizes } = rowsOf(chart.id);
  const counts = countStates(mine);
  drawHeader(
    { charts, chart, mine, counts, sizes, filter: choice.filter, selected: choice.selected },
    { chooseMachine, toggle },
  );
  list.show(listed(mine), { selected: choice.selected, nowMs: now(), whyEmpty: whyEmpty(chart, mine) });
  chartView.show(chart);
  const row = rows.get(choice.selected);
  const isShown = row !== undefined && row.m === chart.id;
  if (!isShown) chartView.mark({ state: '', edge: '', rowId: '', counts, name: '' });
  else {
    const { to, edge, rowId } = entryShown === null ? liveOf(row) : entryOf(entryShown);
    chartView.mark({ state: to, edge, rowId, counts, name: row.n });
  }
  drawTravel(byId('travel'), entryShown, { step, backToLive });
  if (row === undefined) showNoDetail(whyNoDetail());
  else showDetail(row, detail, { at: choice.at, trouble }, { travel, goTo });
  document.title = row === undefined ? 'State charts' : `${row.n}: ${row.st}`;
  tickClocks(now());
}

const liveOf = (row: Row) => ({ to: row.st, edge: row.ed, rowId: row.er });
const entryOf = (entry: History) => ({ to: entry.to, edge: edgeOf(entry), rowId: entry.row });

/** The rows of a machine, and how many each machine has. */
function rowsOf(machine: string): { readonly mine: readonly Row[]; readonly sizes: ReadonlyMap<string, number> } {
  const sizes = new Map<string, number>();
  const mine: Row[] = [];
  for (const row of rows.values()) {
    sizes.set(row.m, (sizes.get(row.m) ?? 0) + 1);
    if (row.m === machine) mine.push(row);
  }
  return { mine, sizes };
}

let version = 0;
let sorted: { readonly key: string; readonly rows: readonly Row[] } = { key: '', rows: [] };
/** The rows of the list in their order; sorted again only when one of them, or the filter, is another. */
function listed(mine: readonly Row[]): readonly Row[] {
  const key = `${version} ${choice.machine} ${choice.filter}`;
  if (sorted.key !== key) sorted = { key, rows: sortWorstFirst(mine.filter(filterOf(choice.filter))) };
  return sorted.rows;
}

function whyEmpty(chart: Chart, mine: readonly Row[]): string {
  if (heardAtMs === null) return 'Waiting for the operator’s first answer.';
  if (mine.length > 0) return 'No actor fits the filter.';
  if (isStandby) return 'This operator is a standby: the actors are where the Lease is.';
  return `No object has an actor of ${chart.id} yet.`;
}

function whyNoDetail(): string {
  if (choice.selected === '') return 'Select an actor to see why it is where it is.';
  if (heardAtMs === null) return 'Waiting for the operator’s first answer.';
  return 'The selected actor is gone, or the operator has not looked at it since it started.';
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
  setFilter('');
  select(found.k);
  return true;
}

function chooseMachine(id: string): void {
  choice.machine = id;
  choice.selected = '';
  choice.filter = '';
  filterInput().value = '';
  detail = null;
  entryShown = null;
  remember(true);
  drawTimeline();
}

function drawTimeline(): void {
  byId('timeline').hidden = !choice.timeline;
  byId('chart-stage').hidden = choice.timeline;
  byId('timeline-button').setAttribute('aria-pressed', String(choice.timeline));
  if (!choice.timeline) return;
  const row = rows.get(choice.selected) ?? [...rows.values()].find((each) => each.c !== '');
  if (row === undefined)
    timeline.wait(
      heardAtMs === null
        ? 'Waiting for the operator’s first answer: lanes are drawn from what it has seen.'
        : 'No actor of a cluster yet: lanes appear with the first one.',
    );
  else if (row.c === '')
    timeline.wait(`${row.ns}/${row.n} belongs to no cluster yet: it has no lanes to stand beside.`);
  else void timeline.show(row.ns, row.c, choice.selected);
}

function openDetail(takesFocus: boolean): void {
  showPane('detail');
  if (takesFocus) byId('detail').focus();
}

function showPane(pane: Pane): void {
  document.body.dataset['pane'] = pane;
  for (const button of byId('panes').children)
    button.setAttribute('aria-pressed', String(button.getAttribute('data-pane') === pane));
}

function setLive(text: string, className: string): void {
  const pill = byId('live');
  if (pill.textContent === text) return;
  pill.textContent = text;
  pill.className = `pill ${className}`;
  document.body.classList.toggle('stale', className === 'lost');
}

function onFull(data: WireFull): void {
  hear(data.now);
  rows.clear();
  for (const row of data.rows) rows.set(row.k, row);
  version += 1;
  schedule();
  void loadDetail();
  void loadStatus();
  drawTimeline();
}

function onDelta(data: WireDelta): void {
  hear(data.now);
  for (const row of data.up) rows.set(row.k, row);
  for (const key of data.rm) rows.delete(key);
  version += 1;
  schedule();
  const newest = isFollowing ? data.up.filter((row) => row.m === choice.machine).at(-1) : undefined;
  if (newest !== undefined && newest.k !== choice.selected) select(newest.k, true);
  else if (data.up.some((row) => row.k === choice.selected)) void loadDetail();
  drawTimeline();
}

function hear(nowMs: number): void {
  skewMs = nowMs - Date.now();
  heardAtMs = nowMs;
  lostAtMs = null;
  setLive('● live', 'live');
}

/** Time stands still at the moment that is shown: nobody knows what happened since. */
function onLost(): void {
  lostAtMs ??= heardAtMs === null ? null : now();
  setLive(
    lostAtMs === null ? '○ connecting' : `○ reconnecting, showing the state of ${timeText(lostAtMs)}`,
    lostAtMs === null ? '' : 'lost',
  );
  schedule();
}

async function loadStatus(): Promise<void> {
  const answer = await ask<{ readonly leader: boolean }>('/api/status');
  isStandby = answer.kind === 'answer' && !answer.value.leader;
  const pill = byId('leader');
  pill.hidden = !isStandby;
  pill.textContent = isStandby ? 'standby: another operator holds the Lease' : '';
  schedule();
}

function toggleTimeline(): void {
  choice.timeline = !choice.timeline;
  remember(true);
  drawTimeline();
  showPane('chart');
}

function toggleFollow(): void {
  isFollowing = !isFollowing;
  byId('follow').setAttribute('aria-pressed', String(isFollowing));
}

function bind(): void {
  const filter = filterInput();
  filter.value = choice.filter;
  filter.addEventListener('input', () => {
    choice.filter = filter.value.trim();
    remember(false);
  });
  addEventListener('popstate', goBack);
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
    detail: byId('detail'),
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
  drawTimeline();
  for (;;) {
    const answer = await ask<readonly Chart[]>('/api/charts');
    charts = answer.kind === 'answer' ? answer.value : [];
    if (charts.length > 0) break;
    setLive('○ the operator does not answer, trying again', 'lost');
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  draw();
  connect({ onFull, onDelta, onLost });
  setInterval(() => {
    schedule();
    // Conditions and Events change without a transition; and an answer of a moment ago may be of the middle of a turn.
    if (rows.has(choice.selected) && document.visibilityState === 'visible') void loadDetail();
  }, 1000);
}

void start();
