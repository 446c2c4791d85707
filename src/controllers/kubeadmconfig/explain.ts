// Why a KubeadmConfig is where it is. The same answer from a running host and from the cluster alone.
//
// What only this process remembers is left out: a restart would forget it, and `explain` beside the operator cannot know it.
// That the data Secret holds another token is read back from the row that said so.
//
// The row of the next look explains waits and rests. Where the next look would try something, the row that the last try
// ended with explains more; what it failed with is taken from the host, or read back from the conditions.
import { decidingRow, rowById } from '../../../machines/kit/row-by-id.js';
import { chart } from '../../../machines/kubeadmconfig/chart.js';
import { asOfNow, explainActor, type Explanation } from '../../../machines/kit/explanation.js';
import { readObject, readPlace } from '../../../machines/kit/failure-text.js';
import type { ActorContext, Failure } from '../../../machines/kit/row.js';
import { leafState } from '../../../machines/kit/step.js';
import { shownFacts, type Facts, type Request, type State } from '../../../machines/kubeadmconfig/facts.js';
import { failedRows, table } from '../../../machines/kubeadmconfig/table.js';
import type { RecordedFailure } from '../../host/contract.js';
import { parseEnvelope } from '../../host/envelope.js';
import type { ApiClient, KubeObject, Target } from '../../kube/contract.js';
import { isApiError } from '../../kube/failures.js';
import { kubeconfigSecretName } from '../../kube/kubeconfig-secrets.js';
import { factsOf } from './facts-of-view.js';
import { kinds, objectName, targetOf } from './objects.js';
import type { Settings } from './ports.js';
import { storedEnvelope } from './status-patch.js';
import type { Reader } from './reader.js';
import { NOTHING_REMEMBERED, viewOf, type View } from './view.js';

/** What is known of the actor beyond its object. */
export interface KnownActor {
  readonly state: string;
  readonly context: ActorContext;
  readonly failure: Failure | null;
}

/** Settings that facts depend on. */
export type ExplainSettings = Pick<Settings, 'tokenTtlMs' | 'recreateLostTokens' | 'snapshotStore' | 'watchFilter'>;

const UNKNOWN: ActorContext = { row: null, sinceMs: 0, wakeAtMs: null };
/** The row that rests on a data Secret with another token than the spec. */
const MISMATCH_ROW = 'K25';

/** Explains an object. `actor` is what a host knows; null reads what the cluster recorded. */
export function explainView(
  view: View,
  actor: KnownActor | null,
  options: { readonly nowMs: number; readonly settings: ExplainSettings; readonly warnings: readonly string[] },
): Explanation {
  const { nowMs, settings, warnings } = options;
  const known = actor ?? recordedActor(view, settings.snapshotStore);
  const { context, facts: looked } = recorded(view, { nowMs, context: known?.context ?? UNKNOWN }, settings);
  const next = decidingRow({ chart, table }, looked);
  const last = rowById(table, context.row);
  const isTrying = next.request !== null && last !== undefined && last.on !== 'OBSERVED';
  const failure = known?.failure ?? (isTrying ? recordedFailure(view, context.row) : null);
  const facts: Facts = { ...looked, failure: failure as Facts['failure'] };
  const { namespace = '', name, uid = '' } = view.config.metadata;
  return explainActor(table, {
    object: { kind: 'KubeadmConfig', namespace, name, uid },
    state: (known?.state ?? next.target ?? table.initial) as State,
    context: known === null ? null : context,
    facts,
    rowId: isTrying ? last.id : next.id,
    shownFacts,
    warnings,
  });
}

/** Context and facts as the cluster records them, whoever looks. */
function recorded(
  view: View,
  { nowMs, context }: { readonly nowMs: number; readonly context: ActorContext },
  settings: ExplainSettings,
): { readonly context: ActorContext; readonly facts: Facts } {
  const seen = { ...view, remembered: NOTHING_REMEMBERED };
  // With all the time there is until the next look, what is left of it is the whole interval.
  const untimed = factsOf(seen, { nowMs, context: { ...context, wakeAtMs: Infinity } }, settings);
  const now = asOfNow(context, nowMs, rowById(table, context.row)?.requeue?.afterMs(untimed) ?? null);
  const facts = factsOf(seen, { nowMs, context: now }, settings);
  const isMismatched = facts.dataToken === 'unknown' && context.row === MISMATCH_ROW;
  return { context: now, facts: isMismatched ? { ...facts, dataToken: 'different' } : facts };
}

/** The view of a key from live reads, for `explain`; null when the object does not exist. */
export async function readView(
  client: ApiClient,
  key: string,
  options: { readonly settings: ExplainSettings; readonly hasMachinePools: boolean; readonly signal?: AbortSignal },
): Promise<View | null> {
  const known = new Map<string, KubeObject | null>();
  const call = options.signal === undefined ? {} : { signal: options.signal };
  for (;;) {
    const wanted = new Map<string, Target>();
    const get = <T extends KubeObject>(
      resource: Target['resource'],
      namespace: string,
      name: string,
    ): T | undefined => {
      const id = `${resource.plural}/${namespace}/${name}`;
      if (!known.has(id)) wanted.set(id, targetOf(resource, namespace, name));
      return (known.get(id) ?? undefined) as T | undefined;
    };
    const reader: Reader = {
      hasMachinePools: options.hasMachinePools,
      config: (namespace, name) => get(kinds.kubeadmConfig, namespace, name),
      machine: (namespace, name) => get(kinds.machine, namespace, name),
      machinePool: (namespace, name) => get(kinds.machinePool, namespace, name),
      cluster: (namespace, name) => get(kinds.cluster, namespace, name),
      secret: (namespace, name) => get(kinds.secret, namespace, name),
      configMap: (namespace, name) => get(kinds.configMap, namespace, name),
    };
    const { watchFilter, snapshotStore } = options.settings;
    const view = viewOf(reader, key, { watchFilter, snapshotStore, remembered: () => NOTHING_REMEMBERED });
    if (wanted.size === 0) return view;
    for (const [id, target] of wanted) known.set(id, await readOrNull(client, target, call));
  }
}

/** Secrets are read as metadata: an explanation needs no secret. */
async function readOrNull(
  client: ApiClient,
  target: Target,
  call: { readonly signal?: AbortSignal },
): Promise<KubeObject | null> {
  const metadataOnly = target.resource.kind === 'Secret';
  try {
    return await client.get(target, { ...call, ...(metadataOnly ? { metadataOnly } : {}) });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return null;
    throw error;
  }
}

function recordedActor(view: View, store: ExplainSettings['snapshotStore']): KnownActor | null {
  const envelope = parseEnvelope(storedEnvelope(view, store), view.config.metadata.uid ?? '');
  if (envelope === null) return null;
  const { snapshot, failed } = envelope;
  const { context } = snapshot;
  const failure = failed === undefined ? null : failureOfRecord(view, failed, context.row);
  return { state: leafState(snapshot.value), context, failure };
}

function failureOfRecord(view: View, failed: RecordedFailure, row: string | null): Failure {
  const { request, kind, message, place } = failed;
  const object = ofKnownKind(readObject(failed.object ?? ''));
  return {
    request: request ?? requestOf(view, row),
    kind,
    message,
    ...(object === null ? {} : { object }),
    ...(place === undefined ? {} : { place }),
  };
}

function requestOf(view: View, row: string | null): Request {
  return view.owner.isControlPlaneMachine && row === 'K47' ? 'storeInitData' : 'storeJoinData';
}

/** The last failure as the conditions tell it: they hold the cause, in the words of the deprecated list. */
function recordedFailure(view: View, row: string | null): Failure | null {
  const isFailure = row !== null && (failedRows.includes(row) || ['K47', 'K48'].includes(row));
  if (!isFailure) return null;
  const legacy = view.config.status?.deprecated?.v1beta1?.conditions ?? [];
  const causes = ['CertificatesGenerationFailed', 'CertificatesCorrupted', 'DataSecretGenerationFailed'];
  const cause = causes
    .map((reason) => legacy.find((each) => each.reason === reason)?.message ?? '')
    .find((text) => text !== '');
  if (cause === undefined) return null;
  const { message, object: placed, place } = readPlace(cause) ?? { message: cause, object: null, place: null };
  const { namespace = '', name } = view.config.metadata;
  const guessed = place === null ? objectInText(view, message) : null;
  const object = placed === null ? (guessed ?? objectName('kubeadmConfig', namespace, name)) : ofKnownKind(placed);
  return {
    request: requestOf(view, row),
    kind: rowById(table, row)?.title ?? '',
    message,
    ...(object === null ? {} : { object }),
    ...(place === null ? {} : { place }),
  };
}

/** The object in full, if it is of a kind that this controller knows. */
function ofKnownKind(named: ReturnType<typeof readObject>): ReturnType<typeof objectName> | null {
  const [key] = Object.entries(kinds).find(([, { kind }]) => kind === named?.kind) ?? [];
  return named === null || key === undefined
    ? null
    : objectName(key as keyof typeof kinds, named.namespace, named.name);
}

/** The object that a cause names, where it names one. */
function objectInText(view: View, text: string): ReturnType<typeof objectName> | null {
  const { namespace = '' } = view.config.metadata;
  const cluster = view.cluster?.metadata.name ?? '';
  const secret =
    /secrets? "(?:[^"/]+\/)?([^"]+)"|secret not found: [^/\s]+\/([^:\s]+)|Secret "?[^/\s"]+\/([^":\s,]+)/i.exec(text);
  const secretName = secret?.[1] ?? secret?.[2] ?? secret?.[3];
  if (secretName !== undefined) return objectName('secret', namespace, secretName);
  if (text.startsWith('connection to workload cluster'))
    return objectName('secret', namespace, kubeconfigSecretName(cluster));
  const pair = /keypair from certificate [^/\s]+\/([^:\s]+):/.exec(text)?.[1];
  if (pair !== undefined) return objectName('secret', namespace, pair);
  const certificate = /for certificate: ([a-z-]+):/.exec(text)?.[1];
  if (certificate !== undefined) return objectName('secret', namespace, `${cluster}-${certificate}`);
  const configMap = /ConfigMap [^/\s]+\/(\S+)/.exec(text)?.[1];
  if (configMap !== undefined) return objectName('configMap', namespace, configMap);
  return null;
}
