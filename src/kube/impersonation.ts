// Whom a kubeconfig's user acts as: the headers that client-go sends for `as`, `as-uid`, `as-groups` and `as-user-extra`.
//
//   P1. Calls are made with the rights that the kubeconfig says, or not at all: what cannot be sent is refused with the reason.
//   P2. A refusal names the field and quotes no value.

import { IMPERSONATION_CHARS_MAX } from '../limits.js';
import { AccessError, type HeaderLine } from './access.js';

/** Fields of a user entry. */
export interface ImpersonatingUser {
  readonly as?: unknown;
  readonly 'as-uid'?: unknown;
  readonly 'as-groups'?: unknown;
  readonly 'as-user-extra'?: unknown;
}

const CONTROL_CHARACTER = /[\0-\x08\n-\x1f\x7f]/; // eslint-disable-line no-control-regex
const NOT_OF_A_NAME = /[^!#$&'*+\-.^_`|~0-9a-z]/i;

/** The headers, in their order; names in lower case. Throws AccessError. */
export function impersonationOf(user: ImpersonatingUser): readonly HeaderLine[] {
  const name = textOf('as', user.as);
  const uid = textOf('as-uid', user['as-uid']);
  const groups = textsOf(user['as-groups']);
  if (groups === null) throw refusal('as-groups is not a list of texts');
  const extra = extraOf(user['as-user-extra']);
  const rest: readonly HeaderLine[] = [
    ...(uid === '' ? [] : [['impersonate-uid', checked('as-uid', uid)] as const]),
    ...groups.map((group) => ['impersonate-group', checked('as-groups', group)] as const),
    ...extra,
  ];
  if (name === '' && rest.length > 0) throw refusal('as-uid, as-groups and as-user-extra need as: the user');
  if (name === '') return [];
  const lines: readonly HeaderLine[] = [['impersonate-user', checked('as', name)], ...rest];
  const length = lines.reduce((sum, [header, value]) => sum + header.length + value.length, 0);
  if (length > IMPERSONATION_CHARS_MAX)
    throw refusal(
      `its impersonation has ${length} characters, more than the limit of ${IMPERSONATION_CHARS_MAX} characters`,
    );
  return lines;
}

function extraOf(value: unknown): readonly HeaderLine[] {
  if (value === undefined || value === null) return [];
  const refused = refusal('as-user-extra is not a mapping to lists of texts');
  if (typeof value !== 'object' || Array.isArray(value)) throw refused;
  return Object.entries(value).flatMap(([key, list]) => {
    const values = textsOf(list);
    if (values === null) throw refused;
    if (key === '') throw refusal('as-user-extra has an empty key');
    const name = `impersonate-extra-${escapedKey(key).toLowerCase()}`;
    return values.map((each) => [name, checked('as-user-extra', each)] as const);
  });
}

/** Byte by byte as client-go escapes keys: `%` and what no name of a header may have. */
function escapedKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return NOT_OF_A_NAME.test(character) ? `%${byte.toString(16).padStart(2, '0')}` : character;
    })
    .join('');
}

function textOf(field: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw refusal(`${field} is not a text`);
  return value;
}

function textsOf(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? (value as readonly string[]) : null;
}

function checked(field: string, value: string): string {
  if (CONTROL_CHARACTER.test(value)) throw refusal(`${field} has characters that a header cannot carry`);
  return value;
}

function refusal(what: string): AccessError {
  return new AccessError(`error parsing kubeconfig: ${what}`);
}
