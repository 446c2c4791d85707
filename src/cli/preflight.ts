// What must be true before the operator starts: the API server answers, the kinds exist, and we may read them.
//
// A missing definition and a forbidden verb are start-up errors that name what is missing and what to add. Anything that may
// pass by itself (a conversion webhook that is not up yet, an overloaded server) is not: the caches keep trying.

import { ApiError, type Resource } from '../kube/contract.js';
import type { FullApiClient } from '../kube/client.js';
import { CommandFailure } from './exit.js';

/** Checks the server and every resource that will be watched. Throws CommandFailure with all problems, a line each. */
export async function preflight(
  client: FullApiClient,
  resources: readonly Resource[],
  namespace: string,
): Promise<{ readonly serverVersion: string }> {
  const serverVersion = await version(client);
  const problems = (await Promise.all(resources.map((resource) => problemOf(client, resource, namespace)))).filter(
    (problem) => problem !== null,
  );
  if (problems.length > 0) throw new CommandFailure(problems.join('\n'));
  return { serverVersion };
}

async function version(client: FullApiClient): Promise<string> {
  try {
    return (await client.getPath<{ readonly gitVersion?: string }>('/version')).gitVersion ?? 'unknown';
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

async function problemOf(client: FullApiClient, resource: Resource, namespace: string): Promise<string | null> {
  const name = `${resource.plural}${resource.group === '' ? '' : `.${resource.group}`}`;
  try {
    await client.list(resource, { limit: 1, ...(namespace === '' ? {} : { namespace }) });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (
      error.failure.kind === 'NoSuchResource' ||
      (error.failure.kind === 'NotFound' && error.failure.target.name === '')
    ) {
      return `the API server does not serve ${name} in version ${resource.version}: install ${sourceOf(resource)} first`;
    }
    if (error.failure.kind === 'Forbidden') {
      return `the operator may not list ${name}: add a rule with apiGroups [${JSON.stringify(resource.group)}], resources [${JSON.stringify(resource.plural)}], verbs ["get","list","watch"] to its ClusterRole`;
    }
    return null;
  }
}

function sourceOf(resource: Resource): string {
  if (resource.group.startsWith('bootstrap.'))
    return 'the CustomResourceDefinitions of deploy/crd (they are in bootstrap-components.yaml, too)';
  if (resource.group.startsWith('controlplane.'))
    return 'the kubeadm control plane provider (clusterctl init --control-plane kubeadm)';
  return 'Cluster API’s core components (clusterctl init --core cluster-api)';
}
