// The two CustomResourceDefinitions, made from the descriptions of the API.
//
// They hold what belongs to the API. What belongs to an installation (labels of the provider, the address of the conversion
// webhook, the injected certificate authority) is added where manifests are built.

import { group, legacyVersion, storageVersion } from '../names.js';
import type { Description, OpenApiNode } from '../schema.js';
import * as v1beta1 from './v1beta1.js';
import * as v1beta2 from './v1beta2.js';

/** A column that `kubectl get` shows. */
interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
  readonly description?: string;
}

/** One version of a CustomResourceDefinition, as it is written. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: OpenApiNode };
  readonly subresources: Readonly<Record<string, Readonly<Record<string, never>>>>;
}

/** A CustomResourceDefinition, as it is written. */
export interface Crd {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly categories: readonly string[];
    };
    readonly scope: 'Namespaced';
    readonly versions: readonly CrdVersion[];
  };
}

const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
};
const cluster: PrinterColumn = {
  name: 'Cluster',
  type: 'string',
  jsonPath: ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
  description: 'Cluster that the object belongs to.',
};
const ownerNamed = (kind: string): PrinterColumn => ({
  name: kind,
  type: 'string',
  jsonPath: `.metadata.ownerReferences[?(@.kind=="${kind}")].name`,
  description: `Name of the ${kind} that owns the object.`,
});

const root = (
  description: string,
  parts: { readonly spec: Description; readonly status?: Description },
): OpenApiNode => ({
  type: 'object',
  description,
  properties: {
    apiVersion: { type: 'string', description: 'Group and version of the object.' },
    kind: { type: 'string', description: 'Kind of the object.' },
    metadata: { type: 'object' },
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.openApi])),
  },
});

const legacy = { name: legacyVersion, served: true, storage: false, deprecated: true } as const;
const stored = { name: storageVersion, served: true, storage: true } as const;

const definition = (kind: string, versions: readonly CrdVersion[]): Crd => {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group.bootstrap}` },
    spec: {
      group: group.bootstrap,
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular, categories: ['cluster-api'] },
      scope: 'Namespaced',
      versions,
    },
  };
};

const configDescription = 'KubeadmConfig describes how a machine becomes a Kubernetes node with kubeadm.';
const templateDescription = 'KubeadmConfigTemplate is a template from which KubeadmConfigs are made.';

/** The CustomResourceDefinition of KubeadmConfig. */
export const kubeadmConfigCrd: Crd = definition('KubeadmConfig', [
  {
    ...legacy,
    additionalPrinterColumns: [cluster, age],
    schema: {
      openAPIV3Schema: root(configDescription, {
        spec: v1beta1.kubeadmConfigSpec,
        status: v1beta1.kubeadmConfigStatus,
      }),
    },
    subresources: { status: {} },
  },
  {
    ...stored,
    additionalPrinterColumns: [
      cluster,
      {
        name: 'Paused',
        type: 'string',
        jsonPath: '.status.conditions[?(@.type=="Paused")].status',
        priority: 10,
        description: 'Whether nothing is done for the object because it or its Cluster is paused.',
      },
      {
        name: 'Data secret created',
        type: 'string',
        jsonPath: '.status.initialization.dataSecretCreated',
        description: 'Whether the bootstrap data is complete.',
      },
      age,
    ],
    schema: {
      openAPIV3Schema: root(configDescription, {
        spec: v1beta2.kubeadmConfigSpec,
        status: v1beta2.kubeadmConfigStatus,
      }),
    },
    subresources: { status: {} },
  },
]);

/** The CustomResourceDefinition of KubeadmConfigTemplate. */
export const kubeadmConfigTemplateCrd: Crd = definition('KubeadmConfigTemplate', [
  {
    ...legacy,
    additionalPrinterColumns: [age],
    schema: { openAPIV3Schema: root(templateDescription, { spec: v1beta1.kubeadmConfigTemplateSpec }) },
    subresources: {},
  },
  {
    ...stored,
    additionalPrinterColumns: [ownerNamed('ClusterClass'), ownerNamed('Cluster'), age],
    schema: { openAPIV3Schema: root(templateDescription, { spec: v1beta2.kubeadmConfigTemplateSpec }) },
    subresources: {},
  },
]);

/** A definition with its stored version only, for servers that have no conversion webhook. */
export function storedVersionOnly(crd: Crd): Crd {
  return { ...crd, spec: { ...crd.spec, versions: crd.spec.versions.filter(({ storage }) => storage) } };
}
