// What checking a configuration finds: entries of four kinds, with the place they concern.
//
// The texts and their order follow upstream's reports, because users know them from the transpiler's own tool. An error is
// always fatal; in strict mode every entry is.

/** How bad an entry is. */
export type EntryKind = 'error' | 'warning' | 'info' | 'deprecated';

/** One finding. `position` is absent where the text has no place for it. */
export interface ReportEntry {
  readonly kind: EntryKind;
  readonly message: string;
  readonly position: Position | undefined;
}

/** A place in a YAML text, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Whether the configuration cannot be used. */
export function isFatal(entries: readonly ReportEntry[], strict: boolean): boolean {
  return strict ? entries.length > 0 : entries.some((entry) => entry.kind === 'error');
}

/** The entries as upstream prints them. */
export function printReport(entries: readonly ReportEntry[]): string {
  return entries.map(printEntry).join('\n');
}

function printEntry({ kind, message, position }: ReportEntry): string {
  if (position === undefined) return `${kind}: ${message}`;
  return `${kind} at line ${position.line}, column ${position.column}\n${message}`;
}
