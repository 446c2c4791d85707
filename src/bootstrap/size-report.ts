// How large bootstrap data is, what makes it so, and the refusal when it is larger than allowed.
//
// A Secret holds base64 and clouds limit user data (16 KiB on many), some after compression: hence three sizes.
import { gzipSync } from 'node:zlib';

import type { Refused } from './bootstrap-types.js';
import type { Contributor } from './node-data.js';
import { refuseData } from './refusals.js';

const contributorsShown = 3;

/** Sizes in bytes and the fields responsible, the largest first. */
export interface SizeReport {
  readonly raw: number;
  readonly base64: number;
  readonly gzip: number;
  readonly contributors: readonly Contributor[];
}

/** The sizes of the data. */
export function sizeReport(bytes: Uint8Array, contributors: readonly Contributor[]): SizeReport {
  return {
    raw: bytes.length,
    base64: Math.ceil(bytes.length / 3) * 4,
    gzip: gzipSync(bytes).length,
    contributors: largestFirst(contributors),
  };
}

/** The refusal of data that is larger than the limit; null if it is not. A limit of 0 is none. */
export function refuseTooLarge(
  bytes: Uint8Array,
  contributors: readonly Contributor[],
  limitBytes: number,
): Refused | null {
  if (limitBytes === 0 || bytes.length <= limitBytes) return null;
  const shown = largestFirst(contributors).slice(0, contributorsShown);
  const largest = shown.map(({ field, bytes: count }) => `${field} (${count} bytes)`).join(', ');
  return refuseData({
    field: shown[0]?.field ?? 'spec',
    cause: `bootstrap data has ${bytes.length} bytes, more than the limit of ${limitBytes}; largest parts: ${largest}`,
  });
}

function largestFirst(contributors: readonly Contributor[]): readonly Contributor[] {
  return contributors.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
}
