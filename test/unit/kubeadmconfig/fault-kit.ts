// One fault in one world: what the object's own conditions, its Events, `explain` and the log say of it.
import { parse } from 'yaml';
import { parseConfig } from '../../../src/cli/config.js';
import { explanationText } from '../../../src/cli/explain.js';
import { EXPLAINERS } from '../../../src/cli/explainers.js';
import type { Settings } from '../../../src/controllers/kubeadmconfig/ports.js';
import type { Explanation } from '../../../machines/kit/explanation.js';
import { workloadConnect } from '../../../src/kube/workload-connect.js';
import { systemClock } from '../../../src/system.js';
import { read } from './objects.js';
import type { Config } from './readings.js';
import { createWorld, type Operator, type World } from './world.js';

/** A secret byte sequence: put where secrets are, it must come out nowhere. */
export const CANARY = 'c4n4ryc4n4ryc4n4';

/** A fault, as a line of the table. */
export interface Fault {
  /** What is broken. */
  readonly fault: string;
  /** Breaks it, in a world with nothing in it. The KubeadmConfig is `default/x`. */
  readonly inject: (world: World) => Promise<void>;
  /** Breaks more once the operator has settled. */
  readonly later?: (world: World) => Promise<void>;
  readonly settings?: Partial<Settings>;
  /** The condition that reports it: type and reason. */
  readonly condition: readonly [
    type: 'DataSecretAvailable' | 'CertificatesAvailable' | 'Paused' | 'ActorState',
    reason: string,
  ];
  /** The failing object, as `Kind namespace/name`; absent for the KubeadmConfig itself, which goes without saying in its conditions. */
  readonly object?: string;
  /** The field or key in it, or the object of the workload cluster. */
  readonly place?: string;
  /** The same as the condition names it, where that is the tables' fixed text. */
  readonly shownPlace?: string;
  readonly cause: string;
}

/** What was said of a fault. */
export interface Account {
  readonly config: Config;
  readonly explanation: Explanation;
  readonly explain: string;
  readonly events: readonly string[];
  readonly logs: string;
}

/** The real way to workload clusters, in this process's network. */
export const realConnect = workloadConnect({
  parseYaml: (text) => parse(text) as unknown,
  clock: systemClock,
  environment: {},
  userAgent: 'operator-under-test',
  fieldManager: 'test',
  qps: 20,
  burst: 30,
  ownPod: null,
});

/** Explains `default/<name>` from the cluster alone, as the command does. */
export async function explainAlone(world: World, name: string, args: readonly string[] = []): Promise<Explanation> {
  const explainer = EXPLAINERS.find(({ kinds }) => kinds.includes('kubeadmconfig'));
  const explanation = await explainer?.explain({
    client: world.user,
    config: parseConfig(args, {}),
    namespace: 'default',
    name,
    nowMs: world.clock.nowMs(),
    connectWorkload: realConnect,
  });
  if (explanation === null || explanation === undefined) throw new Error(`default/${name} is not explained`);
  return explanation;
}

/** Starts an operator in a broken world and listens. */
export async function account({ inject, later, settings = {} }: Fault): Promise<Account> {
  const world = createWorld({ connect: realConnect });
  await inject(world);
  const operator = await world.start(settings);
  await rest(world, operator);
  if (later !== undefined) {
    await later(world);
    await rest(world, operator);
  }
  world.setFaults(undefined);
  const explanation = await explainAlone(world, 'x');
  const config = await read<Config>(world.user, 'KubeadmConfig', 'x');
  const events = operator.events.map(({ reason, message }) => `${reason}: ${message}`);
  const logs = JSON.stringify(operator.logs);
  await operator.stop();
  return { config, explanation, explain: explanationText(explanation), events, logs };
}

/** Until nothing moves; calls over a socket take real time. */
async function rest(world: World, operator: Operator): Promise<void> {
  await world.settle(operator);
  for (let round = 0; round < 200 && operator.host.active > 0; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await world.settle(operator);
  }
}

/** All that the object's conditions of a type say, in both API versions, and what ActorState records: `status reason message`. */
export function conditionTexts({ status }: Config, type: string): readonly string[] {
  const all = [...(status?.conditions ?? []), ...(status?.deprecated?.v1beta1?.conditions ?? [])];
  const said = all
    .filter((each) => each.type === type)
    .map(({ status: value, reason = '', message = '' }) => `${value} ${reason} ${message}`.trim());
  const { message = '{}' } = all.find((each) => each.type === 'ActorState') ?? {};
  const { failed = {} } = JSON.parse(message) as { readonly failed?: Readonly<Record<string, string>> };
  return [...said, ...Object.values(failed)];
}
