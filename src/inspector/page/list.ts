// The list of actors: worst first, only the visible rows are in the document, arrow keys move the selection.

import { el } from './dom.js';
import { age, type Row } from './model.js';

const ROW_HEIGHT = 44;
const MARGIN = 6;

/** A list that shows whatever it is given. */
export interface ActorList {
  show(rows: readonly Row[], selected: string, nowMs: number): void;
}

/** Binds the list to its element. */
export function createList(element: HTMLElement, select: (key: string) => void): ActorList {
  const spacer = el('div', { class: 'spacer' });
  element.append(spacer);
  const pool = new Map<string, HTMLElement>();
  let rows: readonly Row[] = [];
  let selected = '';
  let nowMs = 0;

  const draw = (): void => {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_HEIGHT) - MARGIN);
    const last = Math.min(rows.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW_HEIGHT) + MARGIN);
    const seen = new Set<string>();
    for (let index = first; index < last; index += 1) {
      const row = rows[index];
      if (row === undefined) continue;
      seen.add(row.k);
      const item = pool.get(row.k) ?? newItem(row, select);
      if (!pool.has(row.k)) {
        pool.set(row.k, item);
        spacer.append(item);
      }
      fill(item, row, index, row.k === selected, nowMs);
      item.setAttribute('aria-setsize', String(rows.length));
    }
    for (const [key, item] of pool) {
      if (seen.has(key)) continue;
      item.remove();
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
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -1e9,
      End: 1e9,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  });

  return {
    show(next, key, now) {
      rows = next;
      selected = key;
      nowMs = now;
      spacer.style.height = `${rows.length * ROW_HEIGHT}px`;
      element.setAttribute('aria-activedescendant', key === '' ? '' : itemId(key));
      draw();
    },
  };
}

function itemId(key: string): string {
  return `actor-${key.replace(/[^A-Za-z0-9_-]/g, '-')}`;
}

function newItem(row: Row, select: (key: string) => void): HTMLElement {
  return el(
    'div',
    { class: 'actor', role: 'option', id: itemId(row.k), onclick: () => select(row.k) },
    el('div', { class: 'top' }, el('span', { class: 'name' }), el('span', { class: 'age' })),
    el('div', { class: 'under' }, el('span', { class: 'note' }), el('span', { class: 'in' })),
  );
}

function fill(item: HTMLElement, row: Row, index: number, isSelected: boolean, nowMs: number): void {
  const text = (selector: string, value: string): void => {
    const part = item.querySelector(selector);
    if (part !== null && part.textContent !== value) part.textContent = value;
  };
  item.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
  item.classList.toggle('bad', row.err !== null);
  item.setAttribute('aria-posinset', String(index + 1));
  item.setAttribute('aria-selected', String(isSelected));
  item.title = `${row.ns}/${row.n}`;
  text('.name', `${row.ns}/${row.n}`);
  text('.age', age(nowMs - row.since));
  text(
    '.note',
    row.err === null ? [row.c, row.r, row.row].filter((part) => part !== '').join(' · ') : `Error: ${row.err}`,
  );
  text('.in', row.st);
}
