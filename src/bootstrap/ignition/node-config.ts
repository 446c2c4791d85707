// The Ignition configuration of one node, from the same values as its cloud-config, without the user's additional part.
//
// Every value takes the way through YAML that upstream sends it on (plain-scalar.ts, literal-block.ts), so the result is
// upstream's, byte for byte, wherever upstream's is valid. The result is then checked as strictly as upstream checks its own.
//
//   N1. A refusal names the field and never holds a value that came from a Secret.
//   N2. Units: kubeadm, ntpd, mounts. Files: sudoers, sshd, the node's files, kubeadm.sh, kubeadm.yml, ntp.conf.
import { textToBytes } from '../go-format/go-string.js';
import type { Contributor, NodeData } from '../node-data.js';
import { dataUrlLength } from './data-url.js';
import type { PathStep } from './check-finding.js';
import { checkIgnitionConfig } from './ignition-checks.js';
import { emptyIgnitionConfig, type IgnitionConfig, type IgnitionFile } from './ignition-config.js';
import { printedBytes } from './ignition-json.js';
import { collectDisks } from './node-disks.js';
import { collectFiles, SCRIPT_PATH } from './node-files.js';
import { createScribe } from './scribe.js';
import type { Sourced } from './sourced.js';
import { collectUnits } from './node-units.js';
import { collectUsers } from './node-users.js';

/** A node's configuration, or the first field that stands in its way. */
export type NodeConfig =
  | {
      readonly kind: 'made';
      readonly config: IgnitionConfig;
      /** How many bytes of the output come from which field; the rest is fixed text. */
      readonly contributors: readonly Contributor[];
    }
  | { readonly kind: 'invalid'; readonly field: string; readonly message: string };

/** Makes the configuration of a node. */
export function makeNodeConfig(node: NodeData): NodeConfig {
  const scribe = createScribe();
  const users = collectUsers(node.users, scribe);
  const units = collectUnits(node, scribe);
  const { disks, filesystems } = collectDisks(node.diskSetup, scribe);
  const files = collectFiles(node, scribe);
  const refusal = scribe.refusal();
  if (refusal !== null) return { kind: 'invalid', ...refusal };

  const config: IgnitionConfig = {
    ...emptyIgnitionConfig,
    passwd: { groups: [], users: users.map(({ item }) => item) },
    storage: {
      ...emptyIgnitionConfig.storage,
      disks: disks.map(({ item }) => item),
      files: files.map(({ item }) => item),
      filesystems: filesystems.map(({ item }) => item),
    },
    systemdUnits: units.map(({ item }) => item),
  };
  const [finding] = checkIgnitionConfig(config);
  if (finding === undefined) {
    const contributors = [
      ...users.map(({ field, item }) => ({ field, bytes: printedBytes.user(item) })),
      ...units.map(({ field, item }) => ({ field, bytes: printedBytes.unit(item) })),
      ...files.flatMap((file) => fileContributors(file, node)),
    ];
    return { kind: 'made', config, contributors };
  }
  const field = fieldAt(finding.path, { users, units, disks, filesystems, files });
  return { kind: 'invalid', field, message: `${field}: ${finding.message}` };
}

/** A file's share; the script is mostly the user's commands. */
function fileContributors({ field, item }: Sourced<IgnitionFile>, node: NodeData): readonly Contributor[] {
  const bytes = printedBytes.file(item);
  if (item.path !== SCRIPT_PATH) return [{ field, bytes }];
  const commands = [
    { field: 'spec.preKubeadmCommands', bytes: escapedBytes(node.preKubeadmCommands) },
    { field: 'spec.postKubeadmCommands', bytes: escapedBytes(node.postKubeadmCommands) },
  ];
  return [...commands, { field, bytes: bytes - commands.reduce((sum, { bytes: count }) => sum + count, 0) }];
}

function escapedBytes(commands: readonly string[]): number {
  const empty = dataUrlLength(new Uint8Array());
  return commands.reduce((sum, command) => sum + dataUrlLength(textToBytes(command)) - empty, 0);
}

/** Where a finding's value came from. */
function fieldAt(
  path: readonly PathStep[],
  sources: Readonly<Record<'users' | 'units' | 'disks' | 'filesystems' | 'files', readonly Sourced<unknown>[]>>,
): string {
  const [, list, index, ...member] = path;
  const known = Object.entries(sources).find(([name]) => name === list)?.[1];
  const field = typeof index === 'number' ? known?.[index]?.field : undefined;
  // A finding about the whole is always about filesystems of one name.
  if (field === undefined) return 'spec.diskSetup.filesystems';
  const last = member.findLast((step) => typeof step === 'string');
  const name = last === undefined ? undefined : SPEC_MEMBERS[last];
  return name === undefined ? field : `${field}.${name}`;
}

/** What members of the configuration are called in the spec. A member without a name here is the item's own matter. */
const SPEC_MEMBERS: Readonly<Record<string, string>> = {
  device: 'device',
  label: 'label',
  mode: 'permissions',
  mount: 'filesystem',
  path: 'path',
};
