// CRDs of a provider as tests need them: an infrastructure machine, an infrastructure cluster, a bootstrap config, without schemas.

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

interface DefinitionOptions {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly version?: string;
  /** Labels that name contracts and their versions. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A CRD whose objects may hold anything. */
export function definition({ group, kind, plural, version = 'v1beta2', labels }: DefinitionOptions): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: labels ?? { 'cluster.x-k8s.io/v1beta2': version } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
        },
      ],
    },
  };
}

export const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';

/** The provider of the tests. */
export const providerDefinitions: readonly object[] = [
  definition({ group: infrastructureGroup, kind: 'InfraMachine', plural: 'inframachines' }),
  definition({ group: infrastructureGroup, kind: 'InfraCluster', plural: 'infraclusters' }),
  definition({
    group: infrastructureGroup,
    kind: 'OldMachine',
    plural: 'oldmachines',
    version: 'v1beta1',
    labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha4_v1beta1' },
  }),
  definition({ group: infrastructureGroup, kind: 'LostMachine', plural: 'lostmachines', labels: {} }),
];

const machinesName = 'machines.cluster.x-k8s.io';
const time = { type: 'string', format: 'date-time' };

interface MachinesDefinition {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly versions: readonly { readonly name: string }[] };
}

/** The definitions with the CRD of Machines as Cluster API v1.14 has it: it keeps since when hooks are waited for. */
export function withHookTimes(definitions: readonly object[]): readonly object[] {
  return definitions.map((each) => {
    const machines = each as MachinesDefinition;
    if (machines.metadata.name !== machinesName) return each;
    const copy = structuredClone(machines) as unknown as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { status: { properties: Deletion } } } } }[] };
    };
    for (const { schema } of copy.spec.versions) {
      const { deletion } = schema.openAPIV3Schema.properties.status.properties;
      deletion.properties['waitForPreDrainHookStartTime'] = time;
      deletion.properties['waitForPreTerminateHookStartTime'] = time;
    }
    return copy;
  });
}

interface Deletion {
  readonly deletion: { readonly properties: Record<string, object> };
}
