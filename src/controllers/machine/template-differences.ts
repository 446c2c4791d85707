// What differs between the template a Machine was made from and the one its MachineDeployment has now. Pure.

import type { MachineSpec } from '../../api/core.js';
import { isSame } from '../kubeadmconfig/merge-diff.js';
import type { Owners } from './view.js';

/** Lines for the condition `UpToDate`; null when one of the owners is not known. */
export function templateDifferences(
  { machineSet, machineDeployment }: Owners,
  nowMs: number,
): readonly string[] | null {
  const current = machineSet?.spec?.template?.spec;
  const desired = machineDeployment?.spec?.template?.spec;
  if (current === undefined || desired === undefined) return null;
  const after = Date.parse(machineDeployment?.spec?.rollout?.after ?? '');
  const madeMs = Date.parse(machineSet?.metadata.creationTimestamp ?? '');
  return [
    ...(current.version === desired.version
      ? []
      : [`Version ${current.version ?? ''}, ${desired.version ?? ''} required`]),
    ...bootstrapDifference(current, desired),
    ...(isSame(current.infrastructureRef, desired.infrastructureRef)
      ? []
      : [notUpToDate(current.infrastructureRef.kind)]),
    ...(current.failureDomain === desired.failureDomain
      ? []
      : [`Failure domain ${current.failureDomain ?? ''}, ${desired.failureDomain ?? ''} required`]),
    ...(nowMs > after && madeMs < after ? ['MachineDeployment spec.rolloutAfter expired'] : []),
  ];
}

function bootstrapDifference(
  { bootstrap: current }: MachineSpec,
  { bootstrap: desired }: MachineSpec,
): readonly string[] {
  if (isSame(current, desired)) return [];
  if (current.configRef !== undefined) return [notUpToDate(current.configRef.kind)];
  return [
    `spec.bootstrap.dataSecretName ${current.dataSecretName ?? 'nil'}, ${desired.dataSecretName ?? 'nil'} required`,
  ];
}

function notUpToDate(kind: string): string {
  return `${kind.replace(/Template$/, '')} is not up-to-date`;
}
