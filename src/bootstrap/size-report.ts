// How large bootstrap data is, what makes it so, and the refusal when it is larger than allowed.
//
// A Secret holds base64 and clouds limit user data (16 KiB on many), some after compression: hence three sizes.
import { gzipSync } from 'node:zlib';

import type { Refused } from './bootstrap-types.js';
import type { BootstrapFormat, Contributor, NodeData } from './node-data.js';
import { refuseData } from './refusals.js';
import { RENDER_INPUT_CHARS_MAX, SECRET_DATA_BYTES_MAX, WRITTEN_BYTES_MAX } from './render-limits.js';

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
export function refuseTooMuch(node: NodeData, format: BootstrapFormat): Refused | null {
  const parts = partsOf(node, format);
  const given = sumOf(parts.map(({ chars }) => chars));
  if (given > RENDER_INPUT_CHARS_MAX) {
    const limit = `the limit of ${RENDER_INPUT_CHARS_MAX} beyond which no Secret holds the data`;
    const shown = parts.map(({ field, chars }) => ({ field, bytes: chars }));
    return refuse(`the parts of the bootstrap data have ${given} characters, more than ${limit}`, shown);
  }
  const written = sumOf(parts.map(({ bytesMin }) => bytesMin));
  if (written <= WRITTEN_BYTES_MAX) return null;
  const limit = `the limit of ${SECRET_DATA_BYTES_MAX} that a Secret holds`;
  const shown = parts.map(({ field, bytesMin }) => ({ field, bytes: bytesMin }));
  return refuse(`bootstrap data would have at least ${written} bytes, more than ${limit}`, shown);
}

/** A part of a node's data: the characters that were given, and the bytes that it takes at least in the output. */
interface Part {
  readonly field: string;
  readonly chars: number;
  readonly bytesMin: number;
}

function partsOf(node: NodeData, format: BootstrapFormat): readonly Part[] {
  const least = ITEM_BYTES_MIN[format];
  const bytesMin = format === 'ignition' ? ignitionBytesMin : cloudConfigBytesMin;
  const commands = ['bootCommands', 'preKubeadmCommands', 'postKubeadmCommands'] as const;
  return [
    ...node.files.map(({ field, content, encoding }) => {
      const isDecoded = format === 'ignition' && encoding === 'base64';
      return { field, chars: content.length, bytesMin: least.file + (isDecoded ? 0 : bytesMin(content)) };
    }),
    ...node.users.map((user, index) => {
      const chars = lengthOf(Object.values(user).flat());
      const hasSudoFile = format === 'ignition' && Boolean(user.sudo);
      return { field: `spec.users[${index}]`, chars, bytesMin: least.user + (hasSudoFile ? least.file : 0) };
    }),
    ...commands.map((name) => ({
      field: `spec.${name}`,
      chars: lengthOf(node[name]),
      // Ignition has no boot commands.
      bytesMin: format === 'ignition' && name === 'bootCommands' ? 0 : sumOf(node[name].map(commandBytesMin[format])),
    })),
    { field: 'spec.mounts', chars: lengthOf(node.mounts.flat()), bytesMin: node.mounts.length * least.mount },
    {
      field: 'spec.diskSetup.filesystems',
      chars: 0,
      bytesMin: (node.diskSetup?.filesystems?.length ?? 0) * least.filesystem,
    },
    {
      field: 'spec.ignition.containerLinuxConfig.additionalConfig',
      chars: node.ignition?.containerLinuxConfig?.additionalConfig?.length ?? 0,
      bytesMin: 0,
    },
  ];
}

/** What an item takes at least in the output: its fixed text with every value left out, rounded down. */
const ITEM_BYTES_MIN: Readonly<
  Record<BootstrapFormat, Readonly<Record<'file' | 'user' | 'mount' | 'filesystem', number>>>
> = {
  'cloud-config': { file: 30, user: 10, mount: 5, filesystem: 30 },
  ignition: { file: 70, user: 10, mount: 110, filesystem: 40 },
};

/** Content keeps its bytes, and every line gets a margin. */
function cloudConfigBytesMin(content: string): number {
  return content.length + 6 * occurrences(content, '\n');
}

/** Of a data URL: what is no letter, digit or mark takes three. White space may go on the way through YAML and does not count. */
function ignitionBytesMin(content: string): number {
  let bytes = 0;
  for (let at = 0; at < content.length; at += 1) {
    const code = content.charCodeAt(at);
    bytes += DATA_URL_BYTES_MIN[code] ?? (LINE_ENDS.has(code) ? 0 : 3);
  }
  return bytes;
}

const LINE_ENDS: ReadonlySet<number> = new Set([0x85, 0x2028, 0x2029]);

const DATA_URL_BYTES_MIN: readonly number[] = Array.from({ length: 0x80 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /\s/.test(char) ? 0 : encodeURIComponent(char).length;
});

/** A command stands in the runcmd list in quotes, or as a line of the script. */
const commandBytesMin: Readonly<Record<BootstrapFormat, (command: string) => number>> = {
  'cloud-config': (command) => command.length + 7,
  ignition: (command) => {
    const bytes = ignitionBytesMin(command);
    return bytes === 0 ? 0 : bytes + '%0A'.length;
  },
};

function occurrences(text: string, char: string): number {
  let count = 0;
  for (let at = text.indexOf(char); at !== -1; at = text.indexOf(char, at + 1)) count += 1;
  return count;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
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
