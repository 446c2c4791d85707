// Differences in what KubeadmConfigs say, and where the two worlds part for good.
import { label } from '../../src/api/names.js';
import type { Difference } from './differences.js';
import { FILTER } from './history.js';
import type { Rule, Seen } from './rules.js';
import { at, toldOf, type Told } from './told.js';

/** Both sides of one KubeadmConfig, and what surrounds it. */
export interface Case {
  readonly name: string;
  readonly ours: Told;
  readonly theirs: Told;
  readonly seen: Seen;
}

/** A rule about the status of a KubeadmConfig for which something holds. */
function said(row: string, holds: (given: Case) => boolean): Rule {
  return {
    row,
    allows: ({ of, path }, seen) =>
      of.startsWith('KubeadmConfig/') && /^status(?:$|\.)/.test(path) && holds(caseOf(of, seen)),
  };
}

/** A rule after which nothing of the KubeadmConfig, its data and its lock is compared any more. */
function parts(row: string, holds: (given: Case) => boolean): Rule {
  return {
    row,
    parts: true,
    allows: (difference, seen) => partedBy(difference, seen).some((of) => holds(caseOf(of, seen))),
  };
}

/** The KubeadmConfigs for whose sake a difference may be: its own, and for what a cluster shares every one that there is. */
function partedBy({ of }: Difference, { ours, theirs }: Seen): readonly string[] {
  const [kind = '', name = ''] = of.split('/');
  const isShared = kind === 'ConfigMap' || (kind === 'Secret' && /-(?:ca|etcd|proxy|sa)$/.test(name));
  if (!isShared) return [`KubeadmConfig/${name}`];
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((each) =>
    each.startsWith('KubeadmConfig/'),
  );
}

/** What both sides say of a KubeadmConfig. */
export function caseOf(of: string, seen: Seen): Case {
  return {
    name: of.slice('KubeadmConfig/'.length),
    ours: toldOf(seen.ours, of),
    theirs: toldOf(seen.theirs, of),
    seen,
  };
}

const CONTROL_PLANE = 'Waiting for Cluster control plane to be initialized';
const ENDPOINT = 'Waiting for Cluster Controller to set Cluster.Spec.ControlPlaneEndpoint';

/** Whether neither has made data. */
export const neitherHasData = ({ ours, theirs }: Case): boolean => !ours.hasData && !theirs.hasData;

/** A failure that upstream tells in its log alone. */
const isOnlyLogged = (message: string): boolean =>
  [
    /^connection to workload cluster \S+ is down/,
    /^unable to parse ca certificate/,
    /kubernetes version/,
    /^Failed to prepare spec\.files/,
    /^Failed to (?:marshal|generate|create|store|render)/i,
    /^(?:spec\.|MachinePool is not a valid control plane)/,
  ].some((pattern) => pattern.test(message));

const isMissingKey = ({ message }: Told['certificates']): boolean => /missing key data$/.test(message);

/** Rules about what is said. */
export const SAID_RULES: readonly Rule[] = [
  said('lost-taken-token-may', ({ ours }) =>
    /is not in workload cluster \S+ and was not made by this operator/.test(ours.data.message),
  ),
  parts(
    'watch-filter-cluster',
    ({ name, theirs, seen }) => seen.manner === 'filter' && !theirs.hasData && !isWatched(clusterOf(name, seen)),
  ),
  said('watch-filter-cluster', ({ name, seen }) => seen.manner === 'filter' && !isWatched(clusterOf(name, seen))),
  said('owner-name-but-another', isOwnedByAnotherLife),
  parts('owner-name-but-another', isOwnedByAnotherLife),
  said('failurereason-failuremessage', ({ ours, theirs }) => ours.failureReason !== '' && theirs.failureReason !== ''),
  parts('failurereason-failuremessage', ({ ours, theirs }) => ours.failureReason !== '' && theirs.failureReason !== ''),
  said('deleted-object', ({ ours, theirs }) => ours.isDeleting && theirs.isDeleting),
  said(
    'waiting-for-control-plane',
    (given) =>
      neitherHasData(given) &&
      given.ours.data.message === CONTROL_PLANE &&
      given.theirs.data.status === 'False' &&
      given.theirs.data.message !== CONTROL_PLANE,
  ),
  said('waits-join', (given) => neitherHasData(given) && given.ours.data.message === ENDPOINT),
  said('watch-filter', isFilteredOut),
  parts('watch-filter', isFilteredOut),
  said(
    'lock-cannot-be-parsed',
    (given) => neitherHasData(given) && /is not a readable init lock/.test(given.ours.data.message),
  ),
  parts(
    'worker-joinconfiguration-controlplane',
    ({ ours, theirs }) => !ours.hasData && !theirs.hasData && /^Machine is a Worker, but/.test(ours.data.message),
  ),
  parts(
    'init-controlplaneref-certificates-missing',
    ({ ours, theirs }) => theirs.hasData && !ours.hasData && ours.legacyCertificates.message === 'missing certificate',
  ),
  parts(
    'certificate-empty',
    ({ ours, theirs }) =>
      theirs.hasData &&
      !ours.hasData &&
      /^for certificate: \w+: missing (?:key|crt) data$/.test(ours.legacyCertificates.message),
  ),
  said('control-plane-join-init', (given) => neitherHasData(given) && isMissingKey(given.theirs.legacyCertificates)),
  parts(
    'control-plane-join-init',
    ({ ours, theirs }) =>
      !theirs.hasData && isMissingKey(theirs.legacyCertificates) && !isMissingKey(ours.legacyCertificates),
  ),
  parts('kubeconfig-secret-without-cluster', (given) => !given.theirs.hasData && hasUnlabelledKubeconfig(given)),
  said('kubeconfig-secret-without-cluster', (given) => hasUnlabelledKubeconfig(given)),
  parts(
    'control-plane-version-for',
    ({ ours, theirs }) => theirs.hasData && !ours.hasData && /^Failed to prepare spec\.files/.test(ours.data.message),
  ),
  parts('existing-secret', ({ ours }) => /is already controlled by/.test(ours.data.message)),
  parts(
    'kubeconfig-secret-deleted',
    ({ ours, theirs }) =>
      !ours.hasData &&
      (theirs.hasData || theirs.data.message.startsWith('Failed to read')) &&
      /^connection to workload cluster \S+ is down: .*getting kubeconfig secret/.test(ours.data.message),
  ),
  said(
    'kubernetes-version-kubeadm-documents',
    (given) => neitherHasData(given) && given.ours.data.status === 'False' && isOnlyLogged(given.ours.data.message),
  ),
];

function hasUnlabelledKubeconfig({ name, seen }: Case): boolean {
  const cluster = /^c\d/.exec(name)?.[0] ?? '';
  const secret = seen.theirs[`Secret/${cluster}-kubeconfig`];
  return secret !== undefined && at(secret, 'metadata', 'labels', label.clusterName) === undefined;
}

/** The owner of the name has come after the reference was written, or has been made again since. */
function isOwnedByAnotherLife({ name, seen }: Case): boolean {
  const references = JSON.stringify(at(seen.ours[`KubeadmConfig/${name}`], 'metadata', 'ownerReferences') ?? []);
  return /"kind":"Machine(?:Pool)?"[^}]*"uid":"(?:0{8}-|<uid:former)/.test(references);
}

function clusterOf(name: string, { theirs }: Seen): unknown {
  return theirs[`Cluster/${/^c\d/.exec(name)?.[0] ?? ''}`];
}

function isWatched(object: unknown): boolean {
  return at(object, 'metadata', 'labels', label.watchFilter) === FILTER;
}

function isFilteredOut({ ours, seen }: Case): boolean {
  return seen.manner === 'filter' && ours.labels[label.watchFilter] !== FILTER;
}
