// Acts that both the usual course of a cluster's life and chance are made of. Pure.
import { label } from '../../src/api/names.js';
import type { Stream } from '../simulation/engine/seeded.js';
import { FILTER, type Act, type Json, type Manner } from './history.js';
import { configObject, machineObject, ownerOf, poolObject, tokenSecret } from './shapes.js';
import { randomSpec, SOURCE } from './specs.js';

/** One node, or one pool of nodes, and its KubeadmConfig of the same name. */
export interface Member {
  readonly name: string;
  readonly cluster: string;
  readonly role: 'control-plane' | 'worker' | 'pool';
  /** The token that a user wrote into the spec, or null. */
  readonly userToken: string | null;
}

/** What the writer knows while it writes. */
export interface Plot {
  readonly random: Stream;
  readonly seed: number;
  readonly manner: Manner;
  readonly clusters: readonly string[];
  readonly members: Member[];
}

/** The Secret that specs take contents from. */
export function sourceSecret(): Act {
  return create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: SOURCE }, stringData: { key: 'a secret' } });
}

/** A Machine or MachinePool, and its KubeadmConfig. */
export function newMember(plot: Plot, cluster: string, role: Member['role']): Act[] {
  const { random, members } = plot;
  const prefix = { 'control-plane': 'cp', worker: 'w', pool: 'p' }[role];
  const name = `${cluster}-${prefix}${members.filter((each) => each.name.startsWith(`${cluster}-${prefix}`)).length}`;
  const userToken = role !== 'control-plane' && random.chance(0.1) ? tokenOf(plot) : null;
  members.push({ name, cluster, role, userToken });
  const owner =
    role === 'pool'
      ? poolObject(cluster, name, random)
      : machineObject(cluster, name, role === 'control-plane', random);
  const labels = filterLabels(plot);
  const config = configObject({
    cluster,
    name,
    owner: random.chance(0.95) ? ownerOf(role === 'pool' ? 'MachinePool' : 'Machine', name) : null,
    spec: randomSpec(random, role === 'control-plane', userToken),
    finalizer: random.chance(0.1),
  });
  return [
    ...(userToken !== null && random.chance(0.7)
      ? [{ ...create(tokenSecret(userToken, random)), namespace: 'kube-system' }]
      : []),
    create(withLabels(owner, labels)),
    create(withLabels(config, random.chance(0.9) ? labels : filterLabels(plot))),
  ];
}

/** A token that no other history uses. */
function tokenOf({ seed, members, random }: Plot): string {
  const id = `${seed.toString(36)}${members.length.toString(36)}`.padStart(6, 'u').slice(-6);
  return `${id}.${Array.from({ length: 16 }, () => random.int(0, 9)).join('')}`;
}

type Created = Extract<Act, { do: 'create' }>;

/** An act that creates an object. */
export function create(object: Created['object']): Created {
  return { do: 'create', object };
}

/** Labels for the watch filter where the history is about it. */
export function filterLabels({ manner, random }: Plot): Json {
  if (manner !== 'filter') return {};
  return random.chance(0.7)
    ? { [label.watchFilter]: FILTER }
    : random.chance(0.5)
      ? {}
      : { [label.watchFilter]: 'red' };
}

function withLabels(object: Created['object'], labels: Json): Created['object'] {
  const before = (object.metadata['labels'] ?? {}) as Json;
  return { ...object, metadata: { ...object.metadata, labels: { ...before, ...labels } } };
}

/** Infrastructure becomes provisioned, or is not any more. */
export function provisioned(cluster: string, isSo: boolean): Act {
  return {
    do: 'status',
    kind: 'Cluster',
    name: cluster,
    body: { status: { initialization: { infrastructureProvisioned: isSo } } },
  };
}

/** What the Cluster says of its control plane. */
export function initialized(cluster: string, status: 'True' | 'False'): Act {
  const condition = {
    type: 'ControlPlaneInitialized',
    status,
    reason: 'Said',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return {
    do: 'status',
    kind: 'Cluster',
    name: cluster,
    body: {
      status: { conditions: [condition], initialization: { controlPlaneInitialized: status === 'True' ? true : null } },
    },
  };
}

/** The owner takes its data. */
export function adopt({ name, role }: Member): Act {
  return { do: 'adopt', kind: role === 'pool' ? 'MachinePool' : 'Machine', name };
}

/** Nodes are there: all, some, or more than wanted. */
export function joined({ name, role }: Member, random: Stream): Act {
  if (role !== 'pool')
    return { do: 'status', kind: 'Machine', name, body: { status: { nodeRef: { name: `node-${name}` } } } };
  const nodeRefs = Array.from({ length: random.int(0, 4) }, (_, index) => ({ name: `node-${name}-${index}` }));
  return { do: 'status', kind: 'MachinePool', name, body: { status: { nodeRefs } } };
}
