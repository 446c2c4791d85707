// The sections bootcmd and runcmd.
//
// The user's commands are Go-quoted; kubeadm's init command stands in single quotes and its join command bare.
import { goQuote } from '../go-format/go-quote.js';
import type { NodeData } from '../node-data.js';
import type { Piece } from './piece.js';

/** What tells Cluster API that the node was bootstrapped. */
export const sentinelCommand = 'echo success > /run/cluster-api/bootstrap-success.complete';

/** Commands for every boot, if there are any. */
export function bootCommands(node: NodeData): readonly Piece[] {
  if (node.bootCommands.length === 0) return [];
  return [{ field: 'spec.bootCommands', text: `\nbootcmd:${userCommands(node.bootCommands)}` }];
}

/** The user's commands before kubeadm, kubeadm, the user's commands after it. */
export function runCommands(node: NodeData): readonly Piece[] {
  return [
    { field: 'fixed text', text: '\nruncmd:' },
    { field: 'spec.preKubeadmCommands', text: userCommands(node.preKubeadmCommands) },
    { field: 'fixed text', text: `\n  - ${kubeadmCommand(node)}` },
    { field: 'spec.postKubeadmCommands', text: userCommands(node.postKubeadmCommands) },
  ];
}

function userCommands(commands: readonly string[]): string {
  return commands.map((command) => `\n  - ${goQuote(command)}`).join('');
}

/** Without verbosity two spaces stand before `&&`. */
function kubeadmCommand({ kubeadm, verbosityFlag }: NodeData): string {
  if (kubeadm.mode === 'init') {
    return `'kubeadm init --config /run/kubeadm/kubeadm.yaml ${verbosityFlag} && ${sentinelCommand}'`;
  }
  return `kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml ${verbosityFlag} && ${sentinelCommand}`;
}
