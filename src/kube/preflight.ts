// Before anything starts: can we reach the server, is everything there that we need, and may we do what we shall do?
//
// Each problem is one line that names what is missing and what to do. Nothing is written, and a server that cannot tell what
// we may do is believed to let us.

import type { ApiClient, Resource } from './contract.js';
import { isApiError } from './failures.js';
import { resourceName } from './resource-paths.js';

/** What a controller does with a resource. */
export interface AccessNeed {
  readonly resource: Resource;
  /** RBAC verbs; subresources as `update status`. */
  readonly verbs: readonly string[];
  /** One namespace; all without it. */
  readonly namespace?: string;
}

/** What a look found. */
export interface Preflight {
  /** The server cannot be reached or does not know us: everything else is unknown. */
  readonly unreachable: string | null;
  /** One line each. */
  readonly problems: readonly string[];
}

/** Looks at everything that is needed. Throws ApiError only when the signal ends. */
export async function checkAccess(
  client: Pick<ApiClient, 'list' | 'post'>,
  needs: readonly AccessNeed[],
  signal: AbortSignal,
): Promise<Preflight> {
  const found = await Promise.all(needs.map((need) => checkNeed(client, need, signal)));
  const unreachable = found.find(({ unreachable: reason }) => reason !== null)?.unreachable ?? null;
  return { unreachable, problems: unreachable === null ? [...new Set(found.flatMap(({ problems }) => problems))] : [] };
}

async function checkNeed(
  client: Pick<ApiClient, 'list' | 'post'>,
  need: AccessNeed,
  signal: AbortSignal,
): Promise<Preflight> {
  const { resource, namespace = '' } = need;
  const nothing = { unreachable: null, problems: [] };
  try {
    if (need.verbs.includes('list')) await client.list(resource, { namespace, limit: 1, signal });
  } catch (error) {
    if (!isApiError(error)) throw error;
    switch (error.failure.kind) {
      case 'NoSuchResource':
        return { ...nothing, problems: [missingText(resource)] };
      case 'Forbidden':
        break;
      case 'Unauthorized':
        return {
          ...nothing,
          unreachable:
            'the API server does not accept our credentials (401 Unauthorized): renew the token or certificate',
        };
      case 'Aborted':
        throw error;
      default:
        return { ...nothing, unreachable: error.failure.message };
    }
  }
  const denied = await Promise.all(need.verbs.map((verb) => isDenied(client, need, verb, signal)));
  return {
    ...nothing,
    problems: need.verbs.filter((_, index) => denied[index] === true).map((verb) => deniedText(need, verb)),
  };
}

function missingText(resource: Resource): string {
  const name = resourceName(resource);
  if (resource.group === '') return `the API server does not serve ${name} (${resource.version})`;
  return `CustomResourceDefinition ${name} with version ${resource.version} is not installed: apply the components of its provider first`;
}

function deniedText({ resource, namespace = '' }: AccessNeed, verb: string): string {
  const [action = verb, subresource] = verb.split(' ');
  const plural = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
  const where = namespace === '' ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  return `forbidden: ${action} ${plural}: add to ${where} the rule {apiGroups: ["${resource.group}"], resources: ["${plural}"], verbs: ["${action}"]}`;
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

async function isDenied(
  client: Pick<ApiClient, 'post'>,
  { resource, namespace = '' }: AccessNeed,
  verb: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [action, subresource] = verb.split(' ');
  const { group, version, plural } = resource;
  const resourceAttributes = {
    group,
    version,
    resource: plural,
    verb: action,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === '' ? {} : { namespace }),
  };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
  try {
    const review = await client.post<AccessReview>(REVIEWS, body, { signal });
    return review.status?.allowed === false;
  } catch (error) {
    if (isApiError(error)) return false;
    throw error;
  }
}
