// An Ignition 2.3.0 configuration as values, in the shape of its JSON.
//
// A text, list, number or flag that may be left out is '', [], 0 or false when absent; where "given, but zero" differs from
// "absent" (a pointer in Go), the member is `undefined` when absent. Only what the Container Linux Config language can say
// is here: sector sizes, `shouldExist` and the like have no way in.

/** The version of every configuration written here. */
export const IGNITION_VERSION = '2.3.0';

/** A whole configuration. */
export interface IgnitionConfig {
  readonly ignition: {
    readonly config: { readonly append: readonly Reference[]; readonly replace: Reference | undefined };
    readonly certificateAuthorities: readonly Reference[];
    readonly timeouts: { readonly httpResponseHeaders: number | undefined; readonly httpTotal: number | undefined };
  };
  readonly networkdUnits: readonly NetworkdUnit[];
  readonly passwd: { readonly groups: readonly PasswdGroup[]; readonly users: readonly PasswdUser[] };
  readonly storage: {
    readonly directories: readonly IgnitionDirectory[];
    readonly disks: readonly Disk[];
    readonly files: readonly IgnitionFile[];
    readonly filesystems: readonly Filesystem[];
    readonly links: readonly Link[];
    readonly raid: readonly Raid[];
  };
  readonly systemdUnits: readonly SystemdUnit[];
}

/** Another configuration, or a certificate authority, to be fetched. */
export interface Reference {
  readonly source: string;
  readonly hash: string | undefined;
}

export interface PasswdGroup {
  readonly gid: number | undefined;
  readonly name: string;
  readonly passwordHash: string;
  readonly system: boolean;
}

/** What a user and the deprecated `create` object have in common. */
export interface UserAttributes {
  readonly gecos: string;
  readonly groups: readonly string[];
  readonly homeDir: string;
  readonly noCreateHome: boolean;
  readonly noLogInit: boolean;
  readonly noUserGroup: boolean;
  readonly primaryGroup: string;
  readonly shell: string;
  readonly system: boolean;
  readonly uid: number | undefined;
}

export interface PasswdUser extends UserAttributes {
  readonly create: UserAttributes | undefined;
  readonly name: string;
  readonly passwordHash: string | undefined;
  readonly sshAuthorizedKeys: readonly string[];
}

/** The owner of a file, by id or name. */
export interface NodeOwner {
  readonly id: number | undefined;
  readonly name: string;
}

/** What files, directories and links have in common. */
export interface StorageNode {
  readonly filesystem: string;
  readonly group: NodeOwner | undefined;
  readonly overwrite: boolean | undefined;
  readonly path: string;
  readonly user: NodeOwner | undefined;
}

export interface IgnitionFile extends StorageNode {
  readonly append: boolean;
  readonly contents: { readonly compression: string; readonly source: string; readonly hash: string | undefined };
  readonly mode: number | undefined;
}

export interface IgnitionDirectory extends StorageNode {
  readonly mode: number | undefined;
}

export interface Link extends StorageNode {
  readonly hard: boolean;
  readonly target: string;
}

export interface Disk {
  readonly device: string;
  readonly partitions: readonly Partition[];
  readonly wipeTable: boolean;
}

export interface Partition {
  readonly guid: string;
  readonly label: string | undefined;
  readonly number: number;
  readonly sizeMiB: number | undefined;
  readonly startMiB: number | undefined;
  readonly typeGuid: string;
}

export interface Filesystem {
  readonly mount: Mount | undefined;
  readonly name: string;
  readonly path: string | undefined;
}

export interface Mount {
  readonly create: { readonly force: boolean; readonly options: readonly string[] } | undefined;
  readonly device: string;
  readonly format: string;
  readonly label: string | undefined;
  readonly options: readonly string[];
  readonly uuid: string | undefined;
  readonly wipeFilesystem: boolean;
}

export interface Raid {
  readonly devices: readonly string[];
  readonly level: string;
  readonly name: string;
  readonly options: readonly string[];
  readonly spares: number;
}

export interface DropIn {
  readonly contents: string;
  readonly name: string;
}

export interface SystemdUnit {
  readonly contents: string;
  readonly dropins: readonly DropIn[];
  readonly enable: boolean;
  readonly enabled: boolean | undefined;
  readonly mask: boolean;
  readonly name: string;
}

export interface NetworkdUnit {
  readonly contents: string;
  readonly dropins: readonly DropIn[];
  readonly name: string;
}

/** A configuration that says nothing. */
export const emptyIgnitionConfig: IgnitionConfig = {
  ignition: {
    config: { append: [], replace: undefined },
    certificateAuthorities: [],
    timeouts: { httpResponseHeaders: undefined, httpTotal: undefined },
  },
  networkdUnits: [],
  passwd: { groups: [], users: [] },
  storage: { directories: [], disks: [], files: [], filesystems: [], links: [], raid: [] },
  systemdUnits: [],
};
