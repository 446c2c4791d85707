// Writes the history of a seed: a cluster's life as it usually goes, with acts of chance between its steps.
//
//   DW1. At most two control planes contend for a lock, and the second comes when the first has had its turn: nothing says who of two wins.
import { streamOf, type Stream } from '../simulation/engine/seeded.js';
import {
  adopt,
  create,
  filterLabels,
  initialized,
  joined,
  newMember,
  provisioned,
  sourceSecret,
  type Plot,
} from './acts.js';
import { chanceAct } from './chance.js';
import { mannerOf, type Act, type History, type Json } from './history.js';
import { PURPOSES } from './material.js';
import { certificateSecret, clusterObject, endpoint, kubeconfigSecret } from './shapes.js';

/** The history of a seed. */
export function historyOf(seed: number): History {
  const random = streamOf(seed, 'differential');
  const manner = mannerOf(seed);
  const plot: Plot = {
    random,
    seed,
    manner,
    clusters: random.chance(0.08) ? ['c1', 'c2'] : ['c1'],
    members: [],
  };
  const first = plot.clusters.flatMap((cluster) => opening(plot, cluster));
  const turns: (readonly Act[])[] = [random.chance(0.1) ? shuffled(first, random) : first];
  const steps = plot.clusters.flatMap((cluster) => course(plot, cluster));
  let isLate = false;
  const wanted = random.int(5, 14);
  while (turns.length <= wanted) {
    const step = random.chance(isLate ? 0 : 0.6) ? steps.shift() : undefined;
    if (step !== undefined) turns.push(step);
    else turns.push(chanceAct(plot));
    isLate = steps.length === 0;
  }
  if (manner === 'short-ttl') turns.push([{ do: 'wait', seconds: random.int(10, 25) }]);
  return { seed, manner, turns };
}

/** Everything that a user applies at once. */
function opening(plot: Plot, cluster: string): Act[] {
  const { random } = plot;
  const acts: Act[] = [];
  acts.push(create(clusterObject(cluster, random, filterLabels(plot))));
  if (random.chance(0.85)) acts.push(create(kubeconfigSecret(cluster, random)));
  const hasCertificates = random.chance(0.7);
  for (const purpose of PURPOSES) {
    if (random.chance(hasCertificates ? 0.95 : 0.03)) acts.push(create(certificateSecret(cluster, purpose, random)));
  }
  if (random.chance(0.6)) acts.push(sourceSecret());
  acts.push(...newMember(plot, cluster, 'control-plane'));
  for (let count = random.int(0, 2); count > 0; count -= 1) acts.push(...newMember(plot, cluster, 'worker'));
  if (random.chance(0.4)) acts.push(...newMember(plot, cluster, 'pool'));
  return acts;
}

/** The usual steps of a cluster's life, in order. */
function course(plot: Plot, cluster: string): Act[][] {
  const { members } = plot;
  const mine = members.filter((member) => member.cluster === cluster);
  const steps: Act[][] = [
    [provisioned(cluster, true)],
    [{ do: 'patch', kind: 'Cluster', name: cluster, body: endpointPatch(cluster) }],
  ];
  const [first] = mine.filter(({ role }) => role === 'control-plane');
  if (first !== undefined) steps.push([adopt(first)]);
  steps.push([initialized(cluster, 'True')]);
  if (plot.random.chance(0.4)) steps.push(newMember(plot, cluster, 'control-plane'));
  if (plot.random.chance(0.3)) steps.push(newMember(plot, cluster, 'worker'));
  for (const member of mine.filter((each) => each !== first)) {
    if (plot.random.chance(0.8)) steps.push([adopt(member)]);
  }
  for (const member of mine) if (plot.random.chance(0.5)) steps.push([joined(member, plot.random)]);
  return steps;
}

function endpointPatch(cluster: string): Json {
  return { spec: { controlPlaneEndpoint: endpoint(cluster) } };
}

function shuffled<T>(items: readonly T[], random: Stream): T[] {
  const left = [...items];
  const result: T[] = [];
  while (left.length > 0) result.push(...left.splice(random.int(0, left.length - 1), 1));
  return result;
}
