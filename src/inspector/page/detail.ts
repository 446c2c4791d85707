// The right side: why the actor is here, what its object says, how it came here, and what it knows.
//
// It is drawn anew only when something of it changed: text that somebody selects, and what is folded open, stay.

import { byId, clock, el } from './dom.js';
import { age, SIGNS, standingOf, type Detail, type History, type Row } from './model.js';

/** What the person can do here. */
export interface DetailActions {
  readonly travel: (entry: History) => void;
  readonly goTo: (kind: string, namespace: string, name: string) => boolean;
}

let drawn: readonly unknown[] = [];
const open = new Set(['conditions', 'events', 'history']);

/** What is shown instead of now, and why there may be nothing to show. */
export interface DetailMoment {
  /** Sequence number of the history entry; null for now. */
  readonly at: number | null;
  readonly trouble: 'loading' | 'lost';
}

const TROUBLE: Readonly<Record<DetailMoment['trouble'], string>> = {
  loading: 'Asking the operator why it is here …',
  lost: 'The operator does not answer: it is asked again every second.',
};

/** Fills the right side. */
export function showDetail(row: Row, detail: Detail | null, moment: DetailMoment, actions: DetailActions): void {
  const { at, trouble } = moment;
  const now = [row.k, row.st, row.since, row.wake, row.err, detail, at, detail === null && trouble];
  if (now.every((value, index) => value === drawn[index]) && drawn.length > 0) return;
  const isSame = drawn[0] === row.k;
  drawn = now;
  const pane = byId('detail');
  const scroll = pane.scrollTop;
  const pastScroll = pane.querySelector('.past')?.scrollTop ?? 0;
  pane.replaceChildren(
    el('h2', {}, `${row.ns}/${row.n}`),
    el(
      'p',
      { class: 'standing', 'data-standing': standingOf(row) },
      el('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[standingOf(row)]),
      el('b', {}, row.st),
      ' for ',
      clock(row.since, 'ago'),
      ...(row.wake === null ? [] : [' · looks again in ', el('span', { id: 'wake' }, clock(row.wake, 'until'))]),
    ),
    ...(detail === null
      ? [el('p', { class: 'empty', role: 'status' }, TROUBLE[trouble])]
      : parts(row, detail, at, actions)),
  );
  pane.scrollTop = isSame ? scroll : 0;
  const past = pane.querySelector('.past');
  if (isSame && past !== null) past.scrollTop = pastScroll;
}

/** Says why there is nothing to show. */
export function showNoDetail(words: string): void {
  if (drawn[0] === words) return;
  drawn = [words];
  byId('detail').replaceChildren(el('p', { class: 'empty' }, words));
}

function parts(row: Row, detail: Detail, at: number | null, actions: DetailActions): readonly Node[] {
  const facts = factsOf(detail);
  return [
    why(detail, actions),
    ...others(row, detail),
    section('history', `History (${detail.history.length})`, history(detail, at, actions)),
    ...(detail.details === null || detail.details.conditions.length === 0
      ? []
      : [section('conditions', `Conditions (${detail.details.conditions.length})`, conditions(detail.details))]),
    ...(detail.details === null || detail.details.events.length === 0
      ? []
      : [section('events', `Events (${detail.details.events.length})`, events(detail.details))]),
    ...(facts.length === 0 ? [] : [section('facts', `Facts (${facts.length})`, factList(facts))]),
    section('terminal', 'In a terminal', terminal(row, detail)),
  ];
}

/** A part that folds; what was folded open stays open for the next actor. */
function section(id: string, title: string, content: Node): HTMLElement {
  const isOpen = open.has(id);
  const fold = el(
    'details',
    { id: `part-${id}`, open: isOpen },
    el('summary', {}, title),
    content,
  ) as HTMLDetailsElement;
  fold.addEventListener('toggle', () => {
    if (fold.open) open.add(id);
    else open.delete(id);
  });
  return fold;
}

function why({ why: answer }: Detail, actions: DetailActions): HTMLElement {
  if (answer === null)
    return el(
      'div',
      { class: 'why' },
      el('h3', {}, 'Why is it here?'),
      el('p', {}, 'Its object is gone, or not in the cache yet.'),
    );
  const waits = answer.waitsFor;
  const line = (name: string, ...content: readonly (Node | string)[]): readonly Node[] => [
    el('dt', {}, name),
    el('dd', {}, ...content),
  ];
  return el(
    'div',
    { class: answer.lastError === null ? 'why' : 'why bad', id: 'why' },
    el('h3', {}, 'Why is it here?'),
    el('p', { class: 'meaning' }, answer.stateMeaning),
    el('p', {}, el('b', { class: 'row-id' }, `${answer.row.id} ${answer.row.title}. `), answer.row.description),
    el(
      'dl',
      {},
      ...(waits === null ? [] : line('Waits for', target(waits, actions), ` ${waits.what}`)),
      ...(answer.lastError === null ? [] : line('Last error', `${answer.lastError.kind}: ${answer.lastError.message}`)),
      ...line('Unblocks it', answer.unblocks),
    ),
    el('p', { class: 'quiet' }, `decided by [${answer.row.guard}] · ${answer.row.requirements.join(' ')}`),
  );
}

/** The object that is waited for; a link to its actor when the page shows that. */
function target(
  waits: { readonly kind: string; readonly namespace: string; readonly name: string },
  actions: DetailActions,
): Node {
  const text = `${waits.kind} ${waits.namespace}/${waits.name}`;
  const link = el('button', { type: 'button', class: 'link', title: 'Show its actor' }, text);
  link.addEventListener('click', () => {
    if (!actions.goTo(waits.kind, waits.namespace, waits.name)) link.replaceWith(el('b', {}, text));
  });
  return link;
}

function others(row: Row, { others: times }: Detail): readonly Node[] {
  if (times === null) return [];
  return [
    el(
      'p',
      { class: 'quiet' },
      `Others left ${row.st} after ${seconds(times.p50Ms)} (half of them) or ${seconds(times.p95Ms)} (95 %), of ${times.count}.`,
    ),
  ];
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : age(ms);
}

function factsOf(detail: Detail): readonly (readonly [string, string])[] {
  return Object.entries(detail.why?.facts ?? {}).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([inner, each]): readonly [string, string] => [`${name}.${inner}`, String(each)])
      : [[name, Array.isArray(value) ? value.map(String).join(', ') : String(value)] as const],
  );
}

/** What holds comes first; what is false, empty or nothing follows quietly. */
function factList(facts: readonly (readonly [string, string])[]): HTMLElement {
  const isNothing = (value: string): boolean =>
    ['false', '', 'null', 'none', 'no', '0', '[object Object]'].includes(value);
  const sorted = [...facts.filter(([, value]) => !isNothing(value)), ...facts.filter(([, value]) => isNothing(value))];
  return el(
    'dl',
    { class: 'facts' },
    ...sorted.flatMap(([name, value]) => {
      const quiet = isNothing(value) ? 'nothing' : '';
      return [el('dt', { class: quiet }, name), el('dd', { class: quiet }, value === '' ? '–' : value)];
    }),
  );
}

/** Conditions that are False when all is well. */
const NEGATIVE: ReadonlySet<string> = new Set(['Paused', 'Deleting', 'Updating']);

function isUsual(type: string, status: string): boolean {
  return NEGATIVE.has(type) && status === 'False';
}

function markOf(type: string, status: string): string {
  if (NEGATIVE.has(type)) return status === 'False' ? '–' : '!';
  return status === 'True' ? '✓' : status === 'False' ? '✗' : '?';
}

function conditions({ conditions: list }: NonNullable<Detail['details']>): HTMLElement {
  return el(
    'ul',
    { class: 'conditions' },
    ...list.map(({ type, status, reason, message }) =>
      el(
        'li',
        { 'data-status': status, 'data-usual': isUsual(type, status) },
        el('span', { class: 'mark', 'aria-hidden': 'true' }, markOf(type, status)),
        el('b', {}, type),
        ` ${status} · ${reason}`,
        message === '' ? '' : `: ${message}`,
      ),
    ),
  );
}

function events({ events: list }: NonNullable<Detail['details']>): HTMLElement {
  return el(
    'ul',
    { class: 'events' },
    ...list.map(({ type, reason, message, count, atMs }) =>
      el(
        'li',
        { 'data-type': type },
        el('span', { class: 'quiet' }, clock(atMs, 'ago'), ' ago '),
        el('b', {}, `${type === 'Warning' ? '▲ ' : ''}${reason}`),
        ` ${message}${count > 1 ? ` (×${count})` : ''}`,
      ),
    ),
  );
}

function history(detail: Detail, at: number | null, actions: DetailActions): HTMLElement {
  const lines = [...detail.history].reverse().map((entry) =>
    el(
      'tr',
      {
        class: `pick${entry.error === null ? '' : ' bad'}${entry.seq === at ? ' picked' : ''}`,
        tabindex: '0',
        title: 'Show this transition on the chart',
        'data-seq': String(entry.seq),
        onclick: () => actions.travel(entry),
        onkeydown: (event: Event) => {
          if ((event as KeyboardEvent).key === 'Enter') actions.travel(entry);
        },
      },
      el('td', {}, clock(entry.lastMs, 'ago')),
      el('td', {}, entry.row),
      el('td', {}, ...words(entry)),
    ),
  );
  return el('div', { class: 'past' }, el('table', { class: 'history' }, el('tbody', {}, ...lines)));
}

function words(entry: History): readonly (Node | string)[] {
  const path =
    entry.from === entry.to ? `stays ${entry.to}` : `${entry.from === '' ? 'born' : entry.from} → ${entry.to}`;
  const more = [
    entry.event === 'OBSERVED' ? '' : `on ${entry.event}`,
    entry.request === null ? '' : `asks for ${entry.request}`,
    entry.waitsFor === null ? '' : `waits for ${entry.waitsFor.kind} ${entry.waitsFor.name}`,
    entry.error ?? '',
  ].filter((part) => part !== '');
  return [
    el('b', {}, path),
    entry.times > 1 ? ` ×${entry.times}` : '',
    ...(more.length === 0 ? [] : [el('div', { class: 'more' }, more.join(' · '))]),
  ];
}

function terminal(row: Row, detail: Detail): HTMLElement {
  const plural = detail.details?.plural ?? row.m;
  const kind = detail.why?.object.kind.toLowerCase() ?? row.m;
  const lines = [
    `kubectl describe ${plural} -n ${row.ns} ${row.n}`,
    `kubectl get ${plural} -n ${row.ns} ${row.n} -o yaml`,
    `kubectl get events -n ${row.ns} --field-selector involvedObject.uid=${row.k.slice(row.k.indexOf('/') + 1)}`,
    `kubeadm-bootstrap-operator explain ${kind}/${row.n} -n ${row.ns}`,
  ];
  return el(
    'div',
    {},
    ...lines.map((line) => {
      const code = el('code', {}, line);
      const button = el('button', { type: 'button', title: 'Copy this line' }, 'copy');
      button.addEventListener('click', () => void copy(line, code, button));
      return el('div', { class: 'command' }, code, button);
    }),
    el('p', {}, el('a', { href: `/api/actors/${row.k}/history.json` }, 'History as JSON')),
  );
}

/** Copies a line, or selects it where the browser forbids that. */
async function copy(line: string, code: HTMLElement, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(line);
    button.textContent = 'copied';
  } catch {
    getSelection()?.selectAllChildren(code);
    button.textContent = 'selected';
  }
  setTimeout(() => (button.textContent = 'copy'), 1500);
}
