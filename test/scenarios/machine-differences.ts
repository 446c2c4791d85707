// Where the Machine controller's objects differ from the record, by rulings: each has a row in docs/parity.md.
type Dictionary = Record<string, unknown>;
type Status = { conditions?: { type: string }[] };
type State = Record<string, Record<string, Dictionary>>;

/** The actual state without what only this operator writes: its snapshot. */
export function withoutSnapshot(actual: unknown): unknown {
  if (Array.isArray(actual)) return actual;
  const state = structuredClone(actual) as State;
  for (const machine of Object.values(state['Machine'] ?? {})) {
    const status = machine['status'] as Status | undefined;
    if (status?.conditions !== undefined)
      status.conditions = status.conditions.filter(({ type }) => type !== 'ActorState');
  }
  for (const node of Object.values(state['Node'] ?? {})) bareNode(node);
  return state;
}

/** The recorded state as far as it is this controller's. */
export function recorded(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected;
  const {
    Secret: _secret,
    VolumeAttachment: _volume,
    bootstrapTokens: _tokens,
    pems: _pems,
    events,
    ...shown
  } = structuredClone(expected) as State & { events: Dictionary[] };
  for (const node of Object.values(shown['Node'] ?? {})) bareNode(node);
  return {
    ...shown,
    events: events
      .map((event) => JSON.stringify(event))
      .toSorted()
      .map((text) => JSON.parse(text) as Dictionary),
  };
}

/** What Machines write to Nodes; the rest is a kubelet's and the admission's of a real server. */
function bareNode(node: Dictionary): void {
  const spec = node['spec'] as { taints?: { key: string }[] };
  const taints = (spec.taints ?? []).filter(({ key }) => !key.startsWith('node.kubernetes.io/'));
  delete node['status'];
  if (taints.length > 0) spec.taints = taints;
  else delete spec.taints;
}
