// The sections ntp and users. Values stand raw; a present `false` is printed.
import type { NodeUser } from '../node-data.js';
import type { Ntp } from '../spec-types.js';
import type { Piece } from './piece.js';

/** `servers:` is printed even when there is none. */
export function ntp(given: Ntp | undefined): readonly Piece[] {
  if (given === undefined) return [];
  const enabled = given.enabled === undefined ? '' : `\n  enabled: ${given.enabled}`;
  return [{ field: 'spec.ntp', text: `\nntp:${enabled}\n  servers:${items('    ', given.servers)}` }];
}

/** The password follows the name; a missing lockPassword prints nothing, and cloud-init then locks. */
export function users(given: readonly NodeUser[]): readonly Piece[] {
  if (given.length === 0) return [];
  return [
    { field: 'fixed text', text: '\nusers:' },
    ...given.map((user, index) => ({ field: `spec.users[${index}]`, text: userEntry(user) })),
  ];
}

function userEntry(user: NodeUser): string {
  const keys = items('      ', user.sshAuthorizedKeys);
  return [
    `\n  - name: ${user.name}`,
    text('passwd', user.passwd),
    text('gecos', user.gecos),
    text('groups', user.groups),
    text('homedir', user.homeDir),
    flag('inactive', user.inactive),
    flag('lock_passwd', user.lockPassword),
    text('shell', user.shell),
    text('primary_group', user.primaryGroup),
    text('sudo', user.sudo),
    keys === '' ? '' : `\n    ssh_authorized_keys:${keys}`,
  ].join('');
}

function text(key: string, value: string | undefined): string {
  return value ? `\n    ${key}: ${value}` : '';
}

function flag(key: string, value: boolean | undefined): string {
  return value === undefined ? '' : `\n    ${key}: ${value}`;
}

function items(margin: string, list: readonly string[] | undefined): string {
  return (list ?? []).map((item) => `\n${margin}- ${item}`).join('');
}
