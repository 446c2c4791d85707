// The list of actors: worst first, only the visible rows are in the document, arrow keys move the selection.

import { el } from './dom.js';
import { age, SIGNS, standingOf, type Row } from './model.js';

const ROW_HEIGHT = 44;
const MARGIN = 6;
/** Characters at the end of a name that are always shown: they tell siblings apart. */
const TAIL = 12;
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  j: 1,
  k: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -1e9,
  End: 1e9,
};

/** What else the list shows. */
export interface Listing {
  readonly selected: string;
  readonly nowMs: number;
  /** Said when there are no rows. */
  readonly whyEmpty: string;
}

/** A list that shows whatever it is given. */
export interface ActorList {
  show(rows: readonly Row[], listing: Listing): void;
}

/** What the person does here. `isStep`: by a key, on the way to somewhere else. */
export interface ListActions {
  readonly select: (key: string, isStep?: boolean) => void;
  /** Called for a click or Enter, after `select`; Enter takes the focus along. */
  readonly open: (takesFocus: boolean) => void;
  readonly clearFilter: () => void;
}

/** Binds the list to its element. */
export function createList(element: HTMLElement, { select, open, clearFilter }: ListActions): ActorList {
  const spacer = el('div', { class: 'spacer' });
  const words = el('span', {});
  const clear = el('button', { type: 'button', class: 'link', hidden: true, onclick: clearFilter }, 'Clear the filter');
  const none = el('p', { class: 'empty none' }, words, ' ', clear);
  element.append(none, spacer);
  const pool = new Map<string, Item>();
  let rows: readonly Row[] = [];
  let selected = '';
  let nowMs = 0;

  const pick = (key: string): void => {
    select(key);
    open(false);
  };
  const draw = (): void => {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_HEIGHT) - MARGIN);
    const last = Math.min(rows.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW_HEIGHT) + MARGIN);
    const seen = new Set<string>();
    for (let index = first; index < last; index += 1) {
      const row = rows[index];
      if (row === undefined) continue;
      seen.add(row.k);
      const item = pool.get(row.k) ?? newItem(row, pick);
      if (!pool.has(row.k)) {
        pool.set(row.k, item);
        spacer.append(item.element);
      }
      fill(item, row, { index, isSelected: row.k === selected, nowMs, size: rows.length });
    }
    for (const [key, item] of pool) {
      if (seen.has(key)) continue;
      item.element.remove();
      pool.delete(key);
    }
  };

  const move = (step: number): void => {
    const index = rows.findIndex((row) => row.k === selected);
    const next = rows[Math.min(rows.length - 1, Math.max(0, index + step))];
    if (next === undefined) return;
    const top = rows.indexOf(next) * ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + ROW_HEIGHT > element.scrollTop + element.clientHeight)
      element.scrollTop = top + ROW_HEIGHT - element.clientHeight;
    select(next.k, true);
  };

  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      draw();
    });
  };
  element.addEventListener('scroll', schedule, { passive: true });
  window.addEventListener('resize', schedule);
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && selected !== '') open(true);
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(step);
  });

  return {
    show(next, listing) {
      rows = next;
      ({ selected, nowMs } = listing);
      const { selected: key, whyEmpty } = listing;
      none.hidden = rows.length > 0;
      text(words, whyEmpty);
      clear.hidden = !whyEmpty.includes('filter');
      const height = `${rows.length * ROW_HEIGHT}px`;
      if (spacer.style.height !== height) spacer.style.height = height;
      element.setAttribute('aria-activedescendant', key === '' ? '' : itemId(key));
      draw();
    },
  };
}

interface Item {
  readonly element: HTMLElement;
  readonly sign: HTMLElement;
  readonly namespace: HTMLElement;
  readonly head: HTMLElement;
  readonly tail: HTMLElement;
  readonly age: HTMLElement;
  readonly note: HTMLElement;
  readonly state: HTMLElement;
}

function itemId(key: string): string {
  return `actor-${key.replace(/[^A-Za-z0-9_-]/g, '-')}`;
}

function newItem(row: Row, pick: (key: string) => void): Item {
  const sign = el('span', { class: 'sign', 'aria-hidden': 'true' });
  const namespace = el('small', {});
  const head = el('span', { class: 'head' });
  const tail = el('span', { class: 'tail' });
  const name = el('span', { class: 'name' }, el('span', { class: 'whole' }, head, tail), namespace);
  const time = el('span', { class: 'age' });
  const note = el('span', { class: 'note' });
  const state = el('span', { class: 'in' });
  const element = el(
    'div',
    { class: 'actor', role: 'option', id: itemId(row.k), onclick: () => pick(row.k) },
    el('div', { class: 'top' }, sign, name, time),
    el('div', { class: 'under' }, note, state),
  );
  return { element, sign, namespace, head, tail, age: time, note, state };
}

interface Place {
  readonly index: number;
  readonly size: number;
  readonly isSelected: boolean;
  readonly nowMs: number;
}

function fill({ element, ...parts }: Item, row: Row, { index, size, isSelected, nowMs }: Place): void {
  const standing = standingOf(row);
  const words = `${row.ns}/${row.n}: ${row.st}, ${standing === 'rest' ? 'at rest' : standing}`;
  const attributes: Readonly<Record<string, string>> = {
    'data-standing': standing,
    'aria-posinset': String(index + 1),
    'aria-setsize': String(size),
    'aria-selected': String(isSelected),
    'aria-label': words,
    title: `${words}\n${noteOf(row)}`,
  };
  for (const [name, value] of Object.entries(attributes))
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  const transform = `translateY(${index * ROW_HEIGHT}px)`;
  if (element.style.transform !== transform) element.style.transform = transform;
  text(parts.sign, SIGNS[standing]);
  text(parts.namespace, `${row.ns}/`);
  text(parts.head, row.n.slice(0, -TAIL));
  text(parts.tail, row.n.slice(-TAIL));
  text(parts.age, age(nowMs - row.since));
  text(parts.note, noteOf(row));
  text(parts.state, row.st);
}

function text(element: HTMLElement, value: string): void {
  if (element.textContent !== value) element.textContent = value;
}

/** The second line: the error, or what it waits for, or whose it is. */
function noteOf(row: Row): string {
  if (row.err !== null) return `Error: ${row.err}`;
  const who = [row.c, row.r].filter((part) => part !== '').join(' · ');
  if (row.w !== '') return `waits for ${row.w}${who === '' ? '' : ` · ${who}`}`;
  return [who, row.row].filter((part) => part !== '').join(' · ');
}
