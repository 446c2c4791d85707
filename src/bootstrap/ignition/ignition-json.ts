// An Ignition configuration as upstream's JSON encoder writes it: keys in declaration order, compact, no final line feed.
//
// Objects are always written, also empty ones; texts, lists, numbers and flags are left out when empty, except the few keys
// that are always there. The order of the members below is the order of the output.
import { goJson, type JsonValue } from '../go-format/go-json.js';
import {
  IGNITION_VERSION,
  type Disk,
  type DropIn,
  type Filesystem,
  type IgnitionConfig,
  type IgnitionDirectory,
  type IgnitionFile,
  type Link,
  type NetworkdUnit,
  type NodeOwner,
  type PasswdGroup,
  type PasswdUser,
  type Raid,
  type Reference,
  type StorageNode,
  type SystemdUnit,
  type UserAttributes,
} from './ignition-config.js';

type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** The bytes of a configuration, as text. */
export function printIgnitionConfig(config: IgnitionConfig): string {
  return goJson(configJson(config));
}

/** How many bytes each kind of item takes in the output. */
export const printedBytes = {
  file: (file: IgnitionFile): number => Buffer.byteLength(goJson(fileJson(file))),
  unit: (unit: SystemdUnit): number => Buffer.byteLength(goJson(unitJson(unit))),
  user: (user: PasswdUser): number => Buffer.byteLength(goJson(userJson(user))),
  config: (config: IgnitionConfig): number => Buffer.byteLength(printIgnitionConfig(config)),
} as const;

function configJson({ ignition, networkdUnits, passwd, storage, systemdUnits }: IgnitionConfig): JsonObject {
  return {
    ignition: {
      config: {
        append: list(ignition.config.append, referenceJson),
        replace: optional(ignition.config.replace, referenceJson),
      },
      security: { tls: { certificateAuthorities: list(ignition.certificateAuthorities, referenceJson) } },
      timeouts: { ...ignition.timeouts },
      version: IGNITION_VERSION,
    },
    networkd: { units: list(networkdUnits, networkdUnitJson) },
    passwd: { groups: list(passwd.groups, groupJson), users: list(passwd.users, userJson) },
    storage: {
      directories: list(storage.directories, directoryJson),
      disks: list(storage.disks, diskJson),
      files: list(storage.files, fileJson),
      filesystems: list(storage.filesystems, filesystemJson),
      links: list(storage.links, linkJson),
      raid: list(storage.raid, raidJson),
    },
    systemd: { units: list(systemdUnits, unitJson) },
  };
}

function referenceJson({ source, hash }: Reference): JsonObject {
  return { source, verification: { hash } };
}

function groupJson({ gid, name, passwordHash, system }: PasswdGroup): JsonObject {
  return { gid, name, passwordHash: text(passwordHash), system: flag(system) };
}

function userJson(user: PasswdUser): JsonObject {
  const attributes = attributesJson(user);
  return {
    create: optional(user.create, attributesJson),
    gecos: attributes['gecos'],
    groups: attributes['groups'],
    homeDir: attributes['homeDir'],
    name: user.name,
    noCreateHome: attributes['noCreateHome'],
    noLogInit: attributes['noLogInit'],
    noUserGroup: attributes['noUserGroup'],
    passwordHash: user.passwordHash,
    primaryGroup: attributes['primaryGroup'],
    sshAuthorizedKeys: texts(user.sshAuthorizedKeys),
    shell: attributes['shell'],
    system: attributes['system'],
    uid: attributes['uid'],
  };
}

function attributesJson(user: UserAttributes): JsonObject {
  return {
    gecos: text(user.gecos),
    groups: texts(user.groups),
    homeDir: text(user.homeDir),
    noCreateHome: flag(user.noCreateHome),
    noLogInit: flag(user.noLogInit),
    noUserGroup: flag(user.noUserGroup),
    primaryGroup: text(user.primaryGroup),
    shell: text(user.shell),
    system: flag(user.system),
    uid: user.uid,
  };
}

function nodeJson({ filesystem, group, overwrite, path, user }: StorageNode): JsonObject {
  return { filesystem, group: optional(group, ownerJson), overwrite, path, user: optional(user, ownerJson) };
}

function ownerJson({ id, name }: NodeOwner): JsonObject {
  return { id, name: text(name) };
}

function fileJson(file: IgnitionFile): JsonObject {
  const { compression, source, hash } = file.contents;
  return {
    ...nodeJson(file),
    append: flag(file.append),
    contents: { compression: text(compression), source: text(source), verification: { hash } },
    mode: file.mode,
  };
}

function directoryJson(directory: IgnitionDirectory): JsonObject {
  return { ...nodeJson(directory), mode: directory.mode };
}

function linkJson(link: Link): JsonObject {
  return { ...nodeJson(link), hard: flag(link.hard), target: link.target };
}

function diskJson({ device, partitions, wipeTable }: Disk): JsonObject {
  return {
    device,
    partitions: list(partitions, ({ guid, label, number, sizeMiB, startMiB, typeGuid }) => ({
      guid: text(guid),
      label,
      number: count(number),
      sizeMiB,
      startMiB,
      typeGuid: text(typeGuid),
    })),
    wipeTable: flag(wipeTable),
  };
}

function filesystemJson({ mount, name, path }: Filesystem): JsonObject {
  return {
    mount: optional(mount, ({ create, device, format, label, options, uuid, wipeFilesystem }) => ({
      create: optional(create, ({ force, options }) => ({ force: flag(force), options: texts(options) })),
      device,
      format,
      label,
      options: texts(options),
      uuid,
      wipeFilesystem: flag(wipeFilesystem),
    })),
    name: text(name),
    path,
  };
}

function raidJson({ devices, level, name, options, spares }: Raid): JsonObject {
  return {
    devices: devices.length === 0 ? null : devices,
    level,
    name,
    options: texts(options),
    spares: count(spares),
  };
}

function unitJson({ contents, dropins, enable, enabled, mask, name }: SystemdUnit): JsonObject {
  return {
    contents: text(contents),
    dropins: list(dropins, dropInJson),
    enable: flag(enable),
    enabled,
    mask: flag(mask),
    name,
  };
}

function networkdUnitJson({ contents, dropins, name }: NetworkdUnit): JsonObject {
  return { contents: text(contents), dropins: list(dropins, dropInJson), name };
}

function dropInJson({ contents, name }: DropIn): JsonObject {
  return { contents: text(contents), name };
}

function list<T>(items: readonly T[], print: (item: T) => JsonObject): readonly JsonObject[] | undefined {
  return items.length === 0 ? undefined : items.map(print);
}

function optional<T>(item: T | undefined, print: (item: T) => JsonObject): JsonObject | undefined {
  return item === undefined ? undefined : print(item);
}

function text(value: string): string | undefined {
  return value === '' ? undefined : value;
}

function texts(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}

function flag(value: boolean): true | undefined {
  return value || undefined;
}

function count(value: number): number | undefined {
  return value === 0 ? undefined : value;
}
