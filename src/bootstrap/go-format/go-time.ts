// Times and durations as Go prints them.

/** Go's duration text for whole seconds: `0s`, `30s`, `4m0s`, `1h0m0s`. Leading zero units are left out, later ones kept. */
export function goDurationOfSeconds(seconds: number): string {
  if (seconds < 0) return `-${goDurationOfSeconds(-seconds)}`;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  if (hours > 0) return `${hours}h${minutes}m${seconds % 60}s`;
  if (minutes > 0) return `${minutes}m${seconds % 60}s`;
  return `${seconds}s`;
}

/** Go's duration text for whole days. Go has no unit above the hour. */
export function goDurationOfDays(days: number): string {
  return goDurationOfSeconds(days * 86_400);
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A metav1.Time as Kubernetes writes it back: UTC, whole seconds, `Z`. A text that is no time comes back as it is. */
export function goRfc3339(text: string): string {
  const match = rfc3339.exec(text);
  if (match === null) return text;
  const [, date, time, zone] = match;
  if (zone === 'Z') return `${date}T${time}Z`;
  const ms = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
