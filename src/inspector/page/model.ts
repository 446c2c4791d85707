// What the page knows: rows from the stream, the charts, and what the person chose (kept in the URL).

import type { WireRow } from '../wire.js';

export { ageText as age } from '../wire.js';
export type { WireDetail as Detail, WireHistory as History, WireRow as Row } from '../wire.js';
type Row = WireRow;

/** One machine. */
export interface Chart {
  readonly id: string;
  readonly svg: string;
  readonly states: readonly { readonly id: string; readonly description: string; readonly parent: string | null }[];
}

/** What the person chose. */
export interface Choice {
  machine: string;
  filter: string;
  selected: string;
  timeline: boolean;
  /** Sequence number of the history entry that is shown instead of now; null for now. */
  at: number | null;
}

/** Reads the choice from the page's address. */
export function readChoice(search: string): Choice {
  const query = new URLSearchParams(search);
  return {
    machine: query.get('machine') ?? '',
    filter: query.get('filter') ?? '',
    selected: query.get('actor') ?? '',
    timeline: query.get('view') === 'timeline',
    at: null,
  };
}

/** Writes the choice into an address that can be shared. */
export function writeChoice(choice: Choice): string {
  const query = new URLSearchParams();
  if (choice.machine !== '') query.set('machine', choice.machine);
  if (choice.filter !== '') query.set('filter', choice.filter);
  if (choice.selected !== '') query.set('actor', choice.selected);
  if (choice.timeline) query.set('view', 'timeline');
  const text = query.toString();
  return text === '' ? '/' : `/?${text}`;
}

/** A filter as a predicate: `ns=` `cluster=` `state=` `role=` `error`, everything else is text in names, waits and errors. */
export function filterOf(text: string): (row: Row) => boolean {
  const tests = wordsOf(text.toLowerCase()).map((word): ((row: Row) => boolean) => {
    const [name, value] = word.split('=', 2);
    if (value !== undefined) {
      if (name === 'ns') return (row) => row.ns.toLowerCase() === value;
      if (name === 'cluster') return (row) => row.c.toLowerCase() === value;
      if (name === 'state') return (row) => row.st.toLowerCase() === value;
      if (name === 'role') return (row) => row.r.toLowerCase() === value;
    }
    if (word === 'error') return (row) => row.err !== null;
    return (row) => `${row.ns}/${row.n} ${row.c} ${row.w} ${row.err ?? ''}`.toLowerCase().includes(word);
  });
  return (row) => tests.every((test) => test(row));
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** The filter with a word of a chip added, exchanged for another one of its kind, or taken away. */
export function toggleWord(filter: string, word: string): string {
  const kind = word.includes('=') ? word.slice(0, word.indexOf('=') + 1).toLowerCase() : word;
  const others = wordsOf(filter).filter((each) => !each.toLowerCase().startsWith(kind));
  return (hasWord(filter, word) ? others : [...others, word]).join(' ');
}

/** Whether a filter has this word. */
export function hasWord(filter: string, word: string): boolean {
  return wordsOf(filter.toLowerCase()).includes(word.toLowerCase());
}

/** How an actor does, told by a sign as well as by its colour. */
export type Standing = 'error' | 'moving' | 'waiting' | 'rest';

/** The sign of a standing. */
export const SIGNS: Readonly<Record<Standing, string>> = { error: '▲', moving: '▶', waiting: '◆', rest: '●' };

/** How an actor does. */
export function standingOf(row: Row): Standing {
  if (row.err !== null) return 'error';
  if (row.busy) return 'moving';
  return row.w === '' ? 'rest' : 'waiting';
}

const RANKS: Readonly<Record<Standing, number>> = { error: 0, moving: 1, waiting: 1, rest: 2 };

/** Worst first: with an error, then those that have not arrived, longest there first; those at rest last. */
export function sortWorstFirst(rows: readonly Row[]): readonly Row[] {
  return rows
    .map((row) => ({ row, rank: RANKS[standingOf(row)] }))
    .sort((a, b) => a.rank - b.rank || a.row.since - b.row.since || (a.row.k < b.row.k ? -1 : 1))
    .map(({ row }) => row);
}

/** A moment as the person's clock shows it: `03:04:05`. */
export function timeText(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}
