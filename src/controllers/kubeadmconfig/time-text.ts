// Times as texts: RFC 3339 in whole seconds and UTC, strictly read.

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** An instant as Go's `time.RFC3339` prints it in UTC. */
export function goDateTime(atMs: number): string {
  return `${new Date(Math.floor(atMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** The instant of an RFC 3339 text, or null when it is none. */
export function parseGoTime(text: string): number | null {
  const atMs = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}
