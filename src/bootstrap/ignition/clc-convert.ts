// A Container Linux Config as an Ignition configuration.
//
// Units: docker, etcd and flannel first, then the user's. Files: the user's, then /etc/coreos/update.conf. What cannot be
// converted is an error at its place; the rest is converted all the same, so that all errors are seen at once.
import { parseDimension } from './byte-size.js';
import { dockerUnit, serviceUnit, updateFile } from './clc-services.js';
import type {
  ClcConfig,
  ClcDirectory,
  ClcFile,
  ClcLink,
  ClcOwner,
  ClcUser,
  ClcUserAttributes,
  ClcVerification,
} from './clc-schema.js';
import { dataUrl } from './data-url.js';
import { parseGoUrl } from './go-url.js';
import type {
  Disk,
  Filesystem,
  IgnitionConfig,
  IgnitionDirectory,
  IgnitionFile,
  Link,
  NodeOwner,
  PasswdUser,
  Reference,
  StorageNode,
  SystemdUnit,
  UserAttributes,
} from './ignition-config.js';

/** An error at a place of the Container Linux Config. */
export interface ConversionError {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** A converted configuration, with what could not be converted. `madeUnits` units come before the user's own. */
export interface Conversion {
  readonly config: IgnitionConfig;
  readonly errors: readonly ConversionError[];
  readonly madeUnits: number;
}

const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;
const TYPE_GUIDS: ReadonlyMap<string, string> = new Map([
  ['raid_containing_root', 'be9067b9-ea49-4f15-b4f6-f36f8c9e1818'],
  ['linux_filesystem_data', '0fc63daf-8483-4772-8e79-3d69d8477de4'],
  ['swap_partition', '0657fd6d-a4ab-43c4-84e5-0933c84b4f4f'],
  ['raid_partition', 'a19d880f-05fc-4d3b-a006-743f0f84911e'],
]);

/** Converts a checked configuration. */
export function convertClc(clc: ClcConfig): Conversion {
  const errors: ConversionError[] = [];
  const units = madeUnits(clc, errors);
  const updateConf = updateFile(clc.update, clc.locksmith);
  const config: IgnitionConfig = {
    ignition: {
      config: {
        append: clc.ignition.config.append.flatMap((reference, index) =>
          convertReference(reference, ['ignition', 'config', 'append', index], errors),
        ),
        replace:
          clc.ignition.config.replace &&
          convertReference(clc.ignition.config.replace, ['ignition', 'config', 'replace'], errors)[0],
      },
      certificateAuthorities: clc.ignition.security.tls.certificate_authorities.map(({ source, verification }) => ({
        source,
        hash: hashOf(verification),
      })),
      timeouts: {
        httpResponseHeaders: clc.ignition.timeouts.http_response_headers,
        httpTotal: clc.ignition.timeouts.http_total,
      },
    },
    networkdUnits: clc.networkd.units,
    passwd: {
      groups: clc.passwd.groups.map(({ name, gid, password_hash: passwordHash, system }) => ({
        gid,
        name,
        passwordHash,
        system,
      })),
      users: clc.passwd.users.map(convertUser),
    },
    storage: {
      directories: clc.storage.directories.map(convertDirectory),
      disks: clc.storage.disks.map((disk, index) => convertDisk(disk, index, errors)),
      files: [...clc.storage.files.flatMap((file, index) => convertFile(file, index, errors)), ...updateConf],
      filesystems: clc.storage.filesystems.map(convertFilesystem),
      links: clc.storage.links.map(convertLink),
      raid: clc.storage.raid,
    },
    systemdUnits: [...units, ...clc.systemd.units],
  };
  return { config, errors, madeUnits: units.length };
}

function madeUnits(clc: ClcConfig, errors: ConversionError[]): readonly SystemdUnit[] {
  const units: SystemdUnit[] = clc.docker === undefined ? [] : [dockerUnit(clc.docker.flags)];
  for (const name of ['etcd', 'flannel'] as const) {
    const service = clc[name];
    if (service === undefined) continue;
    const unit = serviceUnit(name, service);
    if (typeof unit === 'string') errors.push({ message: unit, path: [] });
    else units.push(unit);
  }
  return units;
}

function convertReference(
  { source, verification }: { readonly source: string; readonly verification: ClcVerification },
  path: readonly (string | number)[],
  errors: ConversionError[],
): readonly Reference[] {
  const parsed = parseGoUrl(source);
  if (parsed.kind === 'url') return [{ source, hash: hashOf(verification) }];
  errors.push({ message: parsed.message, path: [...path, 'source'] });
  return [];
}

function hashOf({ hash }: ClcVerification): string | undefined {
  return hash.function === '' || hash.sum === '' ? undefined : `${hash.function}-${hash.sum}`;
}

function convertFile(file: ClcFile, index: number, errors: ConversionError[]): readonly IgnitionFile[] {
  const path = ['storage', 'files', index, 'contents'];
  const { inline, local, remote } = file.contents;
  if (local !== '') {
    const message = 'local files require setting the --files-dir flag to the directory that contains the file';
    errors.push({ message, path: [...path, 'local'] });
    return [];
  }
  let source = dataUrl(inline);
  if (remote.url !== '') {
    const parsed = parseGoUrl(remote.url);
    if (parsed.kind === 'invalid') {
      errors.push({ message: parsed.message, path: [...path, 'remote', 'url'] });
      return [];
    }
    source = parsed.text;
  }
  return [
    {
      ...convertNode(file),
      append: file.append,
      contents: { compression: remote.compression, source, hash: hashOf(remote.verification) },
      mode: file.mode ?? FILE_MODE,
    },
  ];
}

function convertNode(node: ClcFile | ClcDirectory | ClcLink): StorageNode {
  return {
    filesystem: node.filesystem === '' ? 'root' : node.filesystem,
    group: convertOwner(node.group),
    overwrite: node.overwrite,
    path: node.path,
    user: convertOwner(node.user),
  };
}

function convertOwner(owner: ClcOwner): NodeOwner | undefined {
  return owner && { id: owner.id, name: owner.name };
}

function convertDirectory(directory: ClcDirectory): IgnitionDirectory {
  return { ...convertNode(directory), mode: directory.mode ?? DIRECTORY_MODE };
}

function convertLink(link: ClcLink): Link {
  return { ...convertNode(link), hard: link.hard, target: link.target };
}

function convertDisk(disk: ClcConfig['storage']['disks'][number], index: number, errors: ConversionError[]): Disk {
  const partitions = disk.partitions.flatMap((partition, number) => {
    const path = ['storage', 'disks', index, 'partitions', number];
    const size = parseDimension(partition.size);
    if (size.kind === 'invalid') {
      errors.push({ message: size.message, path: [...path, 'size'] });
      return [];
    }
    const start = parseDimension(partition.start);
    if (start.kind === 'invalid') {
      errors.push({ message: start.message, path: [...path, 'start'] });
      return [];
    }
    return [
      {
        guid: partition.guid,
        label: partition.label,
        number: partition.number,
        sizeMiB: size.sizeMiB,
        startMiB: start.sizeMiB,
        typeGuid: TYPE_GUIDS.get(partition.type_guid) ?? partition.type_guid,
      },
    ];
  });
  return { device: disk.device, partitions, wipeTable: disk.wipe_table };
}

function convertFilesystem({ name, mount, path }: ClcConfig['storage']['filesystems'][number]): Filesystem {
  return {
    mount: mount && {
      create: mount.create,
      device: mount.device,
      format: mount.format,
      label: mount.label,
      options: mount.options,
      uuid: mount.uuid,
      wipeFilesystem: mount.wipe_filesystem,
    },
    name,
    path,
  };
}

function convertUser(user: ClcUser): PasswdUser {
  return {
    ...convertAttributes(user, user.uid),
    create: user.create && convertAttributes(user.create, user.create.uid),
    name: user.name,
    passwordHash: user.password_hash,
    sshAuthorizedKeys: user.ssh_authorized_keys,
  };
}

function convertAttributes(user: ClcUserAttributes, uid: number | undefined): UserAttributes {
  return {
    gecos: user.gecos,
    groups: user.groups,
    homeDir: user.home_dir,
    noCreateHome: user.no_create_home,
    noLogInit: user.no_log_init,
    noUserGroup: user.no_user_group,
    primaryGroup: user.primary_group,
    shell: user.shell,
    system: user.system,
    uid,
  };
}
