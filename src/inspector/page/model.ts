// What the page knows: rows from the stream, the charts, and what the person chose (kept in the URL).

/** One actor, as the stream sends it. */
export interface Row {
  readonly k: string;
  readonly m: string;
  readonly ns: string;
  readonly n: string;
  readonly c: string;
  readonly r: string;
  readonly st: string;
  readonly since: number;
  readonly row: string;
  readonly ev: string;
  readonly ed: string;
  readonly wake: number | null;
  readonly err: string | null;
  readonly tx: number;
}

/** One machine. */
export interface Chart {
  readonly id: string;
  readonly svg: string;
  readonly states: readonly { readonly id: string; readonly description: string; readonly parent: string | null }[];
}

/** One transition of an actor's ring. */
export interface History {
  readonly seq: number;
  readonly atMs: number;
  readonly event: string;
  readonly row: string;
  readonly from: string;
  readonly to: string;
  readonly request: string | null;
  readonly error: string | null;
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

/** A filter as a predicate: `ns=` `cluster=` `state=` `role=` `error`, everything else is text in names and errors. */
export function filterOf(text: string): (row: Row) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const tests = words.map((word): ((row: Row) => boolean) => {
    const [name, value] = word.split('=', 2);
    if (value !== undefined) {
      if (name === 'ns') return (row) => row.ns.toLowerCase() === value;
      if (name === 'cluster') return (row) => row.c.toLowerCase() === value;
      if (name === 'state') return (row) => row.st.toLowerCase() === value;
      if (name === 'role') return (row) => row.r.toLowerCase() === value;
    }
    if (word === 'error') return (row) => row.err !== null;
    return (row) => `${row.ns}/${row.n} ${row.c} ${row.err ?? ''}`.toLowerCase().includes(word);
  });
  return (row) => tests.every((test) => test(row));
}

/** Worst first: with an error, then those that have not arrived, longest there first; those at rest last. */
export function worstFirst(resting: ReadonlySet<string>): (a: Row, b: Row) => number {
  const rank = (row: Row): number => (row.err !== null ? 0 : resting.has(row.st) ? 2 : 1);
  return (a, b) => rank(a) - rank(b) || a.since - b.since || (a.k < b.k ? -1 : 1);
}

/** An age as kubectl prints it. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
