// The Container Linux Config language, as data: which keys there are, and of which type.
//
// `optional` marks a value for which "given, but empty" differs from "absent". `goType` is what upstream's messages call a
// type. etcd and flannel have one set of options for each version: those keys are in clc-options.ts.
import type { CoreosVersion } from './coreos-version.js';

/** A type of the language. */
export type ClcType =
  | { readonly kind: 'text'; readonly goType?: string }
  | { readonly kind: 'integer'; readonly isUnsigned: boolean }
  | { readonly kind: 'flag' }
  | { readonly kind: 'optional'; readonly of: ClcType }
  | { readonly kind: 'list'; readonly of: ClcType }
  | ClcStruct
  | { readonly kind: 'versioned'; readonly service: 'etcd' | 'flannel' };

/** A mapping with known keys. */
export interface ClcStruct {
  readonly kind: 'struct';
  readonly goType: string;
  readonly fields: Readonly<Record<string, ClcType>>;
}

const text = { kind: 'text' } as const;
const flag = { kind: 'flag' } as const;
const integer = { kind: 'integer', isUnsigned: false } as const;
const unsigned = { kind: 'integer', isUnsigned: true } as const;
const list = <T extends ClcType>(of: T) => ({ kind: 'list', of }) as const;
const optional = <T extends ClcType>(of: T) => ({ kind: 'optional', of }) as const;
const struct = <F extends Readonly<Record<string, ClcType>>>(goType: string, fields: F) =>
  ({ kind: 'struct', goType, fields }) as const;

const verification = struct('types.Verification', { hash: struct('types.Hash', { function: text, sum: text }) });
const reference = struct('types.ConfigReference', { source: text, verification });
const owner = (goType: string) => optional(struct(goType, { id: optional(integer), name: text }));
const dropIns = (goType: string) => list(struct(goType, { name: text, contents: text }));
const node = {
  filesystem: text,
  path: text,
  user: owner('types.FileUser'),
  group: owner('types.FileGroup'),
  overwrite: optional(flag),
};

const file = struct('types.File', {
  ...node,
  mode: optional(integer),
  contents: struct('types.FileContents', {
    remote: struct('types.Remote', { url: text, compression: text, verification }),
    inline: text,
    local: text,
  }),
  append: flag,
});
const directory = struct('types.Directory', { ...node, mode: optional(integer) });
const link = struct('types.Link', { ...node, hard: flag, target: text });
const disk = struct('types.Disk', {
  device: text,
  wipe_table: flag,
  partitions: list(
    struct('types.Partition', {
      label: optional(text),
      number: integer,
      size: text,
      start: text,
      guid: text,
      type_guid: text,
    }),
  ),
});
const raid = struct('types.Raid', {
  name: text,
  level: text,
  devices: list(text),
  spares: integer,
  options: list(text),
});
const filesystem = struct('types.Filesystem', {
  name: text,
  mount: optional(
    struct('types.Mount', {
      device: text,
      format: text,
      create: optional(struct('types.Create', { force: flag, options: list(text) })),
      wipe_filesystem: flag,
      label: optional(text),
      uuid: optional(text),
      options: list(text),
    }),
  ),
  path: optional(text),
});
const systemdUnit = struct('types.SystemdUnit', {
  name: text,
  enable: flag,
  enabled: optional(flag),
  mask: flag,
  contents: text,
  dropins: dropIns('types.SystemdUnitDropIn'),
});
const networkdUnit = struct('types.NetworkdUnit', {
  name: text,
  contents: text,
  dropins: dropIns('types.NetworkdUnitDropIn'),
});
const userAttributes = {
  gecos: text,
  home_dir: text,
  no_create_home: flag,
  primary_group: text,
  groups: list(text),
  no_user_group: flag,
  system: flag,
  no_log_init: flag,
  shell: text,
};
const user = struct('types.User', {
  name: text,
  password_hash: optional(text),
  ssh_authorized_keys: list(text),
  create: optional(struct('types.UserCreate', { ...userAttributes, uid: optional(unsigned) })),
  uid: optional(integer),
  ...userAttributes,
});
const group = struct('types.Group', { name: text, gid: optional(unsigned), password_hash: text, system: flag });
const namedText = (goType: string) => ({ kind: 'text', goType }) as const;
const update = struct('types.Update', {
  group: namedText('types.UpdateGroup'),
  server: namedText('types.UpdateServer'),
  pcr_policy_server: namedText('types.UpdatePCRPolicyServer'),
  download_user: namedText('types.UpdateDownloadUser'),
  download_password: namedText('types.UpdateDownloadPassword'),
  machine_alias: namedText('types.UpdateMachineAlias'),
});
const locksmith = struct('types.Locksmith', {
  reboot_strategy: optional(text),
  window_start: optional(text),
  window_length: optional(text),
  group: optional(text),
  etcd_endpoints: optional(text),
  etcd_cafile: optional(text),
  etcd_certfile: optional(text),
  etcd_keyfile: optional(text),
});

/** A whole Container Linux Config. */
export const clcSchema = struct('types.Config', {
  version: integer,
  ignition: struct('types.Ignition', {
    config: struct('types.IgnitionConfig', { append: list(reference), replace: optional(reference) }),
    timeouts: struct('types.Timeouts', { http_response_headers: optional(integer), http_total: optional(integer) }),
    security: struct('types.Security', {
      tls: struct('types.TLS', {
        certificate_authorities: list(struct('types.CaReference', { source: text, verification })),
      }),
    }),
  }),
  storage: struct('types.Storage', {
    disks: list(disk),
    raid: list(raid),
    filesystems: list(filesystem),
    files: list(file),
    directories: list(directory),
    links: list(link),
  }),
  systemd: struct('types.Systemd', { units: list(systemdUnit) }),
  networkd: struct('types.Networkd', { units: list(networkdUnit) }),
  passwd: struct('types.Passwd', { users: list(user), groups: list(group) }),
  etcd: optional({ kind: 'versioned', service: 'etcd' }),
  flannel: optional({ kind: 'versioned', service: 'flannel' }),
  update: optional(update),
  docker: optional(struct('types.Docker', { flags: list(text) })),
  locksmith: optional(locksmith),
});

/** A service whose options depend on its version. Options keep the order of the language, not of the text. */
export interface VersionedService {
  /** Absent: the default version's options are meant. */
  readonly version: CoreosVersion | undefined;
  readonly networkConfig: string;
  readonly options: readonly { readonly key: string; readonly value: string | number | boolean }[];
}

/** What a decoded value of a type looks like. */
export type ClcValue<T> = T extends { readonly kind: 'text' }
  ? string
  : T extends { readonly kind: 'integer' }
    ? number
    : T extends { readonly kind: 'flag' }
      ? boolean
      : T extends { readonly kind: 'versioned' }
        ? VersionedService
        : T extends { readonly kind: 'optional'; readonly of: infer O }
          ? ClcValue<O> | undefined
          : T extends { readonly kind: 'list'; readonly of: infer I }
            ? readonly ClcValue<I>[]
            : T extends { readonly kind: 'struct'; readonly fields: infer F }
              ? { readonly [K in keyof F]: ClcValue<F[K]> }
              : never;

/** A decoded Container Linux Config. */
export type ClcConfig = ClcValue<typeof clcSchema>;
export type ClcFile = ClcValue<typeof file>;
export type ClcDirectory = ClcValue<typeof directory>;
export type ClcLink = ClcValue<typeof link>;
export type ClcUser = ClcValue<typeof user>;
export type ClcUserAttributes = ClcValue<{ readonly kind: 'struct'; readonly fields: typeof userAttributes }>;
export type ClcOwner = ClcValue<ReturnType<typeof owner>>;
export type ClcVerification = ClcValue<typeof verification>;
export type ClcUpdate = ClcValue<typeof update>;
export type ClcLocksmith = ClcValue<typeof locksmith>;
