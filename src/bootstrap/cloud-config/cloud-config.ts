// cloud-init's cloud-config, byte for byte as upstream's templates give it.
//
//   C1. Section order: header, write_files, bootcmd, runcmd, ntp, users, disk_setup, fs_setup, mounts, one LF.
//   C2. Values stand raw, but for the commands of the user, which are Go-quoted. The whole is a Jinja template for
//       cloud-init, so `{{ ds.meta_data.hostname }}` in a value is passed through.
//   C3. No line depends on the Kubernetes version.
import { byteLength, textToBytes } from '../go-format/go-string.js';
import type { Contributor, NodeData, WriteResult } from '../node-data.js';
import { kubeadmFile, placeholderFile, writeFile } from './write-files.js';
import { bootCommands, runCommands } from './commands.js';
import { diskSetup, filesystemSetup, mounts } from './disks.js';
import type { Piece } from './piece.js';
import { ntp, users } from './users.js';

const header = '## template: jinja\n#cloud-config\n\nwrite_files:';

/** The cloud-config of a node. Every input can be written. */
export function writeCloudConfig(node: NodeData): WriteResult {
  const pieces: readonly Piece[] = [
    { field: 'fixed text', text: header },
    ...[...node.files, kubeadmFile(node.kubeadm), placeholderFile].map(writeFile),
    ...bootCommands(node),
    ...runCommands(node),
    ...ntp(node.ntp),
    ...users(node.users),
    ...diskSetup(node.diskSetup),
    ...filesystemSetup(node.diskSetup),
    ...mounts(node.mounts),
    { field: 'fixed text', text: '\n' },
  ];
  const text = pieces.map((piece) => piece.text).join('');
  return { kind: 'written', bytes: textToBytes(text), contributors: contributorsOf(pieces) };
}

function contributorsOf(pieces: readonly Piece[]): readonly Contributor[] {
  const bytes = new Map<string, number>();
  for (const { field, text } of pieces) bytes.set(field, (bytes.get(field) ?? 0) + byteLength(text));
  return [...bytes].map(([field, count]) => ({ field, bytes: count }));
}
