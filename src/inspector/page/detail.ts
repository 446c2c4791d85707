// The right side: why the actor is here, what it knows, what its object says, and how it came here.

import { byId, el } from './dom.js';
import { age, type History, type Row } from './model.js';

/** What GET /api/actors/<key> answers. */
export interface Detail {
  readonly key: string;
  readonly now: number;
  readonly history: readonly History[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly why: {
    readonly stateMeaning: string;
    readonly row: {
      readonly id: string;
      readonly title: string;
      readonly description: string;
      readonly requirements: readonly string[];
    };
    readonly waitsFor: {
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly what: string;
      readonly remedy: string;
    } | null;
    readonly lastError: { readonly kind: string; readonly message: string } | null;
    readonly unblocks: string;
  } | null;
  readonly details: {
    readonly plural: string;
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
    readonly events: readonly {
      readonly type: string;
      readonly reason: string;
      readonly message: string;
      readonly at: string;
    }[];
  } | null;
  readonly others: { readonly p50Ms: number; readonly p95Ms: number; readonly count: number } | null;
}

/** What the person can do here. */
export interface DetailActions {
  readonly travel: (entry: History) => void;
}

/** Fills the right side. */
export function showDetail(
  row: Row,
  detail: Detail | null,
  at: number | null,
  nowMs: number,
  actions: DetailActions,
): void {
  const pane = byId('detail');
  const scroll = pane.scrollTop;
  pane.replaceChildren(
    el('h2', {}, `${row.ns}/${row.n}`),
    el('div', { class: 'quiet' }, `${row.st} for ${age(nowMs - row.since)}`, ...wakeUp(row, nowMs)),
    ...(detail === null ? [el('p', { class: 'empty' }, 'loading')] : parts(row, detail, at, nowMs, actions)),
  );
  pane.scrollTop = scroll;
}

function wakeUp(row: Row, nowMs: number): readonly Node[] {
  if (row.wake === null) return [];
  return [el('span', { id: 'wake' }, ` · looks again in ${age(row.wake - nowMs)}`)];
}

function parts(row: Row, detail: Detail, at: number | null, nowMs: number, actions: DetailActions): readonly Node[] {
  return [
    el('h3', {}, 'Why is it here?'),
    why(row, detail, nowMs),
    el('h3', {}, 'Facts'),
    el(
      'dl',
      {},
      ...Object.entries(detail.facts)
        .filter(([, value]) => typeof value !== 'object' || value === null)
        .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, String(value))]),
    ),
    ...conditions(detail),
    ...events(detail),
    el('h3', {}, `History (${detail.history.length})`),
    history(detail, at, nowMs, actions),
    el('h3', {}, 'In a terminal'),
    ...commands(row, detail),
    el('p', {}, el('a', { href: `/api/actors/${row.k}/history.json` }, 'History as JSON')),
  ];
}

function why(row: Row, detail: Detail, nowMs: number): HTMLElement {
  const answer = detail.why;
  if (answer === null) return el('div', { class: 'why' }, el('p', {}, 'Its object is gone or not in the cache yet.'));
  const waits = answer.waitsFor;
  return el(
    'div',
    { class: answer.lastError === null ? 'why' : 'why bad' },
    el('p', {}, answer.stateMeaning),
    el('p', {}, el('b', {}, `${answer.row.id} ${answer.row.title}. `), answer.row.description),
    ...(waits === null
      ? []
      : [el('p', {}, 'Waits for ', el('b', {}, `${waits.kind} ${waits.namespace}/${waits.name}`), `: ${waits.what}`)]),
    ...(answer.lastError === null ? [] : [el('p', {}, el('b', {}, 'Last error: '), answer.lastError.message)]),
    el('p', {}, el('b', {}, 'Unblocks it: '), answer.unblocks),
    ...(detail.others === null
      ? []
      : [
          el(
            'p',
            { class: 'quiet' },
            `Others spent ${age(detail.others.p50Ms)} (p50) to ${age(detail.others.p95Ms)} (p95) here; this one ${age(nowMs - row.since)}.`,
          ),
        ]),
    ...(answer.row.requirements.length === 0 ? [] : [el('p', { class: 'quiet' }, answer.row.requirements.join(' '))]),
  );
}

function conditions(detail: Detail): readonly Node[] {
  if (detail.details === null || detail.details.conditions.length === 0) return [];
  const marks: Readonly<Record<string, string>> = { True: '✓', False: '✗', Unknown: '?' };
  return [
    el('h3', {}, 'Conditions'),
    el(
      'ul',
      { class: 'conditions' },
      ...detail.details.conditions.map((condition) =>
        el(
          'li',
          {},
          `${marks[condition.status] ?? '?'} `,
          el('b', {}, condition.type),
          ` ${condition.status} · ${condition.reason}`,
          condition.message === '' ? '' : `: ${condition.message}`,
        ),
      ),
    ),
  ];
}

function events(detail: Detail): readonly Node[] {
  if (detail.details === null || detail.details.events.length === 0) return [];
  return [
    el('h3', {}, 'Events'),
    el(
      'ul',
      { class: 'events' },
      ...detail.details.events.map((event) => el('li', {}, el('b', {}, event.reason), ` ${event.message}`)),
    ),
  ];
}

function history(detail: Detail, at: number | null, nowMs: number, actions: DetailActions): HTMLElement {
  const lines = [...detail.history].reverse().map((entry) =>
    el(
      'tr',
      {
        class: `pick${entry.error === null ? '' : ' bad'}${entry.seq === at ? ' picked' : ''}`,
        tabindex: '0',
        title: 'Show this transition on the chart',
        onclick: () => actions.travel(entry),
        onkeydown: (event: Event) => {
          if ((event as KeyboardEvent).key === 'Enter') actions.travel(entry);
        },
      },
      el('td', {}, `${age(nowMs - entry.atMs)} ago`),
      el('td', {}, `${entry.row} ${entry.event === 'OBSERVED' ? '' : entry.event}`),
      el(
        'td',
        {},
        entry.from === entry.to ? `stays ${entry.to}` : `${entry.from || 'born'} → ${entry.to}`,
        entry.request === null ? '' : ` / ${entry.request}`,
        entry.error === null ? '' : ` · ${entry.error}`,
      ),
    ),
  );
  return el('table', {}, el('tbody', {}, ...lines));
}

function commands(row: Row, detail: Detail): readonly HTMLElement[] {
  const plural = detail.details?.plural ?? row.m;
  const kind = row.m;
  const lines = [
    `kubectl describe ${plural} -n ${row.ns} ${row.n}`,
    `kubectl get ${plural} -n ${row.ns} ${row.n} -o yaml`,
    `kubeadm-bootstrap-operator explain ${kind}/${row.n} -n ${row.ns}`,
  ];
  return lines.map((line) =>
    el(
      'div',
      { class: 'command' },
      el('code', {}, line),
      el('button', { type: 'button', title: 'Copy', onclick: () => void navigator.clipboard?.writeText(line) }, 'copy'),
    ),
  );
}
