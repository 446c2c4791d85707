// Points in time as Kubernetes prints them. (Durations: `secondsAsDuration` in src/api.)

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
