// Moments: the bar that says which one is shown instead of now, and the clocks that say how long ago things were.

import { clock, el } from './dom.js';
import { age, type History } from './model.js';

/** Ways out of a moment. */
export interface TravelActions {
  /** One transition back (-1) or forth (1). */
  readonly step: (by: -1 | 1) => void;
  readonly backToLive: () => void;
}

/** Fills the bar; hidden for now. */
export function drawTravel(bar: HTMLElement, entry: History | null, { step, backToLive }: TravelActions): void {
  const key = entry === null ? '' : String(entry.seq);
  bar.hidden = entry === null;
  if (entry === null || bar.dataset['seq'] === key) return;
  bar.dataset['seq'] = key;
  const { row, event, from, to, atMs } = entry;
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
export function tickClocks(nowMs: number): void {
  for (const element of document.querySelectorAll<HTMLElement>('.clock')) {
    const at = Number(element.dataset['at']);
    const text = age(element.dataset['kind'] === 'until' ? at - nowMs : nowMs - at);
    if (element.textContent !== text) element.textContent = text;
  }
}
