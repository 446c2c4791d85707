// The CustomResourceDefinitions of the simulated provider: an infrastructure machine that follows the v1beta2 contract.
//
// They matter only where somebody else is the Machine controller: the simulation as a whole needs no infrastructure objects.

const group = 'infrastructure.cluster.x-k8s.io';

const text = { type: 'string' } as const;

const condition = {
  type: 'object',
  required: ['type', 'status', 'reason', 'lastTransitionTime'],
  properties: {
    type: text,
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    reason: text,
    message: text,
    lastTransitionTime: { type: 'string', format: 'date-time' },
    observedGeneration: { type: 'integer', format: 'int64' },
  },
} as const;

const demoMachine = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `demomachines.${group}`, labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2' } },
  spec: {
    group,
    scope: 'Namespaced',
    names: {
      kind: 'DemoMachine',
      listKind: 'DemoMachineList',
      plural: 'demomachines',
      singular: 'demomachine',
      categories: ['cluster-api'],
    },
    versions: [
      {
        name: 'v1beta2',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'ProviderID', type: 'string', jsonPath: '.spec.providerID' },
          { name: 'Provisioned', type: 'boolean', jsonPath: '.status.initialization.provisioned' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              apiVersion: text,
              kind: text,
              metadata: { type: 'object' },
              spec: { type: 'object', properties: { providerID: text } },
              status: {
                type: 'object',
                properties: {
                  initialization: { type: 'object', properties: { provisioned: { type: 'boolean' } } },
                  addresses: {
                    type: 'array',
                    items: { type: 'object', required: ['type', 'address'], properties: { type: text, address: text } },
                  },
                  conditions: {
                    type: 'array',
                    items: condition,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as const;

/** The simulated provider's kinds. */
export const infrastructureDefinitions: readonly object[] = [demoMachine];
