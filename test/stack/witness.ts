// The judge of the stack: it sees what any user can read, and the API server's audit log; it asks the provider nothing.
//
//   WI1. One init lock per cluster at a time, and none at rest.
//   WI2. One init data per cluster, ever.
//   WI3. Data that was written stays as it is; a pool's alone is rotated.
//   WI4. As many bootstrap tokens as joins; a rotation adds one.
//   WI5. At rest each KubeadmConfig says so: its conditions, both kinds, and its data Secret is its own.
//   WI6. The provider's account is refused nothing, and the provider does not crash.
//   WI7. A deleted world leaves nothing behind.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AuditTail, Call } from '../bench/system/audit-tail.js';
import { ACCOUNT_USER } from '../envtest/installed.js';
import { isInitData } from '../worlds/world.js';
import { at, kinds, namespace, type Api, type Kind, type Seen } from './api.js';
import { clusterLabel } from './manifests.js';
import type { ProviderLife } from './provider.js';
import { lookAt } from './state.js';
import { tokensOf } from './workload.js';

/** The judge. */
export interface Witness {
  /** Tokens and joins of all clusters so far. */
  counts(): { readonly tokens: number; readonly joins: number };
  /** Reads the world at rest, and gives what is wrong that was not told before. */
  judge(clusters: readonly string[]): Promise<readonly string[]>;
  /** What is left of a deleted world. */
  leftovers(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const lookEachMs = 1_000;
const isPools = (secret: Seen, configs: readonly Seen[]): boolean =>
  configs.some(
    ({ metadata }) =>
      metadata.name === secret.metadata.name &&
      (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'MachinePool'),
  );

interface Data {
  readonly name: string;
  readonly cluster: string;
  readonly isInit: boolean;
  digest: string;
}

/** Starts to look. */
export function startWitness(options: {
  readonly api: Api;
  readonly audit: AuditTail;
  readonly provider: ProviderLife;
}): Witness {
  const { api, audit, provider } = options;
  const data = new Map<string, Data>();
  const tokens = new Set<string>();
  const found = new Set<string>();
  const told = new Set<string>();
  let rotations = 0;
  let isStopped = false;
  let endPause = (): void => undefined;

  const look = async (): Promise<void> => {
    const configs = await api.list('KubeadmConfig');
    for (const secret of await api.list('Secret')) {
      const value = at(secret, 'data', 'value');
      const isData = (secret.metadata.ownerReferences ?? []).some(({ kind }) => kind === 'KubeadmConfig');
      if (!isData || typeof value !== 'string' || at(secret, 'data', 'format') === undefined) continue;
      const digest = createHash('sha256').update(value).digest('hex');
      const { name, uid } = secret.metadata;
      const known = data.get(uid);
      if (known !== undefined && known.digest !== digest) {
        if (isPools(secret, configs)) rotations += 1;
        else found.add(`data Secret ${name} was rewritten`);
      }
      if (known !== undefined) {
        known.digest = digest;
        continue;
      }
      const cluster = secret.metadata.labels?.[clusterLabel] ?? '';
      const isInit = isInitData(Buffer.from(value, 'base64').toString('utf8'));
      data.set(uid, { name, cluster, isInit, digest });
      for (const other of data.values())
        if (isInit && other.isInit && other.cluster === cluster && other.name !== name)
          found.add(`${cluster} has init data twice: ${other.name} and ${name}`);
    }
  };
  const run = async (): Promise<void> => {
    while (!isStopped) {
      await look().catch(() => undefined);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookEachMs);
        endPause = (): void => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const running = run();
  const joins = (): number => [...data.values()].filter(({ isInit }) => !isInit).length;

  return {
    counts: () => ({ tokens: tokens.size, joins: joins() }),
    async judge(clusters) {
      await look();
      for (const cluster of clusters) for (const { id } of await tokensOf(api, cluster)) tokens.add(`${cluster}/${id}`);
      const want = joins() + rotations;
      if (tokens.size !== want) found.add(`${tokens.size} tokens for ${joins()} joins and ${rotations} rotations`);
      for (const problem of await atRest(api)) found.add(problem);
      for (const problem of lockProblems(audit.calls())) found.add(problem);
      for (const problem of refusals(audit.calls())) found.add(problem);
      for (const problem of crashes(provider)) found.add(problem);
      const news = [...found].filter((problem) => !told.has(problem));
      for (const problem of news) told.add(problem);
      return news;
    },
    async leftovers() {
      const left: string[] = [];
      for (const kind of Object.keys(kinds) as Kind[])
        for (const { metadata } of await api.listMetadata(kind)) left.push(`${kind} ${metadata.name} is left`);
      return left;
    },
    async stop() {
      isStopped = true;
      endPause();
      await running;
    },
  };
}

const wantedConditions: Readonly<Record<string, string>> = {
  Ready: 'True',
  DataSecretAvailable: 'True',
  CertificatesAvailable: 'True',
  Paused: 'False',
};

async function atRest(api: Api): Promise<readonly string[]> {
  const problems: string[] = [];
  const { configs, machines, pools } = await lookAt(api);
  const secrets = await api.list('Secret');
  const owners = [...machines, ...pools];
  for (const config of configs) {
    const { name, uid } = config.metadata;
    const conditions = (at(config, 'status', 'conditions') ?? []) as readonly Readonly<Record<string, string>>[];
    for (const [type, status] of Object.entries(wantedConditions)) {
      const seen = conditions.find((each) => each['type'] === type)?.['status'];
      if (seen !== status) problems.push(`KubeadmConfig ${name}: ${type} is ${seen ?? 'missing'}, want ${status}`);
    }
    const secret = secrets.find(({ metadata }) => metadata.name === at(config, 'status', 'dataSecretName'));
    if (secret?.metadata.ownerReferences?.some((owner) => owner.uid === uid) !== true)
      problems.push(`KubeadmConfig ${name}: its data Secret is not its own`);
    const isOwned = (config.metadata.ownerReferences ?? []).some((owner) =>
      owners.some(({ metadata }) => metadata.uid === owner.uid),
    );
    if (!isOwned) problems.push(`KubeadmConfig ${name}: no Machine and no MachinePool owns it`);
  }
  for (const { metadata } of await api.list('ConfigMap'))
    if (metadata.name.endsWith('-lock')) problems.push(`the init lock ${metadata.name} is held at rest`);
  return problems;
}

/** Creations and deletions of each lock take turns. */
function lockProblems(calls: readonly Call[]): readonly string[] {
  const held = new Set<string>();
  const problems: string[] = [];
  for (const { resource, namespace: where, name, verb, code } of calls) {
    if (resource !== 'configmaps' || where !== namespace || !name.endsWith('-lock') || code >= 300) continue;
    if (verb === 'create' && held.has(name)) problems.push(`the init lock ${name} was taken twice`);
    if (verb === 'create') held.add(name);
    if (verb === 'delete') held.delete(name);
  }
  return problems;
}

function refusals(calls: readonly Call[]): readonly string[] {
  const refused = calls.filter(({ user, code }) => user === ACCOUNT_USER && code === 403);
  return [...new Set(refused.map(({ verb, resource }) => `the account may not ${verb} ${resource}`))];
}

function crashes({ logs, program }: ProviderLife): readonly string[] {
  const problems = program?.hasEnded() === true ? [`${program.name} has ended by itself`] : [];
  for (const log of logs)
    if (/panic:|Observed a panic|assertion failed/iu.test(readFileSync(log, 'utf8')))
      problems.push(`a provider has panicked: ${log.split('/').at(-1)}`);
  return problems;
}
