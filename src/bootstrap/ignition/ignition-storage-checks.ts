// What Ignition demands of disks, filesystems and RAID arrays. See ignition-checks.ts.
import { byteLength } from '../go-format/go-string.js';
import { goQuote } from '../go-format/go-quote.js';
import type { CheckFinding, Report } from './check-finding.js';
import type { Disk, Filesystem, Mount, Partition, Raid } from './ignition-config.js';

type Path = CheckFinding['path'];

const GUID = /^(|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})$/;
/** In UTF-16 units according to the standard; upstream counts bytes. */
const PARTITION_LABEL_BYTES_MAX = 36;
/** The filesystems that can be made, and the longest label of each in bytes. */
const LABEL_BYTES_MAX: ReadonlyMap<string, number> = new Map([
  ['ext4', 16],
  ['btrfs', 256],
  ['xfs', 12],
  ['swap', 15],
  ['vfat', 11],
]);
const SPARELESS_LEVELS = new Set(['linear', 'raid0', '0', 'stripe']);
const OTHER_LEVELS = new Set('raid1 1 mirror raid4 4 raid5 5 raid6 6 raid10 10'.split(' '));

export function checkDisks(disks: readonly Disk[], report: Report): void {
  disks.forEach((disk, index) => {
    const path = ['storage', 'disks', index];
    if (disk.device === '') report('error', 'disk device is required', [...path, 'device']);
    else checkAbsolute(disk.device, [...path, 'device'], report);
    const numbers = disk.partitions.map((partition) => partition.number).filter((number) => number !== 0);
    if (new Set(numbers).size < numbers.length) report('error', 'partition numbers collide', [...path, 'partitions']);
    disk.partitions.forEach((partition, number) => checkPartition(partition, [...path, 'partitions', number], report));
  });
}

function checkPartition({ guid, label, typeGuid }: Partition, path: Path, report: Report): void {
  const form = 'doesn\'t match the form "01234567-89AB-CDEF-EDCB-A98765432101"';
  if (!GUID.test(guid)) report('error', form, [...path, 'guid']);
  if (label !== undefined && byteLength(label) > PARTITION_LABEL_BYTES_MAX) {
    report('error', 'partition labels may not exceed 36 characters', [...path, 'label']);
  }
  if (label?.includes(':')) {
    report('warning', 'partition label will be truncated to text before the colon', [...path, 'label']);
  }
  if (!GUID.test(typeGuid)) report('error', form, [...path, 'typeGuid']);
}

export function checkFilesystems(filesystems: readonly Filesystem[], report: Report): void {
  filesystems.forEach(({ mount, name, path: fsPath }, index) => {
    const path = ['storage', 'filesystems', index];
    const problems = [
      ...mountOrPathProblems(mount, fsPath),
      ...(mount?.create === undefined ? [] : createProblems(mount)),
    ];
    for (const message of problems) report('error', message, path);
    if (mount?.create !== undefined) {
      report('warning', 'the create object has been deprecated in favor of mount-level options', path);
    }
    if (problems.length > 0) return;
    if (mount !== undefined) checkMount(mount, [...path, 'mount'], report);
    if (fsPath !== undefined && !fsPath.startsWith('/')) {
      report('error', `filesystem ${goQuote(name)}: path not absolute`, [...path, 'path']);
    }
  });
}

function mountOrPathProblems(mount: Mount | undefined, fsPath: string | undefined): readonly string[] {
  if (mount === undefined && fsPath === undefined) return ['filesystem is missing mount or path'];
  return mount !== undefined && fsPath !== undefined ? ['filesystem has both mount and path defined'] : [];
}

function createProblems({ wipeFilesystem, options }: Mount): readonly string[] {
  return [
    ...(wipeFilesystem ? ['cannot use both create object and wipeFilesystem field'] : []),
    ...(options.length > 0 ? ['cannot use both create object and mount-level options field'] : []),
  ];
}

function checkMount({ device, format, label }: Mount, path: Path, report: Report): void {
  const labelMax = LABEL_BYTES_MAX.get(format);
  if (labelMax === undefined) return report('error', 'invalid filesystem format', path);
  checkAbsolute(device, [...path, 'device'], report);
  if (label !== undefined && byteLength(label) > labelMax) {
    const message = `filesystem labels cannot be longer than ${labelMax} characters when using ${format}`;
    report('error', message, [...path, 'label']);
  }
}

export function checkRaid(arrays: readonly Raid[], report: Report): void {
  arrays.forEach(({ devices, level, spares }, index) => {
    const path = ['storage', 'raid', index];
    for (const device of devices) checkAbsolute(device, [...path, 'devices'], report);
    if (SPARELESS_LEVELS.has(level)) {
      const message = 'spares unsupported for arrays with a level greater than 0';
      if (spares !== 0) report('error', message, [...path, 'level']);
    } else if (!OTHER_LEVELS.has(level)) {
      report('error', 'unrecognized raid level', [...path, 'level']);
    }
  });
}

function checkAbsolute(value: string, path: Path, report: Report): void {
  if (!value.startsWith('/')) report('error', 'path not absolute', path);
}
