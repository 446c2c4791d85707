// Texts, dates, numbers, templates and kubeconfigs that nobody expects in an object.

/** Words that mean something elsewhere, or nothing. */
export const WORDS = [
  '',
  ' ',
  'a',
  '%',
  '\u0000',
  '\u0085\u2028\ufeff',
  '\ud83d\ude00'.repeat(20),
  '\u202eabc',
  'é'.repeat(300),
  '__proto__',
  'constructor',
  '{{',
  '"\'`\\',
  '-----BEGIN RSA PRIVATE KEY-----',
  '-eyJ'.repeat(500),
  ': - ? & * ! | >',
  'true',
  '1e999',
  'null',
  '~',
] as const;
/** Dates at the ends of what the API takes. */
export const DATES = [
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '1969-12-31T23:59:59Z',
  '2026-02-28T23:59:60Z',
  '2026-01-01T00:00:00+14:00',
  '2026-01-01T00:00:00.123456789Z',
] as const;
/** Durations, sound and not. */
export const DURATIONS = [
  '0s',
  '-1h',
  '1ns',
  '2562047h47m16.854775807s',
  `${'1'.repeat(60)}h`,
  '1.5h',
  '.5s',
  '',
  '9'.repeat(3000),
];
/** Quantities, sound and not. */
export const QUANTITIES = [
  '1',
  '1e10000000',
  '1E-9999',
  '9'.repeat(2000),
  '-0',
  '1Ki',
  '.5',
  '1e40',
  '0.0000000000000001m',
];
/** Templates that take time, memory or depth, or fail. */
export const TEMPLATES = [
  '{{ range $i := .ControlPlane }}{{ end }}',
  '{{$t := printf "%4000000s" "x"}}{{range 7}}{{$u := urlquery $t}}{{end}}',
  '{{ range 100000 }}{{ range 100000 }}x{{ end }}{{ end }}',
  '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}',
  '{{ printf "%1000000d" 1 }}',
  `{{ template "${' '.repeat(1_500)}" }}`,
  `${'{{if 1}}'.repeat(2_000)}${'{{end}}'.repeat(2_000)}`,
  `{{ ${'('.repeat(5_000)}1${')'.repeat(5_000)} }}`,
  '{{ .ControlPlane.version.x.y }}',
  '{{ html (js (urlquery "<>\\u0000")) }}',
];
/** Texts that are no kubeconfig, and cost a reader something. */
export const KUBECONFIGS = [
  '',
  '\u0000',
  '{',
  '['.repeat(20_000),
  `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]`,
  Array.from({ length: 8_000 }, (_, index) => `k${index}: ${index}`).join('\n'),
  `x: &x {<<: *x}`,
  '!!js/function "x"',
  '--- a\n--- b',
  '? '.repeat(3_000),
  `${' '.repeat(100_000)}x`,
];
/** Addresses of servers that are none. */
export const SERVERS = [
  'https://127.0.0.1:1',
  'http://127.0.0.1:1/a?b#c',
  `https://h${'/'.repeat(40_000)}x`,
  'https://[::1',
  'https://user:pw@127.0.0.1:1',
  'file:///etc/passwd',
  'https://127.0.0.1:99999',
  '%',
];
