// Whether a text is a duration as Go's time.ParseDuration reads it: `1h30m`, `1.5h`, `-10s`, `0`.
import { parseDuration } from '../../api/text-forms.js';

/** Whether Go reads this duration, which must also fit 64 bits of nanoseconds. */
export function isGoDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}
