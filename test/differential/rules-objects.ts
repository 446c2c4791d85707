// Meant differences in locks, tokens, data and fields of a spec.
import type { Difference } from './differences.js';
import type { Rule, Seen } from './rules.js';
import { caseOf, neitherHasData } from './rules-said.js';
import { at } from './told.js';

/** Rules about the lock, and about fields of a spec. */
export const LOCK_RULES: readonly Rule[] = [
  {
    row: 'release',
    allows: ({ of, path, ours, theirs }, seen) => {
      const [, cluster = ''] = /^ConfigMap\/(.*)-lock$/.exec(of) ?? [];
      if (path !== '' || ours !== undefined || theirs === undefined) return false;
      return (
        at(seen.theirs[`Cluster/${cluster}`], 'status', 'conditions', 'ControlPlaneInitialized', 'status') === 'True'
      );
    },
  },
  {
    row: 'release-after-error',
    allows: ({ of, path, ours, theirs }, seen) => {
      if (!/^ConfigMap\/.*-lock$/.test(of) || path !== '') return false;
      const information = String(at(ours ?? theirs, 'data', 'lock-information'));
      const [, holder = ''] = /"machineName":"([^"]+)"/.exec(information) ?? [];
      return neitherHasData(caseOf(`KubeadmConfig/${holder}`, seen));
    },
  },
  {
    row: 'data-secret-earlier-life',
    allows: ({ of, path, theirs }, seen) => {
      const [kind, name = ''] = of.split('/');
      const config = caseOf(`KubeadmConfig/${name}`, seen);
      const before = JSON.stringify(at(seen.ours[of], 'metadata', 'ownerReferences') ?? '');
      const isOfAnotherLife = /"kind":"KubeadmConfig".*"uid":"(?:0{8}|<uid:former)/.test(before);
      return (
        kind === 'Secret' &&
        path === 'metadata.ownerReferences' &&
        theirs !== undefined &&
        isOfAnotherLife &&
        config.ours.isThere
      );
    },
  },
  {
    row: 'join-controlplane-written',
    allows: ({ of, path, ours, theirs }) => {
      if (!of.startsWith('KubeadmConfig/') || ours !== undefined) return false;
      const isEmpty = /^(?:[{},:]|"(?:controlPlane|localAPIEndpoint|discovery|nodeRegistration)")*$/.test(
        JSON.stringify(theirs),
      );
      return isEmpty && /^spec\.joinConfiguration(?:\.controlPlane)?$/.test(path);
    },
  },
];

/** A rule about what became of the token of a KubeadmConfig. */
function token(
  row: string,
  holds: (given: {
    readonly ours: string;
    readonly theirs: string;
    readonly of: string;
    readonly seen: Seen;
  }) => boolean,
): Rule {
  const state = (picture: Seen['ours'], of: string): string => String(at(picture[of], 'state') ?? '');
  return {
    row,
    allows: ({ of }, seen) =>
      of.startsWith('Token/') && holds({ ours: state(seen.ours, of), theirs: state(seen.theirs, of), of, seen }),
  };
}

/** Rules about tokens. */
export const TOKEN_RULES: readonly Rule[] = [
  token(
    'lost-token-machine',
    ({ ours, theirs, of, seen }) =>
      ours === 'alive' && theirs === 'absent' && seen.ours[of.replace('Token', 'Machine')] !== undefined,
  ),
  token(
    'user-s-token',
    ({ ours, theirs, of, seen }) =>
      ours === 'for ever' && theirs === 'alive' && at(seen.ours[of], 'data', 'description') === 'made by a user',
  ),
  token(
    'token-while-rendering-fails',
    ({ ours, theirs, of, seen }) =>
      ours === 'alive' && theirs === 'expired' && neitherHasData(caseOf(of.replace('Token', 'KubeadmConfig'), seen)),
  ),
];

/** A rule about the bytes of data: with the one change made, both are the same. */
function data(row: string, ours: (text: string) => string, theirs: (text: string) => string): Rule {
  return {
    row,
    allows: (difference) => isData(difference) && ours(String(difference.ours)) === theirs(String(difference.theirs)),
  };
}

const isData = ({ of, path }: Difference): boolean => of.startsWith('Secret/') && path === 'data.value';
const withoutAppend = (text: string): string => text.replaceAll('"append":true,', '');
const rendered = (text: string): string => text.replaceAll('{{ .KubernetesVersion }}', '<no value>');

/** Rules about bootstrap data. */
export const DATA_RULES: readonly Rule[] = [
  data('files-append-true', withoutAppend, (text) => text),
  data('file-templates', withoutAppend, rendered),
  {
    row: 'file-templates',
    allows: ({ of, path, ours, theirs }) =>
      of.startsWith('KubeadmConfig/') &&
      path === 'spec.files' &&
      JSON.stringify(ours).replaceAll('"contentFormat":"Template",', '') === JSON.stringify(theirs),
  },
];
