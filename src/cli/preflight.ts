// What must be true before the operator starts: the API server answers, the kinds exist, and we may do what we shall do.
//
// A missing definition, a kind that may not be listed or watched, a Lease that may not be read, and a controller that is switched
// on by name without its role are start-up errors that name all that is missing and what to add: nothing would work. Any other
// right alone is a warning that names the rule to add: it may never be needed.
// Anything that may pass by itself (a conversion webhook that is not up yet, an overloaded server) is neither: the caches keep trying.

import { group, resources as kinds } from '../api/names.js';
import { ApiError, type Resource } from '../kube/contract.js';
import type { FullApiClient } from '../kube/client.js';
import { checkAccess, type AccessNeed } from '../kube/preflight.js';
import { resourceOf } from '../kube/resource-paths.js';
import type { Logger } from '../log.js';
import type { OperatorConfig } from './config.js';
import { CommandFailure } from './exit.js';
import type { ControllerName } from './run-flags.js';

/** What decides which rights are needed. */
export interface PreflightOptions {
  readonly config: Pick<OperatorConfig, 'controllers' | 'namespace' | 'shadow'>;
  /** Kinds that are watched. */
  readonly resources: readonly Resource[];
  /** Namespaces of the Leases that are taken. */
  readonly leaseNamespaces: readonly string[];
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'warning'>;
}

/** Checks the server and everything that is needed on it. Throws CommandFailure with all problems, a line each. */
export async function preflight(
  client: FullApiClient,
  options: PreflightOptions,
): Promise<{ readonly serverVersion: string }> {
  const [serverVersion] = await Promise.all([version(client, options.signal), checkContract(client, options.signal)]);
  const { unreachable, problems, missingRights } = await checkAccess(client, needsOf(options), options.signal);
  if (unreachable !== null) throw new CommandFailure(unreachable);
  if (problems.length > 0) throw new CommandFailure([...problems, ...missingRights].join('\n'));
  for (const right of missingRights) options.log.warning('A right is missing', { right });
  return { serverVersion };
}

/** What each controller writes, by kind; reading follows from what it watches. */
const WRITES: Readonly<Record<ControllerName, Readonly<Record<string, readonly string[]>>>> = {
  kubeadmconfig: {
    KubeadmConfig: ['patch', 'patch status'],
    Secret: ['create', 'patch', 'delete'],
    // patch: a lock of an earlier life is claimed before it is used.
    ConfigMap: ['create', 'patch', 'delete'],
  },
  machine: { Machine: ['patch', 'patch status'] },
  'cluster-initialized': { Cluster: ['patch status'] },
  'machines-up-to-date': { KubeadmControlPlane: ['patch status'] },
};

function needsOf({ config, resources, leaseNamespaces }: PreflightOptions): readonly AccessNeed[] {
  const scope = config.namespace === '' ? {} : { namespace: config.namespace };
  const watched = resources.map((resource) => ({
    resource,
    verbs: ['get', 'list', 'watch', ...(config.shadow ? [] : writesTo(resource.kind, config.controllers))],
    essential: ['list', 'watch', ...(config.shadow ? [] : writesTo(resource.kind, config.controllers.filter(isOptIn)))],
    source: sourceOf(resource),
    ...(resource.namespaced ? scope : {}),
  }));
  const leases = [...new Set(leaseNamespaces)].map((namespace) => ({
    resource: resourceOf(kinds.Lease),
    verbs: ['get', 'create', 'update'],
    essential: ['get'],
    namespace,
  }));
  return [...watched, ...leases];
}

/** A controller that is switched on by name has a role of its own: what it writes is all that it is for. */
function isOptIn(name: ControllerName): boolean {
  return name !== 'kubeadmconfig';
}

function writesTo(kind: string, controllers: readonly ControllerName[]): readonly string[] {
  return [...new Set(controllers.flatMap((name) => WRITES[name][kind] ?? []))];
}

async function version(client: FullApiClient, signal: AbortSignal): Promise<string> {
  try {
    return (await client.getPath<{ readonly gitVersion?: string }>('/version', { signal })).gitVersion ?? 'unknown';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.failure.kind === 'Forbidden') return 'unknown';
    const hint =
      error.failure.kind === 'Unauthorized'
        ? 'check the credentials of the kubeconfig or service account'
        : 'check the address and the network';
    throw new CommandFailure(`the API server at ${client.host} cannot be used: ${error.failure.message} (${hint})`);
  }
}

/** The version of Cluster API's contract that this program speaks. */
const CONTRACT = 'v1beta2';

/** Cluster API of another contract: one line, whatever else is missing because of it. */
async function checkContract(client: FullApiClient, signal: AbortSignal): Promise<void> {
  const path = `/apis/${group.cluster}`;
  const served = await client
    .getPath<{ readonly versions?: readonly { readonly version?: string }[] }>(path, { signal })
    .catch((error: unknown) => {
      // Without the group, and where we may not look, the check of each kind says what is missing.
      if (error instanceof ApiError) return null;
      throw error;
    });
  const versions = (served?.versions ?? []).map(({ version: name = '' }) => name);
  if (versions.length === 0 || versions.includes(CONTRACT)) return;
  throw new CommandFailure(
    `Cluster API’s contract ${CONTRACT} is needed, and the API server serves ${group.cluster} in ${versions.join(', ')} only: install Cluster API v1.11 or later (see docs/support-matrix.md)`,
  );
}

function sourceOf(resource: Resource): string {
  if (resource.group === group.bootstrap)
    return 'the CustomResourceDefinitions of deploy/crd (they are in bootstrap-components.yaml, too)';
  if (resource.group === group.controlPlane)
    return 'the kubeadm control plane provider (clusterctl init --control-plane kubeadm)';
  return 'Cluster API’s core components (clusterctl init --core cluster-api)';
}
