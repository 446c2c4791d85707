// Whether a text is a duration as Go's time.ParseDuration reads it: `1h30m`, `1.5h`, `-10s`, `0`.

const DURATION = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;
const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};

/** Whether Go reads this duration, which must also fit 64 bits of nanoseconds. */
export function isGoDuration(text: string): boolean {
  if (!DURATION.test(text)) return false;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g)) {
    total += Number(amount) * (NANOSECONDS[unit] ?? 0);
  }
  return total <= 2 ** 63;
}
