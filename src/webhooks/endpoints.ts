// The webhooks that this operator serves: names, paths and what each is asked about.
//
// The server answers on these paths and the manifests announce them, so both read this table. Names and paths are those of
// the Go provider: a Deployment can be swapped while its webhook configurations stay.

import { defaultKubeadmConfigTemplate } from '../api/kubeadmconfig/defaulting.js';
import {
  validateKubeadmConfig,
  validateKubeadmConfigTemplate,
  type Validation,
  type ValidationGates,
} from '../api/kubeadmconfig/validation.js';
import type { Addition } from '../api/kubeadmconfig/defaulting.js';
import type { JsonObject } from '../api/wire.js';

/** What is the same for every admission webhook. */
interface Endpoint {
  readonly path: string;
  readonly name: string;
  readonly kind: 'KubeadmConfig' | 'KubeadmConfigTemplate';
  readonly plural: 'kubeadmconfigs' | 'kubeadmconfigtemplates';
}

/** A webhook that says yes or no. */
export interface ValidatingEndpoint extends Endpoint {
  readonly type: 'validating';
  readonly validate: (object: JsonObject, gates: ValidationGates) => Validation;
}

/** A webhook that fills in defaults. */
export interface MutatingEndpoint extends Endpoint {
  readonly type: 'mutating';
  readonly additions: (object: JsonObject, isDryRun: boolean) => readonly Addition[];
}

/** An admission webhook. */
export type AdmissionEndpoint = ValidatingEndpoint | MutatingEndpoint;

/** The path of the conversion webhook. */
export const CONVERSION_PATH = '/convert';

/** The admission webhooks. */
export const ADMISSION_ENDPOINTS: readonly AdmissionEndpoint[] = [
  {
    type: 'mutating',
    path: '/mutate-bootstrap-cluster-x-k8s-io-v1beta2-kubeadmconfigtemplate',
    name: 'default.kubeadmconfigtemplate.bootstrap.cluster.x-k8s.io',
    kind: 'KubeadmConfigTemplate',
    plural: 'kubeadmconfigtemplates',
    additions: defaultKubeadmConfigTemplate,
  },
  {
    type: 'validating',
    path: '/validate-bootstrap-cluster-x-k8s-io-v1beta2-kubeadmconfig',
    name: 'validation.kubeadmconfig.bootstrap.cluster.x-k8s.io',
    kind: 'KubeadmConfig',
    plural: 'kubeadmconfigs',
    validate: validateKubeadmConfig,
  },
  {
    type: 'validating',
    path: '/validate-bootstrap-cluster-x-k8s-io-v1beta2-kubeadmconfigtemplate',
    name: 'validation.kubeadmconfigtemplate.bootstrap.cluster.x-k8s.io',
    kind: 'KubeadmConfigTemplate',
    plural: 'kubeadmconfigtemplates',
    validate: validateKubeadmConfigTemplate,
  },
];
