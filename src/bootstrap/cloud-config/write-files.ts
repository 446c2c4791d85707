// The section write_files: certificates, the user's files, kubeadm's configuration and the placeholder.
//
// A piece starts with the line break that ends the line before it. Content is written as given for every encoding:
// never decoded, compressed or wrapped again.
import type { KubeadmDocuments, NodeFile } from '../node-data.js';
import type { Piece } from './piece.js';

const configFile = { owner: 'root:root', permissions: '0640' } as const;
const placeholderText =
  'This placeholder file is used to create the /run/cluster-api sub directory in a way that is compatible with both Linux and Windows (mkdir -p /run/cluster-api does not work with Windows)';

/** A file with ready-made text after `content:`. */
interface TextFile extends Omit<NodeFile, 'content'> {
  readonly text: string;
}

/** The file that makes the directory in which success is recorded. */
export const placeholderFile: TextFile = {
  field: 'fixed text',
  path: '/run/cluster-api/placeholder',
  ...configFile,
  text: ` "${placeholderText}"`,
};

/** kubeadm's configuration: where it stands and what is in it differs between the three modes. */
export function kubeadmFile(documents: KubeadmDocuments): NodeFile {
  if (documents.mode === 'init') {
    const content = `---\n${documents.clusterConfiguration}\n---\n${documents.initConfiguration}`;
    return { field: 'kubeadm configuration', path: '/run/kubeadm/kubeadm.yaml', ...configFile, content };
  }
  const path = '/run/kubeadm/kubeadm-join-config.yaml';
  const content = `${documents.mode === 'workerJoin' ? '---\n' : ''}${documents.joinConfiguration}`;
  return { field: 'kubeadm configuration', path, ...configFile, content };
}

/** One entry of the section. */
export function writeFile(file: NodeFile | TextFile): Piece {
  const lines = [`-   path: ${file.path}`];
  if (file.encoding) lines.push(`    encoding: "${file.encoding}"`);
  if (file.owner) lines.push(`    owner: ${file.owner}`);
  if (file.permissions) lines.push(`    permissions: '${file.permissions}'`);
  if (file.append !== undefined) lines.push(`    append: ${file.append}`);
  lines.push(`    content:${'text' in file ? file.text : ` |\n${indent(6, file.content)}`}`);
  return { field: file.field, text: `\n${lines.join('\n')}` };
}

/** Puts n spaces before every line, also before empty ones and after a last line break. */
function indent(spaces: number, text: string): string {
  const margin = ' '.repeat(spaces);
  return margin + text.replaceAll('\n', `\n${margin}`);
}
