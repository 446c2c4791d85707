// Appending one Ignition configuration to another.
//
// Every list is ours followed by theirs; nothing is merged by name or path. `ignition.config` is theirs as a whole, each
// timeout is theirs if given. The result is not checked again: each side has been checked on its own.
import type { IgnitionConfig } from './ignition-config.js';

/** `ours` with `theirs` behind it. */
export function appendIgnitionConfig(ours: IgnitionConfig, theirs: IgnitionConfig): IgnitionConfig {
  return {
    ignition: {
      config: theirs.ignition.config,
      certificateAuthorities: [...ours.ignition.certificateAuthorities, ...theirs.ignition.certificateAuthorities],
      timeouts: {
        httpResponseHeaders: theirs.ignition.timeouts.httpResponseHeaders ?? ours.ignition.timeouts.httpResponseHeaders,
        httpTotal: theirs.ignition.timeouts.httpTotal ?? ours.ignition.timeouts.httpTotal,
      },
    },
    networkdUnits: [...ours.networkdUnits, ...theirs.networkdUnits],
    passwd: {
      groups: [...ours.passwd.groups, ...theirs.passwd.groups],
      users: [...ours.passwd.users, ...theirs.passwd.users],
    },
    storage: {
      directories: [...ours.storage.directories, ...theirs.storage.directories],
      disks: [...ours.storage.disks, ...theirs.storage.disks],
      files: [...ours.storage.files, ...theirs.storage.files],
      filesystems: [...ours.storage.filesystems, ...theirs.storage.filesystems],
      links: [...ours.storage.links, ...theirs.storage.links],
      raid: [...ours.storage.raid, ...theirs.storage.raid],
    },
    systemdUnits: [...ours.systemdUnits, ...theirs.systemdUnits],
  };
}
