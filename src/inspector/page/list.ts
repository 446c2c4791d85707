// The list of actors: worst first, only the visible rows are in the document, arrow keys move the selection.

import { el } from './dom.js';
import { age, SIGNS, standingOf, type Row } from './model.js';

const ROW_HEIGHT = 44;
const MARGIN = 6;
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

/** A list that shows whatever it is given. */
export interface ActorList {
  show(rows: readonly Row[], selected: string, nowMs: number): void;
}

/** Binds the list to its element. `open` is called for a click or Enter, after `select`. */
export function createList(
  element: HTMLElement,
  { select, open }: { readonly select: (key: string) => void; readonly open: () => void },
): ActorList {
  const spacer = el('div', { class: 'spacer' });
  const none = el('p', { class: 'empty none', hidden: true }, 'No actor fits the filter.');
  element.append(none, spacer);
  const pool = new Map<string, Item>();
  let rows: readonly Row[] = [];
  let selected = '';
  let nowMs = 0;

  const pick = (key: string): void => {
    select(key);
    open();
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
    select(next.k);
  };

  element.addEventListener('scroll', () => requestAnimationFrame(draw), { passive: true });
  window.addEventListener('resize', () => requestAnimationFrame(draw));
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && selected !== '') open();
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(step);
  });

  return {
    show(next, key, now) {
      rows = next;
      selected = key;
      nowMs = now;
      none.hidden = rows.length > 0;
      spacer.style.height = `${rows.length * ROW_HEIGHT}px`;
      element.setAttribute('aria-activedescendant', key === '' ? '' : itemId(key));
      draw();
    },
  };
}

interface Item {
  readonly element: HTMLElement;
  readonly sign: HTMLElement;
  readonly name: HTMLElement;
  readonly age: HTMLElement;
  readonly note: HTMLElement;
  readonly state: HTMLElement;
}

function itemId(key: string): string {
  return `actor-${key.replace(/[^A-Za-z0-9_-]/g, '-')}`;
}

function newItem(row: Row, pick: (key: string) => void): Item {
  const sign = el('span', { class: 'sign', 'aria-hidden': 'true' });
  const name = el('span', { class: 'name' });
  const time = el('span', { class: 'age' });
  const note = el('span', { class: 'note' });
  const state = el('span', { class: 'in' });
  const element = el(
    'div',
    { class: 'actor', role: 'option', id: itemId(row.k), onclick: () => pick(row.k) },
    el('div', { class: 'top' }, sign, name, time),
    el('div', { class: 'under' }, note, state),
  );
  return { element, sign, name, age: time, note, state };
}

interface Place {
  readonly index: number;
  readonly size: number;
  readonly isSelected: boolean;
  readonly nowMs: number;
}

function fill({ element, ...parts }: Item, row: Row, { index, size, isSelected, nowMs }: Place): void {
  const standing = standingOf(row);
  const attributes: Readonly<Record<string, string>> = {
    'data-standing': standing,
    'aria-posinset': String(index + 1),
    'aria-setsize': String(size),
    'aria-selected': String(isSelected),
    title: `${row.ns}/${row.n}: ${row.st}, ${standing === 'rest' ? 'at rest' : standing}`,
  };
  for (const [name, value] of Object.entries(attributes))
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  const transform = `translateY(${index * ROW_HEIGHT}px)`;
  if (element.style.transform !== transform) element.style.transform = transform;
  text(parts.sign, SIGNS[standing]);
  text(parts.name, `${row.ns}/${row.n}`);
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
