// The order in which conditions lie in a status. Cosmetic: nobody may depend on it, people like it.

const first: readonly string[] = [
  'Available',
  'Ready',
  'UpToDate',
  'RemoteConnectionProbe',
  'BootstrapConfigReady',
  'InfrastructureReady',
  'ControlPlaneInitialized',
  'ControlPlaneAvailable',
  'WorkersAvailable',
  'CertificatesAvailable',
  'Initialized',
  'EtcdClusterHealthy',
  'ControlPlaneComponentsHealthy',
  'NodeHealthy',
  'NodeReady',
  'NodeKubeadmLabelsAndTaintsSet',
  'EtcdPodHealthy',
  'EtcdMemberHealthy',
  'APIServerPodHealthy',
  'ControllerManagerPodHealthy',
  'SchedulerPodHealthy',
  'HealthCheckSucceeded',
  'OwnerRemediated',
  'TopologyReconciled',
  'Updating',
  'RollingOut',
  'Remediating',
  'ScalingDown',
  'ScalingUp',
  'MachinesReady',
  'ControlPlaneMachinesReady',
  'WorkerMachinesReady',
  'MachinesUpToDate',
  'ControlPlaneMachinesUpToDate',
  'WorkerMachinesUpToDate',
];
const last: readonly string[] = ['Paused', 'Deleting'];

const positions = new Map<string, number>([
  ...first.map((type, index) => [type, index] as const),
  ...last.map((type, index) => [type, first.length + 1 + index] as const),
]);

/** Compares two types as the list has them: the known ones in their order, others before `Paused` by name. */
export function compareConditionTypes(one: string, other: string): number {
  const between = (positions.get(one) ?? first.length) - (positions.get(other) ?? first.length);
  return between !== 0 ? between : compareText(one, other);
}

/** Compares two types of the deprecated list: `Ready` first, then by name. */
export function compareV1Beta1Types(one: string, other: string): number {
  const between = Number(other === 'Ready') - Number(one === 'Ready');
  return between !== 0 ? between : compareText(one, other);
}

/** A list in the order of its types; stable. */
export function sortConditions<T extends { readonly type: string }>(
  conditions: readonly T[],
  compare: (one: string, other: string) => number = compareConditionTypes,
): readonly T[] {
  return conditions.toSorted((one, other) => compare(one.type, other.type));
}

/** By code units: names are ASCII, and a locale must not decide. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
