// What is checked in a Container Linux Config before it is converted: unknown keys, versions, and the few rules that concern
// the language itself rather than Ignition.
//
// Entries come in the order of the language's own structure, keys unknown to it last within their mapping. A place is the
// value's own when it was written in the text, else that of the nearest mapping around it.
import { isBefore, type CoreosVersion } from './coreos-version.js';
import { serviceOptions } from './clc-options.js';
import { defaultVersion } from './clc-decode.js';
import {
  clcSchema,
  type ClcConfig,
  type ClcFile,
  type ClcLocksmith,
  type ClcStruct,
  type ClcType,
  type ClcUpdate,
  type VersionedService,
} from './clc-schema.js';
import { isGoDuration } from './go-duration.js';
import { parseGoUrl } from './go-url.js';
import type { EntryKind, Position, ReportEntry } from './report.js';
import type { YamlNode } from './yaml-tree.js';

/** A finding that has no place yet. */
interface Finding {
  readonly kind: EntryKind;
  readonly message: string;
}

type Check = (value: unknown) => Finding | null;

/** The checks of one kind of mapping: on the whole of it (an error there hides what is inside), and on single keys. */
interface StructChecks {
  readonly whole?: Check;
  readonly keys?: Readonly<Record<string, Check>>;
}

/** All entries about a decoded configuration. `root` is null for a text without content. */
export function checkClc(config: ClcConfig, root: YamlNode | null): readonly ReportEntry[] {
  const empty: ReportEntry[] =
    root === null ? [{ kind: 'warning', message: 'Configuration is empty', position: undefined }] : [];
  return [...empty, ...check(config, clcSchema, { node: root, around: root ?? undefined })];
}

/** Where a value stands: its node, if it was written, and the nearest place around it. */
interface Place {
  readonly node: YamlNode | null;
  readonly around: Position | undefined;
}

function check(value: unknown, type: ClcType, place: Place): ReportEntry[] {
  if (value === undefined) return [];
  switch (type.kind) {
    case 'optional':
      return check(value, type.of, place);
    case 'list': {
      const items = place.node?.kind === 'sequence' ? place.node.items : [];
      return (value as readonly unknown[]).flatMap((item, index) =>
        check(item, type.of, inside(place, items[index] ?? place.node)),
      );
    }
    case 'struct':
      return checkStruct(value as Readonly<Record<string, unknown>>, type, place);
    case 'versioned':
      return checkService(value as VersionedService, type.service, place);
    default:
      return [];
  }
}

function checkStruct(value: Readonly<Record<string, unknown>>, type: ClcStruct, place: Place): ReportEntry[] {
  const checks = CHECKS[type.goType] ?? {};
  const whole = checks.whole?.(value) ?? null;
  const entries = whole === null ? [] : [at(whole, place.around)];
  if (whole?.kind === 'error') return entries;
  const written = writtenMembers(place.node);
  for (const [key, fieldType] of Object.entries(type.fields)) {
    const member = inside(place, written.get(key)?.value ?? null);
    const finding = checks.keys?.[key]?.(fieldCheckInput(type, key, value)) ?? null;
    if (finding !== null) entries.push(at(finding, member.around));
    entries.push(...check(value[key], fieldType, member));
  }
  return [...entries, ...unknownKeys(written, Object.keys(type.fields))];
}

/** `mode` is judged together with `append`, everything else alone. */
function fieldCheckInput(type: ClcStruct, key: string, value: Readonly<Record<string, unknown>>): unknown {
  return type.goType === 'types.File' && key === 'mode' ? value : value[key];
}

function checkService(service: VersionedService, name: 'etcd' | 'flannel', place: Place): ReportEntry[] {
  const written = writtenMembers(place.node);
  const entries: ReportEntry[] = [];
  const usesKubeSubnets = service.options.some(({ key, value }) => key === 'kube_subnet_mgr' && value === true);
  if (usesKubeSubnets && service.networkConfig !== '') {
    const message = 'flannel network config cannot be provided if kube_subnet_mgr is set';
    return [at({ kind: 'error', message }, place.around)];
  }
  const add = (key: string, finding: Finding | null): void => {
    if (finding !== null) entries.push(at(finding, inside(place, written.get(key)?.value ?? null).around));
  };
  add(
    'version',
    service.version === undefined ? null : name === 'etcd' ? checkEtcd(service.version) : checkFlannel(service.version),
  );
  add('network_config', checkNetworkConfig(service.networkConfig));
  const options = serviceOptions(name, service.version ?? defaultVersion(name)).map((option) => option.key);
  const known = name === 'etcd' ? ['version', ...options] : ['version', 'network_config', ...options];
  return [...entries, ...unknownKeys(written, known)];
}

/** The members as written, without following aliases or merge keys. */
function writtenMembers(
  node: YamlNode | null,
): ReadonlyMap<string, { readonly key: YamlNode; readonly value: YamlNode }> {
  const entries = node?.kind === 'mapping' ? node.entries : [];
  return new Map(entries.map((entry) => [entry.key.kind === 'scalar' ? entry.key.value : '', entry]));
}

function unknownKeys(
  written: ReadonlyMap<string, { readonly key: YamlNode }>,
  known: readonly string[],
): ReportEntry[] {
  const entries: ReportEntry[] = [];
  for (const [name, { key }] of written) {
    if (known.includes(name)) continue;
    entries.push(at({ kind: 'warning', message: `Config has unrecognized key: ${name}` }, key));
    const meant = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
    if (meant !== undefined)
      entries.push(at({ kind: 'info', message: `Did you mean ${meant} instead of ${name}` }, key));
  }
  return entries;
}

function inside(place: Place, node: YamlNode | null): Place {
  return { node, around: node ?? place.around };
}

function at(finding: Finding, position: Position | undefined): ReportEntry {
  return {
    ...finding,
    position: position === undefined ? undefined : { line: position.line, column: position.column },
  };
}

const error = (message: string): Finding => ({ kind: 'error', message });
const warning = (message: string): Finding => ({ kind: 'warning', message });

const CHECKS: Readonly<Record<string, StructChecks>> = {
  'types.Config': {
    keys: { version: (version) => (version === 0 ? null : error('Invalid version. Only version 0 is supported')) },
  },
  'types.File': { keys: { mode: (file) => checkFileMode(file as ClcFile) } },
  'types.Directory': {
    keys: {
      mode: (mode) => (mode === undefined ? warning('mode unspecified for directory, defaulting to 0755') : null),
    },
  },
  'types.FileContents': { whole: (contents) => checkSources(contents as ClcFile['contents']) },
  'types.Update': {
    whole: (update) => checkUpdate(update as ClcUpdate),
    keys: { server: (server) => urlFinding(server as string) },
  },
  'types.Locksmith': {
    whole: (locksmith) => checkWindow(locksmith as ClcLocksmith),
    keys: {
      reboot_strategy: (strategy) => checkStrategy(strategy as string | undefined),
      window_start: (start) => checkWindowStart(start as string | undefined),
      window_length: (length) =>
        !length || isGoDuration(length as string) ? null : error("couldn't parse window length"),
    },
  },
};

function checkFileMode({ mode, append }: ClcFile): Finding | null {
  if (mode !== undefined) return null;
  if (!append) return warning('mode unspecified for file, defaulting to 0644');
  return { kind: 'info', message: 'mode unspecified for file, defaulting to 0644 if the file does not exist' };
}

function checkSources({ inline, local, remote }: ClcFile['contents']): Finding | null {
  const given = [inline, local, remote.url].filter((source) => source !== '').length;
  return given > 1 ? error('only one of the following can be set: local, inline, remote.url') : null;
}

function checkUpdate({ group, server }: ClcUpdate): Finding | null {
  const isKnown = ['stable', 'beta', 'alpha'].includes(group.toLowerCase());
  return isKnown || server !== '' ? null : warning('unknown update group');
}

function urlFinding(text: string): Finding | null {
  const parsed = parseGoUrl(text);
  return parsed.kind === 'url' ? null : error(parsed.message);
}

function checkWindow({ window_start: start, window_length: length }: ClcLocksmith): Finding | null {
  return Boolean(start) === Boolean(length) ? null : error('window-start and window-length must both be specified');
}

function checkStrategy(strategy: string | undefined): Finding | null {
  if (!strategy || ['reboot', 'etcd-lock', 'off'].includes(strategy.toLowerCase())) return null;
  return error('unknown reboot strategy');
}

/** `[day ]HH:MM`. What does not look like two words is taken as a time alone. */
function checkWindowStart(start: string | undefined): Finding | null {
  if (!start) return null;
  const words = /^[^\S\n]*(\S+)[^\S\n]+(\S+)/.exec(start);
  const [day, time] = words === null ? [null, start] : [words[1] ?? '', words[2] ?? ''];
  if (day !== null && !['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'not-present'].includes(day.toLowerCase())) {
    return error('unknown day in window start');
  }
  return /^(?:[01]?\d|2[0-3]):[0-5]\d$/.test(time) ? null : error("couldn't parse window start");
}

function checkEtcd(version: CoreosVersion): Finding | null {
  if (isBefore(version, 2, 3)) return error('Etcd version specified is not valid (too old)');
  if ((version.major === 2 && version.minor > 3) || (version.major === 3 && version.minor > 5)) {
    return warning(
      'Etcd minor version specified is too new, only options available in the previous minor version will be accepted',
    );
  }
  return version.major > 3 ? error('Etcd version is not valid (too new)') : null;
}

function checkFlannel(version: CoreosVersion): Finding | null {
  if (isBefore(version, 0, 5)) return error('invalid flannel version (too old)');
  if (version.major === 0 && version.minor > 7) {
    return warning(
      'flannel minor version too new. Only options available in the previous minor version will be supported',
    );
  }
  return null;
}

function checkNetworkConfig(text: string): Finding | null {
  if (text === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    // JSON's null leaves Go's map nil, without an error.
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return null;
  } catch {
    // Not JSON: the same answer as JSON of another kind.
  }
  return error("flannel network config doesn't appear to be valid JSON");
}
