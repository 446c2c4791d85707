// Reads bootstrap data as a node does: cloud-config or Ignition in, files and kubeadm documents out.
//
// A node takes nothing on trust: what cannot be parsed, or names no kubeadm command, is a failed boot with a reason.
import { gunzipSync } from 'node:zlib';

import { parse, parseAllDocuments } from 'yaml';

import { isObject, listAt, textAt, type Fields } from '../../json.js';

/** What a node is told to do. */
export interface NodePlan {
  readonly action: 'init' | 'join';
  /** Files by path, with their content. */
  readonly files: ReadonlyMap<string, string>;
  /** kubeadm documents by kind: InitConfiguration, ClusterConfiguration, JoinConfiguration. */
  readonly kubeadm: ReadonlyMap<string, Fields>;
}

/** A plan, or why there is none. */
export type PlanResult = NodePlan | { readonly problem: string };

/** Reads bootstrap data of a format (`cloud-config` or `ignition`). */
export function readBootstrapData(format: string, data: string): PlanResult {
  try {
    switch (format) {
      case '':
      case 'cloud-config':
        return cloudConfigPlan(data);
      case 'ignition':
        return ignitionPlan(data);
      default:
        return { problem: `unknown bootstrap data format ${JSON.stringify(format)}` };
    }
  } catch (error) {
    return { problem: `bootstrap data cannot be read: ${(error as Error).message}` };
  }
}

function cloudConfigPlan(data: string): PlanResult {
  if (!data.split('\n').slice(0, 3).includes('#cloud-config')) return { problem: 'the data is no cloud-config' };
  const config: unknown = parse(data);
  const files = new Map<string, string>();
  for (const file of listAt(config, 'write_files')) {
    const path = textAt(file, 'path');
    const content = decoded(textAt(file, 'content'), textAt(file, 'encoding'));
    const isAppended = isObject(file) && file.append === true;
    files.set(path, isAppended ? (files.get(path) ?? '') + content : content);
  }
  const commands = listAt(config, 'runcmd').map((command) =>
    Array.isArray(command) ? command.join(' ') : String(command),
  );
  return planOf(commands, files);
}

function decoded(content: string, encoding: string): string {
  const kinds = encoding.toLowerCase();
  const isBase64 = ['base64', 'b64', 'gzip+base64', 'gz+b64', 'gz+base64', 'gzip+b64'].includes(kinds);
  const bytes = Buffer.from(content, isBase64 ? 'base64' : 'utf8');
  return (kinds.startsWith('gz') ? unzipped(bytes) : bytes).toString('utf8');
}

/** cloud-init writes what it cannot decompress as it came. */
function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes);
  } catch {
    return bytes;
  }
}

function ignitionPlan(data: string): PlanResult {
  const config: unknown = JSON.parse(data);
  if (!/^[23]\./.test(textAt(config, 'ignition', 'version'))) return { problem: 'the data is no Ignition config' };
  const files = new Map<string, string>();
  for (const file of listAt(config, 'storage', 'files')) {
    const content = fromDataUrl(textAt(file, 'contents', 'source'));
    if (content === null) continue;
    const bytes = textAt(file, 'contents', 'compression') === 'gzip' ? unzipped(content) : content;
    files.set(textAt(file, 'path'), bytes.toString('utf8'));
  }
  const runs = listAt(config, 'systemd', 'units').flatMap((unit) => {
    const started = /^ExecStart=(\S+)/m.exec(textAt(unit, 'contents'))?.[1];
    const isEnabled = isObject(unit) && (unit.enabled === true || unit.enable === true);
    return started !== undefined && isEnabled ? [files.get(started) ?? ''] : [];
  });
  return planOf(
    runs.flatMap((script) => script.split('\n')),
    files,
  );
}

/** The bytes of a data URL; null for a file that would have to be fetched: this node has no network. */
function fromDataUrl(url: string): Buffer | null {
  const match = /^data:([^,]*),(.*)$/s.exec(url);
  if (match === null) return null;
  const [, type = '', payload = ''] = match;
  if (type.endsWith(';base64')) return Buffer.from(payload, 'base64');
  const bytes = payload.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}

const kubeadmCommand = /(?:^|[\s;&(])kubeadm (init|join)\b.*?--config[= ](\S+)/;

function planOf(commands: readonly string[], files: ReadonlyMap<string, string>): PlanResult {
  for (const command of commands) {
    const match = kubeadmCommand.exec(command);
    if (match === null) continue;
    const [, action, path = ''] = match;
    const text = files.get(path);
    if (text === undefined) return { problem: `kubeadm's config ${path} is not among the files` };
    const kubeadm = documents(text);
    const needed = action === 'init' ? 'InitConfiguration' : 'JoinConfiguration';
    if (!kubeadm.has(needed)) return { problem: `kubeadm's config has no ${needed}` };
    return { action: action === 'init' ? 'init' : 'join', files, kubeadm };
  }
  return { problem: 'no command runs kubeadm' };
}

function documents(text: string): Map<string, Fields> {
  const found = new Map<string, Fields>();
  for (const document of parseAllDocuments(text)) {
    if (document.errors.length > 0) throw document.errors[0] ?? new Error('kubeadm config is no YAML');
    const value: unknown = document.toJS();
    if (isObject(value)) found.set(textAt(value, 'kind'), value);
  }
  return found;
}
