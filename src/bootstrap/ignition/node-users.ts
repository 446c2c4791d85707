// `spec.users` as users of an Ignition configuration. `sudo` and password logins become files (node-files.ts).
//
// `inactive` has no counterpart in Ignition and is not read: admission refuses it with this format.
import type { NodeUser } from '../node-data.js';
import type { PasswdUser } from './ignition-config.js';
import type { Sourced } from './sourced.js';
import type { Scribe } from './scribe.js';

/** The columns of a user's keys and of the lists under them in upstream's template. */
const MEMBER_INDENT = 6;
const ITEM_INDENT = 8;

/** All users, in order. */
export function collectUsers(users: readonly NodeUser[], scribe: Scribe): readonly Sourced<PasswdUser>[] {
  return users.map((user, index) => {
    const field = `spec.users[${index}]`;
    const member = (name: keyof NodeUser & string, value: string | undefined): string | undefined => {
      const isSecret = name === 'passwd';
      return value
        ? scribe.text(value, { as: 'member', indent: MEMBER_INDENT, field: `${field}.${name}`, isSecret })
        : undefined;
    };
    const item: PasswdUser = {
      create: undefined,
      name: member('name', user.name) ?? '',
      gecos: member('gecos', user.gecos) ?? '',
      groups: scribe.texts(user.groups ? user.groups.split(', ') : [], () => ({
        as: 'item',
        indent: ITEM_INDENT,
        field: `${field}.groups`,
      })),
      homeDir: member('homeDir', user.homeDir) ?? '',
      noCreateHome: false,
      noLogInit: false,
      noUserGroup: false,
      passwordHash: member('passwd', user.passwd),
      primaryGroup: member('primaryGroup', user.primaryGroup) ?? '',
      sshAuthorizedKeys: scribe.texts(user.sshAuthorizedKeys ?? [], (number) => ({
        as: 'item',
        indent: ITEM_INDENT,
        field: `${field}.sshAuthorizedKeys[${number}]`,
      })),
      shell: member('shell', user.shell) ?? '',
      system: false,
      uid: undefined,
    };
    return { field, item };
  });
}
