// `spec.diskSetup` as disks and filesystems of an Ignition configuration.
//
// `layout` asks for one partition over the whole disk as soon as it is there, also when it is false: upstream's result.
// `tableType`, `partition` and `replaceFS` are not read: admission refuses what Ignition could not do.
//
// PARITY: `diskLayout` is refused. Upstream drops it and wipes nothing or everything; Ignition 2.3.0 has no shares of a disk
// (docs/parity.md). PARITY: a filesystem without `overwrite` is not wiped; upstream fails on it.
import type { DiskFilesystem, DiskPartition, DiskSetup } from '../spec-types.js';
import type { Disk, Filesystem, Partition } from './ignition-config.js';
import type { Sourced } from './sourced.js';
import type { Scribe } from './scribe.js';

/** The columns of keys in upstream's template: of disks and filesystems, of a filesystem's mount, of its options. */
const MEMBER_INDENT = 6;
const MOUNT_INDENT = 8;
const OPTION_INDENT = 10;

const WHOLE_DISK: Partition = {
  guid: '',
  label: undefined,
  number: 0,
  sizeMiB: undefined,
  startMiB: undefined,
  typeGuid: '',
};

/** All disks and filesystems, in order. */
export function collectDisks(
  diskSetup: DiskSetup | undefined,
  scribe: Scribe,
): { readonly disks: readonly Sourced<Disk>[]; readonly filesystems: readonly Sourced<Filesystem>[] } {
  const disks = (diskSetup?.partitions ?? []).map((partition, index) =>
    collectDisk(partition, `spec.diskSetup.partitions[${index}]`, scribe),
  );
  const filesystems = (diskSetup?.filesystems ?? []).map((filesystem, index) =>
    collectFilesystem(filesystem, `spec.diskSetup.filesystems[${index}]`, scribe),
  );
  return { disks, filesystems };
}

function collectDisk(partition: DiskPartition, field: string, scribe: Scribe): Sourced<Disk> {
  if (partition.diskLayout !== undefined && partition.diskLayout.length > 0) {
    const message =
      'Ignition cannot make partitions by percentage; use layout, or disks in ignition.containerLinuxConfig';
    scribe.refuse(`${field}.diskLayout`, message);
  }
  const item: Disk = {
    device: scribe.text(partition.device, { as: 'member', indent: MEMBER_INDENT, field: `${field}.device` }) ?? '',
    partitions: partition.layout === undefined ? [] : [WHOLE_DISK],
    wipeTable: partition.overwrite ?? false,
  };
  return { field, item };
}

function collectFilesystem(filesystem: DiskFilesystem, field: string, scribe: Scribe): Sourced<Filesystem> {
  const text = (name: 'device' | 'filesystem' | 'label', indent: number): string | undefined =>
    scribe.text(filesystem[name] ?? '', { as: 'member', indent, field: `${field}.${name}` });
  const item: Filesystem = {
    mount: {
      create: undefined,
      device: text('device', MOUNT_INDENT) ?? '',
      format: text('filesystem', MOUNT_INDENT) ?? '',
      label: text('label', MOUNT_INDENT),
      options: scribe.texts(filesystem.extraOpts ?? [], (index) => ({
        as: 'item',
        indent: OPTION_INDENT,
        field: `${field}.extraOpts[${index}]`,
      })),
      uuid: undefined,
      wipeFilesystem: filesystem.overwrite ?? false,
    },
    name: text('label', MEMBER_INDENT) ?? '',
    path: undefined,
  };
  return { field, item };
}
