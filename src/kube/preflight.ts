// Before anything starts: can we reach the server, is everything there that we need, and may we do what we shall do?
//
// Each problem is one line that names what is missing and what to do. Nothing is written, and a server that cannot tell what
// we may do is believed to let us.

import type { ApiClient, Resource } from './contract.js';
import { PREFLIGHT_CALL_TIMEOUT_MS } from '../limits.js';
import { isApiError } from './failures.js';
import { resourceName } from './resource-paths.js';

/** What somebody does with a resource. */
export interface AccessNeed {
  readonly resource: Resource;
  /** RBAC verbs; subresources as `update status`. */
  readonly verbs: readonly string[];
  /** Those of them without which nothing works at all: a cache that cannot be filled keeps every turn waiting. */
  readonly essential?: readonly string[];
  /** One namespace; all without it. */
  readonly namespace?: string;
  /** What to install when the server does not serve it: `its provider`. */
  readonly source?: string;
}

/** What a look found. */
export interface Preflight {
  /** The server cannot be reached or does not know us: everything else is unknown. */
  readonly unreachable: string | null;
  /** What the start cannot do without; one line each. */
  readonly problems: readonly string[];
  /** Rights that will be missed when they are needed; one line each. */
  readonly missingRights: readonly string[];
}

/** Looks at everything that is needed. Throws ApiError only when the signal ends. */
export async function checkAccess(
  client: Pick<ApiClient, 'list' | 'post'>,
  needs: readonly AccessNeed[],
  signal: AbortSignal,
): Promise<Preflight> {
  const found = await Promise.all(needs.map((need) => checkNeed(client, need, signal)));
  const unreachable = found.find(({ unreachable: reason }) => reason !== null)?.unreachable ?? null;
  if (unreachable !== null) return { unreachable, problems: [], missingRights: [] };
  return {
    unreachable,
    problems: [...new Set(found.flatMap(({ problems }) => problems))],
    missingRights: [...new Set(found.flatMap(({ missingRights }) => missingRights))],
  };
}

async function checkNeed(
  client: Pick<ApiClient, 'list' | 'post'>,
  need: AccessNeed,
  signal: AbortSignal,
): Promise<Preflight> {
  const { resource, namespace = '' } = need;
  const nothing = { unreachable: null, problems: [], missingRights: [] };
  let canList = false;
  try {
    if (need.verbs.includes('list')) {
      await client.list(resource, { namespace, limit: 1, signal, timeoutMs: PREFLIGHT_CALL_TIMEOUT_MS });
      canList = true;
    }
  } catch (error) {
    if (!isApiError(error)) throw error;
    switch (error.failure.kind) {
      case 'NoSuchResource':
        return { ...nothing, problems: [missingText(need)] };
      case 'Unauthorized':
        return {
          ...nothing,
          unreachable:
            'the API server does not accept our credentials (401 Unauthorized): renew the token or certificate',
        };
      case 'Refused':
        return { ...nothing, unreachable: error.failure.message };
      case 'Aborted':
        throw error;
      default:
      // Forbidden is told below; a server that is overloaded, or waits for a conversion webhook, gets over it.
    }
  }
  const asked = need.verbs.filter((verb) => verb !== 'list' || !canList);
  const denied = await Promise.all(asked.map((verb) => isDenied(client, need, verb, signal)));
  const verbs = asked.filter((_, index) => denied[index] === true);
  const isEssential = (verb: string): boolean => need.essential?.includes(verb) === true;
  return {
    ...nothing,
    problems: deniedTexts(need, verbs.filter(isEssential)),
    missingRights: deniedTexts(
      need,
      verbs.filter((verb) => !isEssential(verb)),
    ),
  };
}

function missingText({ resource, source = 'the components of its provider' }: AccessNeed): string {
  const name = resourceName(resource);
  if (resource.group === '') return `the API server does not serve ${name} in version ${resource.version}`;
  return `the API server does not serve ${name} in version ${resource.version}: install ${source} first`;
}

/** One line for a resource and one for each of its subresources. */
function deniedTexts({ resource, namespace = '' }: AccessNeed, verbs: readonly string[]): readonly string[] {
  const where = namespace === '' ? 'its ClusterRole' : `its Role in namespace ${namespace}`;
  const subresources = [...new Set(verbs.map((verb) => verb.split(' ')[1] ?? ''))];
  return subresources.map((subresource) => {
    const actions = verbs
      .filter((verb) => (verb.split(' ')[1] ?? '') === subresource)
      .map((verb) => verb.split(' ')[0] ?? verb);
    const suffix = subresource === '' ? '' : `/${subresource}`;
    const rule = `apiGroups [${JSON.stringify(resource.group)}], resources [${JSON.stringify(`${resource.plural}${suffix}`)}], verbs ${JSON.stringify(actions)}`;
    return `the operator may not ${actions.join(', ')} ${resourceName(resource)}${suffix}: add a rule with ${rule} to ${where}`;
  });
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
    const review = await client.post<AccessReview>(REVIEWS, body, { signal, timeoutMs: PREFLIGHT_CALL_TIMEOUT_MS });
    return review.status?.allowed === false;
  } catch (error) {
    if (isApiError(error)) return false;
    throw error;
  }
}
