// What Ignition itself demands of a configuration, with upstream's messages, in the order of its JSON.
//
// Errors make a configuration unusable; warnings do so in strict mode. Every finding carries the path of the value it
// concerns, in the words of the JSON; the caller knows where that was written. Two files of one path, or two units of one
// name, are not checked, as upstream.
import { checkDisks, checkFilesystems, checkRaid } from './ignition-storage-checks.js';
import type { CheckFinding, PathStep, Report } from './check-finding.js';
import { dataUrlProblem } from './data-url.js';
import { goQuote } from '../go-format/go-quote.js';
import { parseGoUrl } from './go-url.js';
import type {
  IgnitionConfig,
  IgnitionFile,
  NodeOwner,
  PasswdUser,
  Reference,
  StorageNode,
  SystemdUnit,
} from './ignition-config.js';
import { readUnitContent } from './unit-content.js';

const UNIT_EXTENSIONS = new Set(
  '.service .socket .device .mount .automount .swap .target .path .timer .snapshot .slice .scope'.split(' '),
);
const NETWORKD_EXTENSIONS = new Set(['.link', '.netdev', '.network']);
const MODE_MAX = 0o7777;
/** The user-level fields that cannot stand beside the deprecated `create` object, with the test for "given". */
const CREATE_CONFLICTS: readonly (readonly [string, (user: PasswdUser) => boolean])[] = [
  ['gecos', (user) => user.gecos !== ''],
  ['groups', (user) => user.groups.length > 0],
  ['homeDir', (user) => user.homeDir !== ''],
  ['noCreateHome', (user) => user.noCreateHome],
  ['noLogInit', (user) => user.noLogInit],
  ['noUserGroup', (user) => user.noUserGroup],
  ['primaryGroup', (user) => user.primaryGroup !== ''],
  ['shell', (user) => user.shell !== ''],
  ['system', (user) => user.system],
  ['uid', (user) => user.uid !== undefined],
];

/** All findings about a configuration. */
export function checkIgnitionConfig(config: IgnitionConfig): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const report: Report = (kind, message, path) => findings.push({ kind, message, path });
  checkNames(config, report);
  config.ignition.config.append.forEach((item, index) =>
    checkReference(item, ['ignition', 'config', 'append', index], report),
  );
  if (config.ignition.config.replace !== undefined) {
    checkReference(config.ignition.config.replace, ['ignition', 'config', 'replace'], report);
  }
  config.ignition.certificateAuthorities.forEach((item, index) =>
    checkReference(item, ['ignition', 'security', 'tls', 'certificateAuthorities', index], report),
  );
  checkNetworkd(config, report);
  config.passwd.users.forEach((user, index) => checkUser(user, ['passwd', 'users', index], report));
  const { directories, disks, files, filesystems, links, raid } = config.storage;
  directories.forEach((directory, index) => {
    const path = ['storage', 'directories', index];
    checkNode(directory, path, report);
    checkMode(directory.mode, [...path, 'mode'], report);
  });
  checkDisks(disks, report);
  files.forEach((file, index) => checkFile(file, ['storage', 'files', index], report));
  checkFilesystems(filesystems, report);
  links.forEach((link, index) => checkNode(link, ['storage', 'links', index], report));
  checkRaid(raid, report);
  config.systemdUnits.forEach((unit, index) => checkUnit(unit, ['systemd', 'units', index], report));
  return findings;
}

/** Filesystems that are referenced but not there, or there twice. */
function checkNames({ storage }: IgnitionConfig, report: Report): void {
  const known = new Set(['root', ...storage.filesystems.map((filesystem) => filesystem.name)]);
  const referring: readonly (readonly [string, readonly StorageNode[]])[] = [
    ['File', storage.files],
    ['Link', storage.links],
    ['Directory', storage.directories],
  ];
  for (const [type, nodes] of referring) {
    for (const { filesystem, path } of nodes) {
      if (known.has(filesystem)) continue;
      const name = `${type} ${goQuote(path)} references nonexistent filesystem ${goQuote(filesystem)}`;
      report('warning', `${name}. (This is ok if it is defined in a referenced config)`, []);
    }
  }
  const before = new Set(['root']);
  for (const { name } of storage.filesystems) {
    if (before.has(name)) report('warning', `Filesystem ${goQuote(name)} shadows exising filesystem definition`, []);
    before.add(name);
  }
}

function checkReference({ source, hash }: Reference, path: readonly PathStep[], report: Report): void {
  const problem = urlProblem(source);
  if (problem !== null) report('error', problem, [...path, 'source']);
  checkHash(hash, [...path, 'verification'], report);
}

function checkHash(hash: string | undefined, path: readonly PathStep[], report: Report): void {
  if (hash === undefined) return;
  const dashAt = hash.indexOf('-');
  if (dashAt === -1) return report('error', 'malformed hash specifier', path);
  if (hash.slice(0, dashAt) !== 'sha512') return report('error', 'unrecognized hash function', path);
  if (Buffer.byteLength(hash) - dashAt - 1 !== 128) report('error', 'incorrect size for hash sum', path);
}

/** What is wrong with a URL to fetch from; null when nothing is. An empty one means an empty file. */
function urlProblem(text: string): string | null {
  if (text === '') return null;
  const url = parseGoUrl(text);
  if (url.kind === 'invalid') return 'unable to parse url';
  switch (url.scheme) {
    case 'http':
    case 'https':
    case 'oem':
    case 'tftp':
      return null;
    case 's3': {
      const version = url.query.split('&').find((pair) => pair === 'versionId' || pair.startsWith('versionId='));
      return version === 'versionId' || version === 'versionId=' ? 'invalid S3 object VersionId' : null;
    }
    case 'data':
      return dataUrlProblem(text);
    default:
      return 'invalid url scheme';
  }
}

function checkNetworkd({ networkdUnits }: IgnitionConfig, report: Report): void {
  networkdUnits.forEach(({ contents, dropins, name }, index) => {
    const path = ['networkd', 'units', index];
    const isReadable = checkContents(contents, path, report);
    const isNamed = NETWORKD_EXTENSIONS.has(extensionOf(name));
    if (!isNamed) report('error', 'invalid networkd unit extension', path);
    if (!isReadable || !isNamed) return;
    dropins.forEach((dropIn, number) => {
      const dropInPath = [...path, 'dropins', number];
      checkContents(dropIn.contents, dropInPath, report);
      if (extensionOf(dropIn.name) !== '.conf') report('error', 'invalid networkd drop-in extension', dropInPath);
    });
  });
}

function checkUser(user: PasswdUser, path: readonly PathStep[], report: Report): void {
  if (user.create === undefined) return;
  report('warning', 'the create object has been deprecated in favor of user-level options', path);
  for (const [field, isGiven] of CREATE_CONFLICTS) {
    if (isGiven(user)) report('error', `cannot use both the create object and the user-level ${field} field`, path);
  }
}

function checkNode(node: StorageNode, path: readonly PathStep[], report: Report): void {
  checkOwner(node.group, [...path, 'group'], report);
  if (!node.path.startsWith('/')) report('error', 'path not absolute', [...path, 'path']);
  checkOwner(node.user, [...path, 'user'], report);
}

function checkOwner(owner: NodeOwner | undefined, path: readonly PathStep[], report: Report): void {
  if (owner?.id !== undefined && owner.name !== '') report('error', 'cannot set both id and name', path);
}

function checkMode(mode: number | undefined, path: readonly PathStep[], report: Report): void {
  if (mode !== undefined && (mode < 0 || mode > MODE_MAX)) report('error', 'illegal file mode', path);
}

function checkFile(file: IgnitionFile, path: readonly PathStep[], report: Report): void {
  if (file.overwrite === true && file.append) {
    return report('error', 'cannot set both append and overwrite to true', path);
  }
  checkNode(file, path, report);
  const { compression, source, hash } = file.contents;
  if (compression !== '' && compression !== 'gzip') {
    report('error', 'invalid compression method', [...path, 'contents', 'compression']);
  }
  const problem = urlProblem(source);
  if (problem !== null) report('error', `invalid url ${goQuote(source)}: ${problem}`, [...path, 'contents', 'source']);
  checkHash(hash, [...path, 'contents', 'verification'], report);
  checkMode(file.mode, [...path, 'mode'], report);
}

function checkUnit(unit: SystemdUnit, path: readonly PathStep[], report: Report): void {
  const content = readUnitContent(unit.contents);
  const contentsPath = [...path, 'contents'];
  if (content.kind === 'unreadable') report('error', `invalid unit content: ${content.message}`, contentsPath);
  else if ((unit.enable || unit.enabled === true) && content.sections.size > 0 && !content.sections.has('Install')) {
    const message = `unit ${goQuote(unit.name)} is enabled, but has no install section so enable does nothing`;
    report('warning', message, contentsPath);
  }
  unit.dropins.forEach((dropIn, index) => {
    const dropInPath = [...path, 'dropins', index];
    checkContents(dropIn.contents, dropInPath, report);
    if (extensionOf(dropIn.name) !== '.conf') report('error', 'invalid systemd drop-in extension', dropInPath);
  });
  if (!UNIT_EXTENSIONS.has(extensionOf(unit.name))) {
    report('error', 'invalid systemd unit extension', [...path, 'name']);
  }
}

/** Whether a unit's text can be read; reports it when not. */
function checkContents(contents: string, path: readonly PathStep[], report: Report): boolean {
  const content = readUnitContent(contents);
  if (content.kind === 'unreadable') report('error', `invalid unit content: ${content.message}`, path);
  return content.kind === 'readable';
}

/** The part from the last dot of the last path element on. */
function extensionOf(name: string): string {
  return /\.[^./]*$/.exec(name)?.[0] ?? '';
}
