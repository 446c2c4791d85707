// Acts of chance: what people and other controllers do to a cluster's objects at any time.
import { annotation, label } from '../../src/api/names.js';
import { SHORT_TTL_SECONDS, type Act, type Json } from './history.js';
import { PURPOSES } from './material.js';
import {
  create,
  adopt,
  filterLabels,
  initialized,
  joined,
  newMember,
  provisioned,
  sourceSecret,
  type Member,
  type Plot,
} from './acts.js';
import {
  certificateSecret,
  configObject,
  configRef,
  dataSecret,
  kubeconfigSecret,
  lockObject,
  ownerOf,
} from './shapes.js';
import { randomSpec, randomSpecPatch, SOURCE } from './specs.js';

/** An act, or null where it does not fit the manner. */
type Author = (plot: Plot, member: Member) => Act | readonly Act[] | null;

const onConfig = ({ name }: Member, body: Json): Act => ({ do: 'patch', kind: 'KubeadmConfig', name, body });
const onOwner = ({ name, role }: Member, body: Json): Act => ({
  do: 'patch',
  kind: role === 'pool' ? 'MachinePool' : 'Machine',
  name,
  body,
});
const onSecret = (name: string, body: Json): Act => ({ do: 'patch', kind: 'Secret', name, body });
const ownerKind = ({ role }: Member): 'Machine' | 'MachinePool' => (role === 'pool' ? 'MachinePool' : 'Machine');

/** Acts by name with their weights. */
const authors: Readonly<Record<string, readonly [number, Author]>> = {
  spec: [10, ({ random }, member) => onConfig(member, { spec: randomSpecPatch(random) })],
  legacySpec: [
    3,
    ({ random }, { name }) => ({
      do: 'patch',
      version: 'v1beta1',
      kind: 'KubeadmConfig',
      name,
      body: random.pick<Json>([
        { spec: { preKubeadmCommands: ['legacy'] } },
        { spec: { useExperimentalRetryJoin: true } },
        { metadata: { labels: { legacy: 'yes' } } },
        { spec: { joinConfiguration: { nodeRegistration: { kubeletExtraArgs: { v: '3' } } } } },
      ]),
    }),
  ],
  labels: [
    4,
    ({ random }, member) => onConfig(member, { metadata: { labels: { mine: random.pick(['yes', 'no', null]) } } }),
  ],
  clusterLabel: [
    2,
    ({ random }, member) =>
      onConfig(member, { metadata: { labels: { [label.clusterName]: random.pick([null, 'other', member.cluster]) } } }),
  ],
  filterLabel: [
    3,
    (plot, member) =>
      plot.manner === 'filter'
        ? onConfig(member, { metadata: { labels: { [label.watchFilter]: plot.random.pick(['blue', 'red', null]) } } })
        : null,
  ],
  ownerFilterLabel: [
    2,
    (plot, member) =>
      plot.manner === 'filter'
        ? onOwner(member, { metadata: { labels: { [label.watchFilter]: plot.random.pick(['blue', 'red', null]) } } })
        : null,
  ],
  annotations: [
    3,
    ({ random }, member) => onConfig(member, { metadata: { annotations: { mine: random.pick(['a', 'b', null]) } } }),
  ],
  owners: [4, otherOwners],
  pauseConfig: [
    6,
    ({ random }, member) =>
      onConfig(member, { metadata: { annotations: { [annotation.paused]: random.pick(['', 'true', null, null]) } } }),
  ],
  pauseCluster: [
    6,
    ({ random }, { cluster }) => ({
      do: 'patch',
      kind: 'Cluster',
      name: cluster,
      body: { spec: { paused: random.chance(0.5) } },
    }),
  ],
  provisioned: [5, ({ random }, { cluster }) => provisioned(cluster, random.chance(0.6))],
  initialized: [5, ({ random }, { cluster }) => initialized(cluster, random.chance(0.6) ? 'True' : 'False')],
  endpoint: [
    4,
    ({ random }, { cluster }) => ({
      do: 'patch',
      kind: 'Cluster',
      name: cluster,
      body: { spec: { controlPlaneEndpoint: random.pick([null, { host: 'moved.example.com', port: 443 }]) } },
    }),
  ],
  adopt: [8, (_, member) => adopt(member)],
  joined: [6, ({ random }, member) => joined(member, random)],
  left: [
    3,
    ({ random }, member) =>
      member.role === 'pool'
        ? joined(member, random)
        : { do: 'status', kind: 'Machine', name: member.name, body: { status: { nodeRef: null } } },
  ],
  replicas: [
    2,
    ({ random }, member) => (member.role === 'pool' ? onOwner(member, { spec: { replicas: random.int(0, 4) } }) : null),
  ],
  version: [
    3,
    ({ random }, member) => versionPatch(member, random.pick(['v1.35.0', '1.29.3', 'not-a-version', 'v1.99'])),
  ],
  configRef: [4, otherConfig],
  deleteConfig: [4, (_, { name }) => ({ do: 'delete', kind: 'KubeadmConfig', name })],
  releaseConfig: [3, (_, member) => onConfig(member, { metadata: { finalizers: null } })],
  holdConfig: [2, (_, member) => onConfig(member, { metadata: { finalizers: ['example.com/hold'] } })],
  createConfig: [5, createConfigAgain],
  deleteOwner: [3, (_, member) => ({ do: 'delete', kind: ownerKind(member), name: member.name })],
  deleteCluster: [1, (_, { cluster }) => ({ do: 'delete', kind: 'Cluster', name: cluster })],
  failure: [
    2,
    ({ random }, { name }) => ({
      do: 'status',
      kind: 'KubeadmConfig',
      name,
      body: {
        status: {
          deprecated: {
            v1beta1: random.chance(0.7)
              ? { failureReason: 'Broken', failureMessage: 'is broken' }
              : { failureReason: null, failureMessage: null },
          },
        },
      },
    }),
  ],
  forget: [4, (_, { name }) => ({ do: 'forget', name })],
  certificateGone: [
    4,
    ({ random }, { cluster }) => ({ do: 'delete', kind: 'Secret', name: `${cluster}-${random.pick(PURPOSES)}` }),
  ],
  certificate: [6, ({ random }, { cluster }) => create(certificateSecret(cluster, random.pick(PURPOSES), random))],
  certificateChanged: [
    3,
    ({ random }, { cluster }) => {
      const purpose = random.pick(PURPOSES);
      const data = random.pick<Json>([
        { 'tls.key': '' },
        { 'tls.crt': 'broken' },
        { 'tls.crt': `<given second ${purpose}.crt>`, 'tls.key': `<given second ${purpose}.key>` },
        { 'tls.crt': `<given first ${purpose}.crt>`, 'tls.key': `<given first ${purpose}.key>` },
      ]);
      return onSecret(`${cluster}-${purpose}`, { stringData: data });
    },
  ],
  kubeconfigGone: [3, (_, { cluster }) => ({ do: 'delete', kind: 'Secret', name: `${cluster}-kubeconfig` })],
  kubeconfig: [4, ({ random }, { cluster }) => create(kubeconfigSecret(cluster, random))],
  kubeconfigMended: [
    2,
    (_, { cluster }) => onSecret(`${cluster}-kubeconfig`, { stringData: { value: '<kubeconfig>' } }),
  ],
  source: [4, () => sourceSecret()],
  sourceGone: [2, () => ({ do: 'delete', kind: 'Secret', name: SOURCE })],
  sourceChanged: [2, ({ random }) => onSecret(SOURCE, { stringData: { key: random.pick(['other', '', 'x: y\n']) } })],
  dataGone: [4, (_, { name }) => ({ do: 'delete', kind: 'Secret', name })],
  dataFirst: [3, ({ random }, { cluster, name }) => create(dataSecret(cluster, name, random))],
  dataTouched: [3, dataTouched],
  lockGone: [2, (_, { cluster }) => ({ do: 'delete', kind: 'ConfigMap', name: `${cluster}-lock` })],
  lock: [
    3,
    ({ random }, { cluster, name }) => create({ ...lockObject(cluster, random.chance(0.5) ? name : 'nobody', random) }),
  ],
  tokenGone: [
    5,
    (_, { name }) => ({
      do: 'delete',
      kind: 'Secret',
      namespace: 'kube-system',
      name: `bootstrap-token-<token-id:${name}>`,
    }),
  ],
  tokenOld: [
    4,
    ({ random }, { name }) => ({
      do: 'patch',
      kind: 'Secret',
      namespace: 'kube-system',
      name: `bootstrap-token-<token-id:${name}>`,
      body: { stringData: { expiration: random.pick(['2020-01-01T00:00:00Z', '2049-01-01T00:00:00Z']) } },
    }),
  ],
  worker: [3, (plot, { cluster }) => newMember(plot, cluster, 'worker')],
  collect: [5, () => ({ do: 'collect' })],
  restart: [2, () => ({ do: 'restart' })],
  wait: [
    3,
    ({ manner, random }) => (manner === 'short-ttl' ? { do: 'wait', seconds: random.int(5, SHORT_TTL_SECONDS) } : null),
  ],
};

/** One act, with what belongs to it. */
export function chanceAct(plot: Plot): readonly Act[] {
  const { random, members } = plot;
  const total = Object.values(authors).reduce((sum, [weight]) => sum + weight, 0);
  for (;;) {
    let at = random.int(0, total - 1);
    for (const [weight, author] of Object.values(authors)) {
      at -= weight;
      if (at >= 0) continue;
      const act = author(plot, random.pick(members));
      if (act !== null) return [act].flat() as readonly Act[];
      break;
    }
  }
}

function versionPatch(member: Member, version: string): Act {
  return onOwner(member, { spec: member.role === 'pool' ? { template: { spec: { version } } } : { version } });
}

function otherOwners({ random, members }: Plot, member: Member): Act {
  const other = random.pick(members);
  const owners = random.pick<readonly Json[] | null>([
    null,
    [{ ...ownerOf(ownerKind(other), other.name), controller: true }],
    [{ ...ownerOf(ownerKind(member), member.name), controller: true }],
    [{ ...ownerOf(ownerKind(member), member.name) }],
    [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '00000000-0000-4000-8000-00000000000c' }],
  ]);
  return onConfig(member, { metadata: { ownerReferences: owners } });
}

function otherConfig({ random, members }: Plot, member: Member): Act {
  const bootstrap = { configRef: configRef(random.pick(members).name) };
  return onOwner(member, { spec: member.role === 'pool' ? { template: { spec: { bootstrap } } } : { bootstrap } });
}

function createConfigAgain(plot: Plot, member: Member): Act {
  const { random } = plot;
  const object = configObject({
    cluster: member.cluster,
    name: member.name,
    owner: ownerOf(ownerKind(member), member.name),
    spec: randomSpec(random, member.role === 'control-plane', member.userToken),
    finalizer: random.chance(0.1),
  });
  const labels = { [label.clusterName]: member.cluster, ...filterLabels(plot) };
  return create({ ...object, metadata: { ...object.metadata, labels } });
}

function dataTouched({ random }: Plot, { name, cluster }: Member): Act {
  return onSecret(
    name,
    random.pick<Json>([
      { metadata: { labels: { mine: 'yes' } } },
      { metadata: { labels: { [label.clusterName]: random.pick([null, 'other', cluster]) } } },
      { metadata: { ownerReferences: null } },
      { stringData: { value: '' } },
      { stringData: { value: 'changed by somebody' } },
      {
        metadata: {
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: 'x',
              uid: '00000000-0000-4000-8000-00000000000d',
              controller: true,
            },
          ],
        },
      },
    ]),
  );
}
