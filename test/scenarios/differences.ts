// Where this operator's objects differ from the record, by rulings: each has a row in docs/parity.md, and there is nothing else.
type Json = unknown;
type Dictionary = Record<string, Json>;
type State = Record<string, Record<string, Dictionary>>;

const isDictionary = (value: Json): value is Dictionary =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The actual state without what only this operator writes: its snapshot, its marks, the holder's uid in the lock. */
export function withoutOurs(actual: Json): Json {
  if (!isDictionary(actual)) return actual;
  const state = structuredClone(actual) as State;
  for (const kind of ['KubeadmConfig', 'Secret']) {
    for (const object of Object.values(state[kind] ?? {})) dropMark(object);
  }
  for (const object of Object.values(state['KubeadmConfig'] ?? {})) {
    const status = object['status'] as { conditions?: { type: string }[] } | undefined;
    if (status?.conditions !== undefined)
      status.conditions = status.conditions.filter(({ type }) => type !== 'ActorState');
  }
  for (const object of Object.values(state['ConfigMap'] ?? {})) {
    const data = object['data'] as Dictionary;
    data['lock-information'] = String(data['lock-information']).replace(/,"machineUID":"[^"]*"/, '');
  }
  return state;
}

function dropMark(object: Dictionary): void {
  const metadata = object['metadata'] as { annotations?: Dictionary };
  if (metadata.annotations === undefined) return;
  delete metadata.annotations['kubeadm-bootstrap-operator/token'];
  if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations;
}

/** The recorded state with the rulings applied. */
export function byRulings(id: string, name: string, expected: Json): Json {
  if (!isDictionary(expected) || !('bootstrapTokens' in expected)) return expected;
  const { pems: _pems, events: _events, KubeadmControlPlane: _other, ...shown } = expected;
  // what was decided is said of the spec that it was decided on, also where that was patched in the same turn.
  const text = JSON.stringify(shown);
  const state = JSON.parse(
    id.startsWith('life-10') ? text : text.replaceAll('<generation-1>', '<generation>'),
  ) as State;
  for (const secret of Object.values(state['Secret'] ?? {})) {
    ownedByCluster(secret);
    delete secret['decoded'];
  }
  edits[`${id}: ${name}`]?.(state);
  return state;
}

/** certificates belong to the Cluster. */
function ownedByCluster(secret: Dictionary): void {
  const metadata = secret['metadata'] as { name: string; ownerReferences?: Dictionary[] };
  const isGenerated = metadata.ownerReferences?.some((reference) => reference['blockOwnerDeletion'] === true);
  if (isGenerated !== true) return;
  const cluster = metadata.name.split('-')[0] ?? '';
  metadata.ownerReferences = [
    { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: cluster, uid: `<uid:Cluster/${cluster}>` },
  ];
}

type Condition = Dictionary & { type: string };
type Status = {
  conditions: Condition[];
  observedGeneration?: Json;
  deprecated: { v1beta1: { conditions: Condition[] } };
};

function statusOf(state: State, name: string): Status {
  return state['KubeadmConfig']?.[name]?.['status'] as unknown as Status;
}

/** Replaces or adds a condition, and keeps the list in order. */
function say(conditions: Condition[], next: Condition): void {
  const at = conditions.findIndex(({ type }) => type === next.type);
  if (at >= 0) conditions[at] = { ...conditions[at], ...next };
  else
    conditions.splice(
      conditions.findIndex(({ type }) => type === 'Paused') >= 0 ? conditions.length - 1 : conditions.length,
      0,
      next,
    );
}

/** DataSecretAvailable is False with the cause, and so is Ready in both versions. */
function dataNotAvailable(
  state: State,
  name: string,
  said: { readonly message: string; readonly legacy: Dictionary },
): void {
  const status = statusOf(state, name);
  const shown = { lastTransitionTime: '<time>', observedGeneration: '<generation>', status: 'False' };
  say(status.conditions, { ...shown, type: 'DataSecretAvailable', reason: 'NotAvailable', message: said.message });
  say(status.conditions, {
    ...shown,
    type: 'Ready',
    reason: 'NotReady',
    message: `* DataSecretAvailable: ${said.message}`,
  });
  const legacy = status.deprecated.v1beta1.conditions;
  for (const type of ['DataSecretAvailable', 'Ready']) {
    say(legacy, { lastTransitionTime: '<time>', status: 'False', type, ...said.legacy });
  }
}

const endpoint = {
  message: 'Waiting for Cluster Controller to set Cluster.Spec.ControlPlaneEndpoint',
  legacy: { reason: 'WaitingForControlPlaneAvailable', severity: 'Info' },
};

const unreachable =
  'connection to workload cluster join-16-workload-unreachable/c1 is down: cluster is not reachable: connect ECONNREFUSED (Secret join-16-workload-unreachable/c1-kubeconfig)';

/** the message says what is waited for now. */
function waitsForControlPlane(state: State, name: string): void {
  const from = 'Waiting for Cluster status.infrastructureReady to be true';
  const to = 'Waiting for Cluster control plane to be initialized';
  const text = JSON.stringify(statusOf(state, name))
    .replaceAll(from, to)
    .replaceAll('WaitingForClusterInfrastructure', 'WaitingForControlPlaneAvailable');
  (state['KubeadmConfig']?.[name] as Dictionary)['status'] = JSON.parse(text);
}

const edits: Readonly<Record<string, (state: State) => void>> = {
  'join-12-endpoint-missing: no endpoint': (state) => {
    dataNotAvailable(state, 'w-0', endpoint);
    dataNotAvailable(state, 'w-1', endpoint);
  },
  'join-13-worker-waits-for-init: infrastructure ready, not initialised': (state) => waitsForControlPlane(state, 'w-0'),
  'join-13-worker-waits-for-init: a worker that never waited for infrastructure': (state) =>
    waitsForControlPlane(state, 'w-0'),
  'join-16-workload-unreachable: not connected': (state) =>
    dataNotAvailable(state, 'w-0', {
      message: unreachable,
      legacy: { reason: 'DataSecretGenerationFailed', severity: 'Warning', message: unreachable },
    }),
  // KC-121: on pivot every condition is set.
  'life-05-pivot-machine: status restored': (state) => {
    const { conditions } = statusOf(state, 'w-0').deprecated.v1beta1;
    conditions.splice(1, 0, { lastTransitionTime: '<time>', status: 'True', type: 'CertificatesAvailable' });
  },
  // KC-036, KC-057: nothing is written for an object that is being deleted.
  'life-10-deletion: being deleted': (state) => {
    const object = state['KubeadmConfig'] as Dictionary;
    state['KubeadmConfig'] = JSON.parse(JSON.stringify(object).replaceAll('<generation>', '<generation-1>')) as Record<
      string,
      Dictionary
    >;
  },
};
