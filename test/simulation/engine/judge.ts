// The judge of a run: asks the rules at every write of every store, and looks at every request of an operator.
//
// Each invariant has a name; the first violation ends a run. What others do to the world is no violation: only an operator's
// writes are judged, by what is true at the moment they happen, not by what its caches said.
import type { InfrastructureNote } from '../../../src/embedded/infrastructure/ports.js';
import type { StoreEvent } from '../../../src/embedded/types.js';
import { CLUSTER_ACTOR, createConditionRules } from './condition-rules.js';
import { createFreshness } from './freshness.js';
import type { InvariantName, Violation } from './invariants.js';
import { ADDED_MAX_MS } from './late-acts.js';
import { createMachineRules, MACHINE_ACTOR, type MachineRules } from './machine-rules.js';
import { specToken, textAt, type Loose, type Truth } from './mirror.js';
import type { Seen } from './network.js';
import { CONTENT_MARKS, decoded, LEASES, USER_TOKEN } from './objects.js';
import { marksIn } from '../../marks.js';
import type { Plan } from './plan.js';
import { createPromptness } from './promptness.js';
import { createRules, hasLateFaults, seenWithinMs } from './rules.js';
import { tokenProblem } from './shapes.js';
import { EPOCH_MS } from './virtual-time.js';

export type { InvariantName, Violation } from './invariants.js';

/** A judge of one run. */
export interface Judge {
  readonly violation: Violation | null;
  accuse(invariant: InvariantName, message: string): void;
  onSend(seen: Seen, identity: string): void;
  /** Marks the writer of what happens until the returned function is called. */
  handling(seen: Seen): () => void;
  /** A request was answered, whether or not its sender hears it. */
  onAnswer(seen: Seen, status: string): void;
  /** The process has heard the answer to its request. */
  onHeard(seen: Seen): void;
  /** The process waits no longer for the answer to its request. */
  onGivenUp(seen: Seen): void;
  /** A workload cluster is not reached under this address any more, and its kubeconfig says so. */
  onMoved(address: string): void;
  /** A turn of an actor looks at its view. */
  onLook(by: Pick<Seen, 'operator' | 'actor'>): void;
  /** A turn of an actor of an operator ended. */
  onTurn(operator: string, actor: string): void;
  onWorkload(cluster: string, event: StoreEvent): void;
  onNote(note: InfrastructureNote): void;
  /** A text that people or other programs may read. */
  onText(where: string, text: string): void;
  /** Somebody else took or ended this token, or wrote this lock, on purpose. */
  tampered(what: string): void;
  /** Writes of operators so far, `<whose> <event> <what>`, without Leases and Events. */
  readonly writes: readonly string[];
  /** Requests of operators so far that no cache made, `<whose> <what>`. */
  readonly questions: readonly string[];
  /** Turns of KubeadmConfigs so far, by their actors. */
  readonly turns: readonly string[];
  workloadToken(cluster: string, id: string): Loose | undefined;
  readonly machines: MachineRules;
}

/** A fault that waits for its moment comes this much later at most. */
const STRIKE_WAIT_MAX_MS = 120_000;
const REQUESTS_PER_MINUTE_MAX = 2_500;
/** Who creates an object again asks for some requests itself, again and again if it is done again and again. */
const REQUESTS_OF_A_LIFE = 10;
/** An actor that fails all the time makes some ten attempts in its first minute. */
const ACTOR_REQUESTS_PER_MINUTE_MAX = 300;
const TURNS_PER_MINUTE_MAX = 300;
/** A file that others add to a spec. */
export const FOREIGN_FILE = '/etc/added-by-others';

/** What a private key looks like, in PEM and in Base64 at each of its three alignments. */
const KEY_TEXTS = [
  'PRIVATE KEY',
  ...[0, 1, 2].map((shift) => {
    const encoded = Buffer.from(`${'-'.repeat(shift)}PRIVATE KEY`)
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(Math.ceil((shift * 8) / 6), -2);
  }),
];

/** A judge that has seen nothing yet. */
export function createJudge(plan: Plan, truth: Truth, now: () => number): Judge {
  const tokens = new Map<string, Map<string, Loose>>();
  const secretTexts = new Set<string>();
  const tampered = new Set<string>();
  const writes: string[] = [];
  const questions: string[] = [];
  const movedMs = new Map<string, number>();
  /** Turns that run. */
  const running = new Set<string>();
  const turns: string[] = [];
  const freshness = createFreshness((message) => accuse('fresh-views', message));
  let violation: Violation | null = null;
  let writer: Seen | null = null;
  let minute = { index: -1, counts: new Map<string, number>() };

  const accuse = (invariant: InvariantName, message: string): void => {
    violation ??= { invariant, message, atMs: now() };
  };
  const workloadToken = (cluster: string, id: string): Loose | undefined => tokens.get(cluster)?.get(id);
  const rules = createRules({ plan, truth, accuse, workloadToken, isTampered: (what) => tampered.has(what), now });

  const promptness = createPromptness({ plan, truth, accuse, now });
  const machines = createMachineRules({ plan, truth, accuse, now });
  const conditions = createConditionRules(truth, accuse);
  /** Requests that changed something. */
  const effective = new WeakSet<Seen>();

  truth.onChange((event) => {
    const resource = event.resource.split('/')[1] ?? '';
    const { name } = event.object.metadata;
    if (resource === 'kubeadmconfigs') {
      if (event.type === 'ADDED') count('lives');
      const token = specToken(event.object as Loose);
      if (token !== '') secretTexts.add(token.split('.')[1] ?? '');
    }
    if (resource === 'secrets' && name.endsWith('-kubeconfig')) {
      const bearer = /token: (\S{8,})/.exec(decoded((event.object as Loose).data?.['value']))?.[1];
      if (bearer !== undefined) secretTexts.add(bearer);
    }
    rules.note(event, resource);
    promptness.note(event, resource);
    if (plan.world.machines) machines.note(event, resource);
    conditions.note(event, resource);
    if (writer === null) return;
    effective.add(writer);
    freshness.wrote(writer, `${resource}/${name}`, event.object.metadata.resourceVersion);
    if (resource !== 'leases' && resource !== 'events')
      writes.push(`${writer.actor} ${event.type} ${resource}/${name}`);
    if (writer.actor.startsWith(MACHINE_ACTOR)) machines.judge(writer, event, resource);
    else if (writer.actor.startsWith(CLUSTER_ACTOR)) conditions.judge(writer, event, resource);
    else rules.judge(writer, event, resource);
    promptness.judge(writer, event, resource);
  });

  const judgeText = (where: string, text: string): void => {
    if (KEY_TEXTS.some((key) => text.includes(key))) accuse('no-secrets', `a private key in ${where}`);
    for (const secret of secretTexts) if (text.includes(secret)) accuse('no-secrets', `a token in ${where}`);
    if (plan.world.contentsFromSecrets === true && marksIn(text, CONTENT_MARKS).length > 0)
      accuse('no-secrets', `what a Secret holds in ${where}`);
  };

  /** Counts something in the minute that it is; the count. */
  const count = (what: string): number => {
    const index = Math.floor(now() / 60_000);
    if (index !== minute.index) minute = { index, counts: new Map() };
    const counted = (minute.counts.get(what) ?? 0) + 1;
    minute.counts.set(what, counted);
    return counted;
  };
  const soFar = (what: string): number => minute.counts.get(what) ?? 0;
  const bound = (what: string, most: number): void => {
    if (count(what) > most) accuse('no-busy-loop', `more than ${most} ${what} in a minute`);
  };

  /** Who is created again has not failed yet: each life is counted on its own. */
  const lifeOf = (key: string): string =>
    `${key} ${truth.get('kubeadmconfigs', key.split('/')[1] ?? '')?.metadata.uid ?? ''}`;

  const isTampered = (id: string): boolean => [...tampered].some((token) => token.startsWith(`${id}.`));

  const judgeToken = (by: Seen, event: StoreEvent, cluster: string): void => {
    const id = event.object.metadata.name.slice('bootstrap-token-'.length);
    const { data = {} } = event.object as Loose;
    writes.push(`${configOfToken(truth, id)} ${event.type} token`);
    if (id === USER_TOKEN.split('.')[0]) accuse('own-writes', `the user's token was written in ${cluster}`);
    if (event.type === 'DELETED') return accuse('own-writes', `a token was deleted in ${cluster}`);
    if (!secretTexts.has(decoded(data['token-secret'])))
      accuse('token-known', `${by.operator} made a token in ${cluster} that no spec has ever named`);
    const problem = event.type === 'ADDED' ? tokenProblem(event.object as Loose) : '';
    if (problem !== '') accuse('well-formed', `the token ${id} in ${cluster} is ${problem}`);
    const endsAtMs = Date.parse(decoded(data['expiration']));
    const endedAtMs = Date.parse(decoded((event.previous as Loose | undefined)?.data?.['expiration'])) - EPOCH_MS;
    if (endedAtMs < now() && !isTampered(id) && !isExcused(plan, now()))
      accuse('token-alive', `the token ${id} in ${cluster} was renewed after it had ended`);
    // Clocks jump by a tenth of the time to live at most.
    if (!(endsAtMs - EPOCH_MS - now() <= plan.world.tokenTtlMs * 1.11))
      accuse('token-bounded', `the token ${id} in ${cluster} ends ${decoded(data['expiration']) || 'never'}`);
  };

  return {
    get violation() {
      return violation;
    },
    accuse,
    writes,
    questions,
    turns,
    onSend(seen, identity) {
      bound('requests', REQUESTS_PER_MINUTE_MAX + soFar('lives') * REQUESTS_OF_A_LIFE);
      if (seen.actor !== '') bound(`requests of ${lifeOf(seen.actor)}`, ACTOR_REQUESTS_PER_MINUTE_MAX);
      const isOfActor = seen.actor !== '' && seen.resource !== 'leases';
      if (isOfActor || seen.server !== 'management')
        questions.push(`${seen.actor || seen.server} ${seen.method} ${seen.path}`);
      if (now() - (movedMs.get(seen.server) ?? Infinity) > seenWithinMs(plan))
        accuse('kubeconfig-current', `${seen.operator} asks ${seen.server}, which no kubeconfig names any more`);
      if (!seen.isWrite) return;
      if (!seen.actor.startsWith(MACHINE_ACTOR)) freshness.sends(seen);
      const holders = leasesFor(plan, seen).map((lease) =>
        textAt(truth.get('leases', lease), 'spec', 'holderIdentity'),
      );
      const needsLease = plan.world.operators === 2 && seen.resource !== 'leases';
      if (needsLease && !holders.includes(identity))
        accuse(
          'lease',
          `${seen.operator} sends ${seen.method} ${seen.path}, the Lease is held by ${holders.join(', ')}`,
        );
      if (seen.resource === 'secrets' || seen.body === undefined) return;
      const text =
        seen.resource === 'kubeadmconfigs' ? seen.body.replaceAll(/"token":"[a-z0-9.]{23}"/g, '') : seen.body;
      // A token that this very write mints is in no spec yet.
      for (const [, secret = ''] of seen.body.matchAll(/"token":"[a-z0-9]{6}\.([a-z0-9]{16})"/g))
        if (text.includes(secret)) accuse('no-secrets', `a token in ${seen.method} ${seen.path}`);
      judgeText(`${seen.method} ${seen.path}`, text);
    },
    handling(seen) {
      if (!seen.isWrite || seen.operator === '') return () => undefined;
      if (!seen.actor.startsWith(MACHINE_ACTOR)) rules.ask(seen);
      writer = seen;
      return () => void (writer = null);
    },
    onAnswer(seen, status) {
      const isNoise = seen.actor.startsWith(CLUSTER_ACTOR) && seen.isWrite && /^2\d\d$/.test(status);
      if (isNoise && seen.resource === 'clusters' && !effective.has(seen) && !hasLateFaults(plan))
        accuse('condition-news', `${seen.actor} writes what is there already`);
    },
    onHeard: freshness.heard,
    onGivenUp: freshness.gaveUp,
    onLook(by) {
      const turn = `${by.operator} ${by.actor}`;
      if (running.has(turn)) accuse('one-turn', `${turn} begins a turn within a turn`);
      running.add(turn);
      freshness.looks(by);
    },
    onMoved: (address) => void movedMs.set(address, now()),
    onTurn(operator, actor) {
      running.delete(`${operator} ${actor}`);
      if (!actor.startsWith(MACHINE_ACTOR) && !actor.startsWith(CLUSTER_ACTOR)) turns.push(actor);
      bound(`turns of ${lifeOf(actor)}`, TURNS_PER_MINUTE_MAX);
    },
    onWorkload(cluster, event) {
      const { name } = event.object.metadata;
      const isToken = event.resource === '/secrets' && name.startsWith('bootstrap-token-');
      if (plan.world.machines && !isToken) machines.onWorkload(writer, cluster, event);
      else if (writer !== null && !isToken)
        accuse('own-writes', `${writer.operator} wrote ${event.resource}/${name} in ${cluster}`);
      if (!isToken) return;
      const id = name.slice('bootstrap-token-'.length);
      const known = tokens.get(cluster) ?? new Map<string, Loose>();
      tokens.set(cluster, known);
      if (event.type === 'DELETED') known.delete(id);
      else known.set(id, event.object as Loose);
      if (writer !== null) judgeToken(writer, event, cluster);
    },
    onNote(note) {
      if (note.kind === 'boot-failed') accuse('boots', `${note.node}: ${note.why}`);
      if (note.kind !== 'join-refused' || !/^the token \w+ (does not exist|expired|has another)/.test(note.why)) return;
      const id = note.why.split(' ')[2] ?? '';
      if (id === USER_TOKEN.split('.')[0] || isTampered(id)) return;
      if (isExcused(plan, now()) || isLeaving(truth, note.node)) return;
      accuse('token-alive', `${note.node}: ${note.why}`);
    },
    onText: judgeText,
    tampered: (what) => void tampered.add(what),
    workloadToken,
    machines,
  };
}

/** Whose right a write needs: what no actor sends may be of either controller. */
function leasesFor({ world }: Plan, { actor }: Seen): readonly string[] {
  if (!world.machines || (actor !== '' && !actor.startsWith(MACHINE_ACTOR))) return [LEASES.kubeadmconfig];
  return actor === '' ? Object.values(LEASES) : [LEASES.machine];
}

/** Nobody keeps the token of a Machine that is deleted. */
function isLeaving(truth: Truth, node: string): boolean {
  return truth.get('machines', node)?.metadata.deletionTimestamp !== undefined;
}

/** The KubeadmConfig whose spec has a token of this id, as actors are named. */
function configOfToken(truth: Truth, id: string): string {
  const config = truth.all('kubeadmconfigs').find((each) => specToken(each).startsWith(`${id}.`));
  return config === undefined ? 'nobody' : `${config.metadata.namespace ?? ''}/${config.metadata.name}`;
}

/** Nobody renews a token while its Cluster is paused. */
function waitMs(fault: Plan['faults'][number]): number {
  return fault.kind === 'act' && fault.what === 'addWhilePaused' ? ADDED_MAX_MS : STRIKE_WAIT_MAX_MS;
}

/** Faults within the life of a token may keep it from being renewed. */
function isExcused({ faults, world }: Plan, nowMs: number): boolean {
  return faults.some((fault) => {
    const endMs =
      'toMs' in fault ? fault.toMs : fault.atMs + (fault.kind === 'kill' ? fault.downMs : 0) + waitMs(fault);
    return endMs > nowMs - world.tokenTtlMs;
  });
}
