// The systemd units of a node: kubeadm, the time service, and one for each mount.
//
// ntpd is enabled as soon as `ntp.enabled` is there, also when it is false: that is upstream's result.
//
// PARITY: the name of a mount unit is the escaped mount point, see systemd-escape.ts. A mount point that is not absolute
// keeps upstream's name.
import type { DiskSetup } from '../spec-types.js';
import type { NodeData } from '../node-data.js';
import type { SystemdUnit } from './ignition-config.js';
import { embeddedValue, UNIT_INDENT } from './literal-block.js';
import type { Sourced } from './sourced.js';
import { KUBEADM_UNIT, mountUnit } from './node-scripts.js';
import type { Scribe } from './scribe.js';
import { mountUnitName } from './systemd-escape.js';

const MEMBER_INDENT = 6;

/** All units, in order. */
export function collectUnits(node: NodeData, scribe: Scribe): readonly Sourced<SystemdUnit>[] {
  const ntpd = node.ntp?.enabled === undefined ? [] : [{ field: 'spec.ntp', item: enabledUnit('ntpd.service', '') }];
  const devices = devicesByLabel(node.diskSetup);
  const mounts = node.mounts.map((mount, index) => collectMount(mount, { index, devices, scribe }));
  return [{ field: 'fixed text', item: enabledUnit('kubeadm.service', KUBEADM_UNIT) }, ...ntpd, ...mounts];
}

function collectMount(
  mount: readonly string[],
  {
    index,
    devices,
    scribe,
  }: { readonly index: number; readonly devices: ReadonlyMap<string, string>; readonly scribe: Scribe },
): Sourced<SystemdUnit> {
  const field = `spec.mounts[${index}]`;
  const [label, mountPoint, ...options] = mount;
  if (label === undefined || mountPoint === undefined) {
    scribe.refuse(field, 'a mount needs at least a label and a mount point');
    return { field, item: enabledUnit('', '') };
  }
  const embed = (value: string, name: string): string => {
    const embedded = embeddedValue(value, UNIT_INDENT);
    if (embedded === null) scribe.refuse(name, 'it must not have line breaks');
    return embedded ?? '';
  };
  const text = mountUnit({
    label: embed(label, `${field}[0]`),
    device: embed(devices.get(label) ?? '', 'spec.diskSetup.filesystems'),
    mountPoint: embed(mountPoint, `${field}[1]`),
    options: options.map((option, number) => embed(option, `${field}[${number + 2}]`)).join(','),
  });
  const name = unitName(mountPoint, { field: `${field}[1]`, scribe });
  return { field, item: enabledUnit(name, scribe.block(text, { field, indent: UNIT_INDENT })) };
}

/** The device of the last filesystem with each label. */
function devicesByLabel(diskSetup: DiskSetup | undefined): ReadonlyMap<string, string> {
  return new Map((diskSetup?.filesystems ?? []).map(({ label, device }) => [label ?? '', device ?? '']));
}

function unitName(mountPoint: string, { field, scribe }: { readonly field: string; readonly scribe: Scribe }): string {
  const path = mountPoint.trim();
  if (!path.startsWith('/')) {
    const upstream = `${mountPoint.replaceAll('/', '-').replace(/^-/, '')}.mount`;
    return scribe.text(upstream, { as: 'member', indent: MEMBER_INDENT, field }) ?? '';
  }
  const name = mountUnitName(path);
  if (name === null) scribe.refuse(field, 'systemd has no unit for a mount point with "." or ".." in it');
  return name ?? '';
}

function enabledUnit(name: string, contents: string): SystemdUnit {
  return { contents, dropins: [], enable: false, enabled: true, mask: false, name };
}
