// Discovery: which groups, versions and resources there are, in the legacy and in the aggregated form.
import type { Catalog } from '../resources/catalog.js';
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.js';

/** The version that this server says it is. */
export const serverVersion = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3+embedded',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};

/** Kinds of answers that are computed, not stored: they can only be created. */
export const reviews: readonly { group: string; plural: string; kind: string; namespaced: boolean }[] = [
  { group: 'authentication.k8s.io', plural: 'tokenreviews', kind: 'TokenReview', namespaced: false },
  { group: 'authentication.k8s.io', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false },
  { group: 'authorization.k8s.io', plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false },
  {
    group: 'authorization.k8s.io',
    plural: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
  },
];

const subresourceVerbs = ['get', 'patch', 'update'];
const aggregated = /^application\/json;.*\bas=APIGroupDiscoveryList\b/;

interface Group {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The answer to a discovery path, or null when the path is none. */
export function discovery(catalog: Catalog, path: string, accept: string): object | null {
  const wantsAggregated = accept.split(',').some((clause) => aggregated.test(clause.trim()) && clause.includes('v=v2'));
  const parts = path.split('/').filter((part) => part !== '');
  const [root, group = '', version] = parts;
  if (parts.length === 1 && root === 'api') return wantsAggregated ? aggregatedList(catalog, true) : coreVersions;
  if (parts.length === 1 && root === 'apis')
    return wantsAggregated ? aggregatedList(catalog, false) : groupList(catalog);
  if (root === 'api' && parts.length === 2) return resourceList(catalog, '', group);
  if (root === 'apis' && parts.length === 2) {
    const found = groups(catalog).find(({ name }) => name === group);
    return found === undefined ? null : { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(found) };
  }
  if (root === 'apis' && parts.length === 3 && version !== undefined) return resourceList(catalog, group, version);
  return null;
}

/** The media type that the answer to an aggregated request names. */
export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const coreVersions = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }],
};

function groups(catalog: Catalog): Group[] {
  const found = new Map<string, Set<string>>();
  for (const { group, version } of catalog.all()) add(found, group, version);
  for (const { group } of reviews) add(found, group, 'v1');
  found.delete('');
  return [...found].map(([name, versions]) => ({ name, versions: [...versions] }));
}

function add(found: Map<string, Set<string>>, group: string, version: string): void {
  found.set(group, (found.get(group) ?? new Set()).add(version));
}

function groupOf({ name, versions }: Group): object {
  const list = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: list, preferredVersion: list[0] };
}

function groupList(catalog: Catalog): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups(catalog).map(groupOf) };
}

function inVersion(catalog: Catalog, group: string, version: string): ResourceDefinition[] {
  return catalog.all().filter((found) => found.group === group && found.version === version);
}

function resourceList(catalog: Catalog, group: string, version: string): object | null {
  const own = version === 'v1' ? reviews.filter((review) => review.group === group) : [];
  const resources = inVersion(catalog, group, version).flatMap(legacyEntries);
  if (resources.length === 0 && own.length === 0) return null;
  const computed = own.map(({ plural, kind, namespaced }) => ({
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs: ['create'],
  }));
  const groupVersion = group === '' ? version : `${group}/${version}`;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [...resources, ...computed] };
}

function legacyEntries(definition: ResourceDefinition): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = definition;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
  const below = definition.subresources.map((subresource) => ({
    name: `${plural}/${subresource}`,
    singularName: '',
    namespaced,
    ...subresourceKind(definition, subresource),
  }));
  return [main, ...below];
}

function subresourceKind(
  definition: ResourceDefinition,
  subresource: string,
): { kind: string; verbs: readonly string[]; group?: string; version?: string } {
  if (subresource === 'eviction') return { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] };
  if (subresource === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresourceVerbs };
  return { kind: definition.kind, verbs: subresourceVerbs };
}

function aggregatedList(catalog: Catalog, core: boolean): object {
  const wanted: Group[] = core ? [{ name: '', versions: ['v1'] }] : groups(catalog);
  const items = wanted.map(({ name, versions }) => ({
    metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
    versions: versions.map((version) => ({
      version,
      resources: [...inVersion(catalog, name, version).map(aggregatedEntry), ...aggregatedReviews(name)],
      freshness: 'Current',
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function aggregatedReviews(group: string): object[] {
  return reviews
    .filter((review) => review.group === group)
    .map(({ plural, kind }) => ({
      resource: plural,
      responseKind: { group, version: 'v1', kind },
      scope: 'Cluster',
      singularResource: kind.toLowerCase(),
      verbs: ['create'],
    }));
}

function aggregatedEntry(definition: ResourceDefinition): object {
  const { group, version, kind, plural, singular, namespaced, verbs, shortNames, categories, subresources } =
    definition;
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((subresource) => {
            const below = subresourceKind(definition, subresource);
            const responseKind = { group: below.group ?? group, version: below.version ?? version, kind: below.kind };
            return { subresource, responseKind, verbs: below.verbs };
          }),
        }),
  };
}

/** All group versions, as OpenAPI indexes them. */
export function groupVersions(catalog: Catalog): string[] {
  return [...new Set(catalog.all().map(apiVersionOf))].sort();
}
