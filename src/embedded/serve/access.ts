// Who a request is, and whether it may: bearer tokens, RBAC rules, and the reviews that ask the same questions.
import { failure, forbidden } from '../failure.js';
import { textAt, isObject, at, listAt } from '../json.js';
import type { EmbeddedUser, PolicyRule, RequestInfo } from '../types.js';

/** Names and rules of one server's users. */
export interface Access {
  /** The user of an Authorization header. Throws 401. */
  authenticate(authorization: string | undefined): EmbeddedUser;
  /** Throws 403 when the user may not. */
  authorize(user: EmbeddedUser, info: RequestInfo): void;
  /** Answers a review object; null when the kind is none. */
  review(resource: string, body: unknown, user: EmbeddedUser): object | null;
}

const anonymous: EmbeddedUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const discoveryPaths = /^\/(api|apis|openapi)(\/|$)/;
const publicPaths = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** Access for a list of users. */
export function createAccess(users: readonly EmbeddedUser[], anonymousMay: 'all' | 'refused'): Access {
  const byToken = new Map(users.flatMap((user) => (user.token === undefined ? [] : [[user.token, user] as const])));
  const byName = new Map(users.map((user) => [user.name, user]));

  const authenticate = (authorization: string | undefined): EmbeddedUser => {
    const token = /^bearer\s+(.+)$/i.exec(authorization ?? '')?.[1];
    const user = token === undefined ? undefined : byToken.get(token);
    if (user !== undefined) return user;
    if (anonymousMay === 'all') return anonymous;
    if (token === undefined) return { ...anonymous, rules: [] };
    throw failure(401, 'Unauthorized', 'Unauthorized');
  };

  return {
    authenticate,
    authorize(user, info) {
      if (user.rules === undefined || publicPaths.test(info.path)) return;
      if (user.token !== undefined && isOpenToUsers(info)) return;
      if (user.rules.some((rule) => allows(rule, info))) return;
      throw refusal(user, info);
    },
    review(resource, body, user) {
      switch (resource) {
        case 'tokenreviews':
          return tokenReview(body, byToken);
        case 'selfsubjectreviews':
          return { ...typed('authentication.k8s.io/v1', 'SelfSubjectReview'), status: { userInfo: userInfo(user) } };
        case 'selfsubjectaccessreviews':
          return accessReview('SelfSubjectAccessReview', body, user);
        case 'subjectaccessreviews': {
          const name = textAt(body, 'spec', 'user');
          return accessReview('SubjectAccessReview', body, byName.get(name) ?? { name, rules: [] });
        }
        default:
          return null;
      }
    },
  };
}

/** What every authenticated user may: discovery, and questions about themselves. */
function isOpenToUsers(info: RequestInfo): boolean {
  if (info.isResource) return info.verb === 'create' && info.resource.startsWith('selfsubject');
  return info.verb === 'get' && discoveryPaths.test(info.path);
}

function typed(apiVersion: string, kind: string): { apiVersion: string; kind: string; metadata: object } {
  return { apiVersion, kind, metadata: {} };
}

function userInfo(user: EmbeddedUser): object {
  return { username: user.name, groups: [...(user.groups ?? []), 'system:authenticated'] };
}

function tokenReview(body: unknown, byToken: ReadonlyMap<string, EmbeddedUser>): object {
  const user = byToken.get(textAt(body, 'spec', 'token'));
  const audiences = listAt(body, 'spec', 'audiences');
  const status =
    user === undefined
      ? { error: '[invalid bearer token]' }
      : { authenticated: true, user: userInfo(user), ...(audiences.length === 0 ? {} : { audiences }) };
  return { ...typed('authentication.k8s.io/v1', 'TokenReview'), spec: isObject(body) ? body.spec : {}, status };
}

function accessReview(kind: string, body: unknown, user: EmbeddedUser): object {
  const attributes = at(body, 'spec', 'resourceAttributes');
  const path = textAt(body, 'spec', 'nonResourceAttributes', 'path');
  const verb = textAt(attributes, 'verb') || textAt(body, 'spec', 'nonResourceAttributes', 'verb');
  const asked = {
    verb,
    path,
    isResource: isObject(attributes),
    group: textAt(attributes, 'group'),
    resource: textAt(attributes, 'resource'),
    subresource: textAt(attributes, 'subresource'),
    name: textAt(attributes, 'name'),
  };
  const allowed = user.rules === undefined || user.rules.some((rule) => allows(rule, asked));
  return { ...typed('authorization.k8s.io/v1', kind), spec: isObject(body) ? body.spec : {}, status: { allowed } };
}

type Asked = Pick<RequestInfo, 'verb' | 'path' | 'isResource' | 'group' | 'resource' | 'subresource' | 'name'>;

function allows(rule: PolicyRule, asked: Asked): boolean {
  if (!includes(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) {
    return (rule.nonResourceURLs ?? []).some(
      (url) => url === asked.path || (url.endsWith('*') && asked.path.startsWith(url.slice(0, -1))),
    );
  }
  const resource = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const named =
    rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name);
  const anyOfSubresource = asked.subresource !== '' && (rule.resources ?? []).includes(`*/${asked.subresource}`);
  return (
    includes(rule.apiGroups ?? [], asked.group) &&
    (includes(rule.resources ?? [], resource) || anyOfSubresource) &&
    named
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

function refusal(user: EmbeddedUser, info: RequestInfo): Error {
  const who = `User ${JSON.stringify(user.name)}`;
  if (!info.isResource) {
    return failure(403, 'Forbidden', `forbidden: ${who} cannot ${info.verb} path ${JSON.stringify(info.path)}`, {});
  }
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  const cause = `${who} cannot ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)} ${where}`;
  return forbidden({ group: info.group, plural: info.resource, kind: '' }, info.name, cause);
}
