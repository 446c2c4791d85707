// The services that the Container Linux Config language knows by name: docker, etcd, flannel, and the updater with locksmith.
//
// Each becomes a drop-in of its unit, or the file /etc/coreos/update.conf. Texts in options are Go-quoted.
import { goQuote } from '../go-format/go-quote.js';
import { defaultVersion } from './clc-decode.js';
import { serviceOptions } from './clc-options.js';
import type { ClcLocksmith, ClcUpdate, VersionedService } from './clc-schema.js';
import { dataUrl } from './data-url.js';
import type { IgnitionFile, SystemdUnit } from './ignition-config.js';

const UPDATE_CONF = '/etc/coreos/update.conf';
const UPDATE_CONF_MODE = 0o644;

/** What distinguishes the two services. */
const SERVICES = {
  etcd: {
    unit: 'etcd-member.service',
    dropIn: '20-clct-etcd-member.conf',
    imageTag: 'ETCD_IMAGE_TAG',
    command: '/usr/lib/coreos/etcd-wrapper $ETCD_OPTS',
  },
  flannel: {
    unit: 'flanneld.service',
    dropIn: '20-clct-flannel.conf',
    imageTag: 'FLANNEL_IMAGE_TAG',
    command: '/usr/lib/coreos/flannel-wrapper $FLANNEL_OPTS',
  },
} as const;

/** docker with its flags. */
export function dockerUnit(flags: readonly string[]): SystemdUnit {
  const contents = `[Service]\nEnvironment="DOCKER_OPTS=${flags.join(' ')}"`;
  return unitWithDropIn('docker.service', '20-clct-docker.conf', contents);
}

/** etcd or flannel with their options, or why that is impossible. */
export function serviceUnit(name: 'etcd' | 'flannel', service: VersionedService): SystemdUnit | string {
  const { unit, dropIn, imageTag, command } = SERVICES[name];
  const known = serviceOptions(name, service.version ?? defaultVersion(name));
  const args = service.options.map(({ key, value }) => {
    const flag = known.find((option) => option.key === key)?.flag ?? key;
    return `--${flag}=${typeof value === 'string' ? goQuote(value) : value}`;
  });
  // Braces ask for values that only some platforms know; no platform can be named here.
  if (args.some((arg) => /[{}]/.test(arg))) return 'platform must be specified to use templating';
  const lines = ['[Service]'];
  if (service.version !== undefined) lines.push(`Environment="${imageTag}=v${service.version.text}"`);
  lines.push('ExecStart=', `ExecStart=${[command, ...args].join(' \\\n  ')}`);
  if (service.networkConfig !== '') lines.push(networkConfigCommand(service));
  return unitWithDropIn(unit, dropIn, lines.join('\n'));
}

/** Before flannel starts, its network configuration is stored in etcd. */
function networkConfigCommand({ options, networkConfig }: VersionedService): string {
  const etcdFlags = [
    ['etcd_endpoints', '--endpoints'],
    ['etcd_cafile', '--ca-file'],
    ['etcd_certfile', '--cert-file'],
    ['etcd_keyfile', '--key-file'],
  ].flatMap(([key, flag]) => {
    const option = options.find((candidate) => candidate.key === key);
    return option === undefined ? [] : [`${flag}=${goQuote(String(option.value))}`];
  });
  const words = ['/usr/bin/etcdctl', ...etcdFlags, 'set', '/coreos.com/network/config', goQuote(networkConfig)];
  return `ExecStartPre=${words.join(' ')}`;
}

/** The file of the updater and locksmith; no file when neither says anything. */
export function updateFile(
  update: ClcUpdate | undefined,
  locksmith: ClcLocksmith | undefined,
): readonly IgnitionFile[] {
  const contents =
    (update === undefined ? '' : updateText(update)) + (locksmith === undefined ? '' : locksmithText(locksmith));
  if (contents === '') return [];
  return [
    {
      filesystem: 'root',
      group: undefined,
      overwrite: undefined,
      path: UPDATE_CONF,
      user: undefined,
      append: false,
      contents: { compression: '', source: dataUrl(contents), hash: undefined },
      mode: UPDATE_CONF_MODE,
    },
  ];
}

/** Every line but the group's starts with its line feed, also when there is no group. */
function updateText(update: ClcUpdate): string {
  const group = update.group === '' ? '' : `GROUP=${update.group.toLowerCase()}`;
  const others = [
    ['SERVER', update.server],
    ['PCR_POLICY_SERVER', update.pcr_policy_server],
    ['DOWNLOAD_USER', update.download_user],
    ['DOWNLOAD_PASSWORD', update.download_password],
    ['MACHINE_ALIAS', update.machine_alias],
  ].filter(([, value]) => value !== '');
  return group + others.map(([key, value]) => `\n${key}=${value}`).join('');
}

function locksmithText(locksmith: ClcLocksmith): string {
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['REBOOT_STRATEGY', locksmith.reboot_strategy],
    ['LOCKSMITHD_REBOOT_WINDOW_START', locksmith.window_start],
    ['LOCKSMITHD_REBOOT_WINDOW_LENGTH', locksmith.window_length],
    ['LOCKSMITHD_GROUP', locksmith.group],
    ['LOCKSMITHD_ENDPOINT', locksmith.etcd_endpoints],
    ['LOCKSMITHD_ETCD_CAFILE', locksmith.etcd_cafile],
    ['LOCKSMITHD_ETCD_CERTFILE', locksmith.etcd_certfile],
    ['LOCKSMITHD_ETCD_KEYFILE', locksmith.etcd_keyfile],
  ];
  return lines.map(([key, value]) => (value === undefined ? '' : `\n${key}=${goQuote(value)}`)).join('');
}

function unitWithDropIn(name: string, dropIn: string, contents: string): SystemdUnit {
  return { contents: '', dropins: [{ contents, name: dropIn }], enable: true, enabled: undefined, mask: false, name };
}
