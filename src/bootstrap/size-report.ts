// How large bootstrap data is, what makes it so, and the refusal when it is larger than allowed.
//
// A Secret holds base64 and clouds limit user data (16 KiB on many), some after compression: hence three sizes.
import { gzipSync } from 'node:zlib';

import type { Refused } from './bootstrap-types.js';
import type { BootstrapFormat, Contributor, NodeData } from './node-data.js';
import { refuseData } from './refusals.js';
import { RENDER_INPUT_CHARS_MAX, SECRET_DATA_BYTES_MAX } from './render-limits.js';

const contributorsShown = 3;
/** The format's name stands beside the data in the Secret. */
const LONGEST_FORMAT: BootstrapFormat = 'cloud-config';

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

/** The refusal of data that is larger than the limit (0 is none), or than a Secret holds beside the name of its format; null if it is not. */
export function refuseTooLarge(
  bytes: Uint8Array,
  contributors: readonly Contributor[],
  limitBytes: number,
): Refused | null {
  const storedMax = SECRET_DATA_BYTES_MAX - LONGEST_FORMAT.length;
  const isOwnLimit = limitBytes !== 0 && limitBytes <= storedMax;
  const max = isOwnLimit ? limitBytes : storedMax;
  if (bytes.length <= max) return null;
  const limit = isOwnLimit ? `the limit of ${limitBytes}` : `the limit of ${storedMax} that a Secret holds`;
  return refuse(`bootstrap data has ${bytes.length} bytes, more than ${limit}`, contributors);
}

/** The refusal of a node whose data no Secret could hold, before it is written; null if it may be. */
export function refuseTooMuch(node: NodeData): Refused | null {
  const { bootCommands, preKubeadmCommands, postKubeadmCommands } = node;
  const parts: readonly Contributor[] = [
    ...node.files.map(({ field, content }) => ({ field, bytes: content.length })),
    ...node.users.map((user, index) => ({
      field: `spec.users[${index}]`,
      bytes: lengthOf(Object.values(user).flat()),
    })),
    { field: 'spec.bootCommands', bytes: lengthOf(bootCommands) },
    { field: 'spec.preKubeadmCommands', bytes: lengthOf(preKubeadmCommands) },
    { field: 'spec.postKubeadmCommands', bytes: lengthOf(postKubeadmCommands) },
    {
      field: 'spec.ignition.containerLinuxConfig.additionalConfig',
      bytes: node.ignition?.containerLinuxConfig?.additionalConfig?.length ?? 0,
    },
  ];
  const sum = parts.reduce((total, { bytes }) => total + bytes, 0);
  if (sum <= RENDER_INPUT_CHARS_MAX) return null;
  const limit = `the limit of ${RENDER_INPUT_CHARS_MAX} beyond which no Secret holds the data`;
  return refuse(`the parts of the bootstrap data have ${sum} characters, more than ${limit}`, parts);
}

function refuse(cause: string, contributors: readonly Contributor[]): Refused {
  const shown = largestFirst(contributors).slice(0, contributorsShown);
  const largest = shown.map(({ field, bytes: count }) => `${field} (${count} bytes)`).join(', ');
  return refuseData({ field: shown[0]?.field ?? 'spec', cause: `${cause}; largest parts: ${largest}` });
}

function lengthOf(texts: readonly unknown[]): number {
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
}

function largestFirst(contributors: readonly Contributor[]): readonly Contributor[] {
  return contributors.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
}
