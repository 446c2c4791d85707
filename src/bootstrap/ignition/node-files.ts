// The files of a node: sudoers, sshd_config, the node's own files, kubeadm's script and configuration, ntp.conf.
//
// `encoding: base64` is decoded, the exact bytes become the file; with any other encoding the content is a text of lines.
//
// PARITY: `append: true` appends; upstream drops it and replaces the file. PARITY: a file without `permissions` gets 0644;
// upstream fails on it (docs/parity.md).
import type { NodeData, NodeFile, NodeUser } from '../node-data.js';
import { dataUrl, dataUrlOfBytes, isGoBase64 } from './data-url.js';
import type { IgnitionFile, NodeOwner } from './ignition-config.js';
import { embeddedValue, FILE_INDENT } from './literal-block.js';
import type { Sourced } from './sourced.js';
import { kubeadmScript, kubeadmYaml, ntpConf, sshdConfig } from './node-scripts.js';
import type { Scribe } from './scribe.js';

/** The columns of a file's keys, and of its owner's, in upstream's template. */
const MEMBER_INDENT = 6;
const OWNER_INDENT = 8;
const DEFAULT_MODE = 0o644;
/** The script that runs kubeadm between the user's commands. */
export const SCRIPT_PATH = '/etc/kubeadm.sh';

/** All files, in order. */
export function collectFiles(node: NodeData, scribe: Scribe): readonly Sourced<IgnitionFile>[] {
  return [
    ...node.users.flatMap((user, index) => sudoersFile(user, `spec.users[${index}]`, scribe)),
    ...sshdFile(node.users, scribe),
    ...node.files.map((file) => collectFile(file, scribe)),
    scriptFile(node, scribe),
    configurationFile(node, scribe),
    ...ntpFile(node, scribe),
  ];
}

function sudoersFile(user: NodeUser, field: string, scribe: Scribe): readonly Sourced<IgnitionFile>[] {
  if (!user.sudo) return [];
  const path = scribe.text(`/etc/sudoers.d/${user.name}`, {
    as: 'member',
    indent: MEMBER_INDENT,
    field: `${field}.name`,
  });
  const line = embed(`${user.name} ${user.sudo}`.replace(/^ +/, ''), `${field}.sudo`, scribe);
  const source = dataUrl(scribe.block(line, { field: `${field}.sudo`, indent: FILE_INDENT }));
  return [{ field: `${field}.sudo`, item: fileOf({ path: path ?? '', source, mode: 0o600 }) }];
}

/** Users who may log in with a password need the SSH server to let them. */
function sshdFile(users: readonly NodeUser[], scribe: Scribe): readonly Sourced<IgnitionFile>[] {
  const names = users.filter((user) => user.lockPassword === false).map((user) => user.name);
  if (names.join(',') === '') return [];
  const field = 'spec.users';
  const text = sshdConfig(embed(names.join(','), field, scribe));
  const source = dataUrl(scribe.block(text, { field, indent: FILE_INDENT }));
  return [{ field, item: fileOf({ path: '/etc/ssh/sshd_config', source, mode: 0o600 }) }];
}

function collectFile(file: NodeFile, scribe: Scribe): Sourced<IgnitionFile> {
  const { field } = file;
  const path = scribe.text(file.path, { as: 'member', indent: MEMBER_INDENT, field: `${field}.path` }) ?? '';
  const [user, group] = collectOwners(file.owner ?? '', `${field}.owner`, scribe);
  const written = file.permissions
    ? scribe.integer(file.permissions, { as: 'member', indent: MEMBER_INDENT, field: `${field}.permissions` })
    : undefined;
  const made = fileOf({ path, source: contentsOf(file, scribe), mode: written ?? DEFAULT_MODE });
  return { field, item: { ...made, append: file.append ?? false, user, group } };
}

/** `user:group`; a third part is not read. A part of spaces alone is an owner without a name, as upstream. */
function collectOwners(owner: string, field: string, scribe: Scribe): readonly (NodeOwner | undefined)[] {
  const [user = '', group = ''] = owner.split(':');
  return [user, group].map((part) => {
    if (part === '') return undefined;
    const name = scribe.text(part.trim(), { as: 'member', indent: OWNER_INDENT, field });
    return { id: undefined, name: name ?? '' };
  });
}

function contentsOf(file: NodeFile, scribe: Scribe): string {
  const place = { field: `${file.field}.content`, indent: FILE_INDENT };
  if (file.encoding !== 'base64') return dataUrl(scribe.block(file.content, place));
  const lines = scribe.block(file.content, place);
  const [margin = ''] = /^ */.exec(lines) ?? [];
  const base64 = lines.replaceAll(`\n${margin}`, '\n').slice(margin.length);
  if (isGoBase64(base64)) return dataUrlOfBytes(Buffer.from(base64, 'base64'));
  scribe.refuse(place.field, 'it is not valid base64');
  return '';
}

function scriptFile(node: NodeData, scribe: Scribe): Sourced<IgnitionFile> {
  const { preKubeadmCommands: before, postKubeadmCommands: after } = node;
  const lists = { preKubeadmCommands: before, postKubeadmCommands: after };
  for (const [name, commands] of Object.entries(lists)) {
    // A command is never the first line of its file.
    commands.forEach((command, index) =>
      scribe.block(`#\n${command}`, { field: `spec.${name}[${index}]`, indent: FILE_INDENT }),
    );
  }
  const field = 'fixed text';
  const text = kubeadmScript({ mode: node.kubeadm.mode, verbosityFlag: node.verbosityFlag, before, after });
  const source = dataUrl(scribe.block(text, { field, indent: FILE_INDENT }));
  return { field, item: fileOf({ path: SCRIPT_PATH, source, mode: 0o700 }) };
}

function configurationFile(node: NodeData, scribe: Scribe): Sourced<IgnitionFile> {
  const field = node.kubeadm.mode === 'init' ? 'spec.initConfiguration' : 'spec.joinConfiguration';
  if (node.kubeadm.mode === 'init') {
    scribe.block(node.kubeadm.clusterConfiguration, { field: 'spec.clusterConfiguration', indent: FILE_INDENT });
  }
  const source = dataUrl(scribe.block(kubeadmYaml(node.kubeadm), { field, indent: FILE_INDENT }));
  return { field, item: fileOf({ path: '/etc/kubeadm.yml', source, mode: 0o600 }) };
}

/** Written as soon as `ntp.enabled` is there, also when it is false, and there are servers: upstream's result. */
function ntpFile({ ntp }: NodeData, scribe: Scribe): readonly Sourced<IgnitionFile>[] {
  const servers = ntp?.servers ?? [];
  if (ntp?.enabled === undefined || servers.length === 0) return [];
  const field = 'spec.ntp.servers';
  const text = ntpConf(servers.map((server, index) => embed(server, `${field}[${index}]`, scribe)));
  const source = dataUrl(scribe.block(text, { field, indent: FILE_INDENT }));
  return [{ field, item: fileOf({ path: '/etc/ntp.conf', source, mode: 0o644 }) }];
}

function embed(value: string, field: string, scribe: Scribe): string {
  const embedded = embeddedValue(value, FILE_INDENT);
  if (embedded === null) scribe.refuse(field, 'it must not have line breaks');
  return embedded ?? '';
}

function fileOf(file: { readonly path: string; readonly source: string; readonly mode: number }): IgnitionFile {
  return {
    filesystem: 'root',
    group: undefined,
    overwrite: undefined,
    path: file.path,
    user: undefined,
    append: false,
    contents: { compression: '', source: file.source, hash: undefined },
    mode: file.mode,
  };
}
