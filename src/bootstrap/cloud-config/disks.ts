// The sections disk_setup, fs_setup and mounts.
//
// The two headers of the disk setup come together even if one is empty. After the last element of every mount stands a
// line of four spaces; an empty filesystem label leaves its trailing space.
import type { DiskFilesystem, DiskPartition, DiskSetup } from '../spec-types.js';
import type { Piece } from './piece.js';

const partitionCodes: Readonly<Record<string, string>> = {
  Linux: '83',
  LinuxSwap: '82',
  LinuxRAID: 'fd',
  LVM: '8e',
  Fat32: '0c',
  NTFS: '07',
  LinuxExtended: '85',
};

/** Partition tables. */
export function diskSetup(given: DiskSetup | undefined): readonly Piece[] {
  if (given === undefined) return [];
  const text = (given.partitions ?? []).map(partition).join('');
  return [{ field: 'spec.diskSetup', text: `\ndisk_setup:${text}` }];
}

/** Filesystems. */
export function filesystemSetup(given: DiskSetup | undefined): readonly Piece[] {
  if (given === undefined) return [];
  const text = (given.filesystems ?? []).map(filesystem).join('');
  return [{ field: 'spec.diskSetup', text: `\nfs_setup:${text}` }];
}

/** Mounts: lists in a list. */
export function mounts(given: readonly (readonly string[])[]): readonly Piece[] {
  if (given.length === 0) return [];
  return [{ field: 'spec.mounts', text: `\nmounts:${given.map(mount).join('')}` }];
}

function partition({ device, tableType, diskLayout, layout, overwrite }: DiskPartition): string {
  return [
    `\n  ${device}:`,
    tableType ? `\n    table_type: ${tableType}` : '',
    diskLayout !== undefined && diskLayout.length > 0
      ? `\n    layout:${diskLayout.map(layoutItem).join('')}`
      : // The API asks for one of the two; without either, Go prints its nil.
        `\n    layout: ${layout ?? '<nil>'}`,
    overwrite === undefined ? '' : `\n    overwrite: ${overwrite}`,
  ].join('');
}

function layoutItem({ percentage, partitionType }: { readonly percentage: number; readonly partitionType?: string }) {
  if (!partitionType) return `\n      - ${percentage}`;
  const code = Object.hasOwn(partitionCodes, partitionType) ? partitionCodes[partitionType] : partitionType;
  return `\n      - [${percentage}, ${code}]`;
}

function filesystem(given: DiskFilesystem): string {
  const options = given.extraOpts ?? [];
  return [
    `\n  - label: ${given.label ?? ''}`,
    `\n    filesystem: ${given.filesystem}`,
    `\n    device: ${given.device}`,
    given.partition ? `\n    partition: ${given.partition}` : '',
    given.overwrite === undefined ? '' : `\n    overwrite: ${given.overwrite}`,
    given.replaceFS ? `\n    replace_fs: ${given.replaceFS}` : '',
    options.length === 0 ? '' : `\n    extra_opts:${options.map((option) => `\n      - ${option}`).join('')}`,
  ].join('');
}

function mount(parts: readonly string[]): string {
  return `\n  - ${parts.map((part) => `- ${part}\n    `).join('')}`;
}
