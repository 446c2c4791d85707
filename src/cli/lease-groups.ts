// Which controllers run under which Lease: one per Go manager that is replaced, with that manager's name and namespace, so that
// this operator and a Go manager are never active at once.

import type { ControllerName } from './run-flags.js';

/** Controllers that share a Lease. `namespace` null: the operator's own. */
export interface LeaseGroup {
  readonly lease: string;
  readonly namespace: string | null;
  readonly replaces: string;
  readonly controllers: readonly ControllerName[];
}

const GROUPS: readonly LeaseGroup[] = [
  {
    lease: 'kubeadm-bootstrap-manager-leader-election-capi',
    namespace: null,
    replaces: 'the kubeadm bootstrap provider',
    controllers: ['kubeadmconfig'],
  },
  {
    lease: 'controller-leader-election-capi',
    namespace: 'capi-system',
    replaces: 'Cluster API’s core manager',
    controllers: ['machine', 'cluster-initialized'],
  },
  {
    lease: 'kubeadm-control-plane-manager-leader-election-capi',
    namespace: 'capi-kubeadm-control-plane-system',
    replaces: 'the kubeadm control plane provider',
    controllers: ['machines-up-to-date'],
  },
];

/** The groups of the controllers that are switched on, each with those controllers alone. */
export function leaseGroups(controllers: readonly ControllerName[]): readonly LeaseGroup[] {
  return GROUPS.map((group) => ({
    ...group,
    controllers: group.controllers.filter((name) => controllers.includes(name)),
  })).filter((group) => group.controllers.length > 0);
}

/** The namespace of the operator, where the pod does not say: upstream's, so that a swap is an upgrade in place. */
export const DEFAULT_NAMESPACE = 'capi-kubeadm-bootstrap-system';
