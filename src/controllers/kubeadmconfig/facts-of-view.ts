// From a view to the facts of the table. Pure and total.
import type {
  DataSecretFact,
  DataTokenFact,
  Facts,
  LockFact,
  StoredFact,
  TokenTroubleFact,
} from '../../../machines/kubeadmconfig/facts.js';
import type { ActorContext } from '../../../machines/kit/row.js';
import { restingRow, tokenLookRows } from '../../../machines/kubeadmconfig/table.js';
import { tokenId } from '../../bootstrap/bootstrap-token.js';
import { isControlPlaneInitialized } from '../../bootstrap/cluster-facts.js';
import { annotation, resources } from '../../api/names.js';
import { forWhom, whyForeign } from './foreign-secret.js';
import { FIRST_LOOK_PART_OF_TTL } from './limits.js';
import { isHeldBy, isHolderGone } from './lock-view.js';
import { textOf } from './objects.js';
import type { Settings } from './ports.js';
import { controllerOf, hasTokenDiscovery, isTokenMarked, specToken, type View } from './view.js';

/** The facts of a view at a time. */
export function factsOf(
  view: View,
  at: { readonly nowMs: number; readonly context: ActorContext },
  settings: Pick<Settings, 'tokenTtlMs' | 'recreateLostTokens'>,
): Facts {
  const { config, owner, cluster } = view;
  const { namespace = '', name, generation = 0, deletionTimestamp } = config.metadata;
  const pauses = pauseMessages(view);
  const failureForGood = terminalFailure(view);
  return {
    failure: null,
    isHandled: view.isHandled,
    isDeleting: deletionTimestamp !== undefined,
    owner: owner.kind === 'none' ? 'none' : owner.object === null ? 'absent' : owner.kind,
    hasCluster: cluster !== null,
    isFailedForGood: failureForGood !== '',
    isPaused: pauses.length > 0,
    dataSecret: dataSecretFact(view),
    infrastructureProvisioned: cluster?.status?.initialization?.infrastructureProvisioned === true,
    ownerHasData: owner.dataSecretName !== '',
    dataStored: storedFact(view),
    controlPlaneInitialized: cluster !== null && isControlPlaneInitialized(cluster),
    isControlPlaneMachine: owner.isControlPlaneMachine,
    lock: lockFact(view),
    hasCertificatesToAdopt: view.certificatesToAdopt.length > 0,
    isTokenDiscovery: hasTokenDiscovery(config),
    hasToken: specToken(config) !== '',
    isTokenOurs: isTokenMarked(config),
    dataToken: dataTokenFact(view),
    nodeJoined: owner.hasJoined,
    ...tokenTimes(view, at, settings.tokenTtlMs),
    tokenTrouble: tokenTroubleFact(at.context.row),
    recreateLostTokens: settings.recreateLostTokens,
    generation,
    tokenTtlMs: settings.tokenTtlMs,
    names: {
      namespace,
      config: name,
      owner: owner.name,
      cluster: cluster?.metadata.name ?? owner.clusterName,
      lockHolder: view.lock.kind === 'held' ? view.lock.information.machineName : '',
    },
    pauseMessage: pauses.join(', '),
    failureForGood,
    dataSecretProblem: view.dataSecret === null ? '' : whyForeign(view.dataSecret, forWhom(view)),
    dataSecretName: owner.dataSecretName || name,
    lockProblem: view.lock.kind === 'unreadable' ? view.lock.problem : '',
  };
}

function pauseMessages({ cluster, config }: View): readonly string[] {
  return [
    ...(cluster?.spec?.paused === true ? ['Cluster spec.paused is set to true'] : []),
    ...(config.metadata.annotations?.[annotation.paused] === undefined
      ? []
      : [`KubeadmConfig has the ${annotation.paused} annotation`]),
  ];
}

function terminalFailure({ config }: View): string {
  const { failureReason = '', failureMessage = '' } = config.status?.deprecated?.v1beta1 ?? {};
  return [failureReason, failureMessage].filter((text) => text !== '').join(': ');
}

function storedFact({ config }: View): StoredFact {
  const { initialization, dataSecretName = '' } = config.status ?? {};
  if (initialization?.dataSecretCreated !== true) return 'no';
  return dataSecretName === '' ? 'unnamed' : 'yes';
}

function dataSecretFact(view: View): DataSecretFact {
  const { config, dataSecret } = view;
  if (dataSecret === null) return 'none';
  if (dataSecret.metadata.deletionTimestamp !== undefined) return 'ending';
  const controller = controllerOf(dataSecret);
  if (whyForeign(dataSecret, forWhom(view)) !== '') return 'foreign';
  if (controller === undefined) return 'unowned';
  if (controller.uid !== config.metadata.uid) return 'otherLife';
  const isCurrent =
    controller.apiVersion === resources.KubeadmConfig.apiVersion && controller.name === config.metadata.name;
  return isCurrent ? 'ours' : 'unowned';
}

function lockFact({ lock, owner }: View): LockFact {
  if (lock.kind !== 'held') return lock.kind;
  if (owner.kind === 'Machine' && isHeldBy(lock.information, owner)) return 'mine';
  return isHolderGone(lock.information, lock.holder) ? 'stale' : 'other';
}

/** What the row of the last look says of the token. */
function tokenTroubleFact(row: string | null): TokenTroubleFact {
  const resting = row === null ? '' : restingRow(row);
  if (resting === 'K29') return 'lost';
  return resting === 'K19' ? 'taken' : 'none';
}

function dataTokenFact({ config, dataSecret, remembered }: View): DataTokenFact {
  const id = tokenId(specToken(config));
  const inData = dataSecret?.metadata.annotations?.[annotation.token] ?? remembered.dataTokenId;
  if (inData === null) return 'unknown';
  // Without an id on either side there is nothing to compare: the look at the token says what is wrong with it.
  if (textOf(inData) === '' || id === '') return 'same';
  return inData === id ? 'same' : 'different';
}

/**
 * When the token is to be looked at: at the wake-up that was set for it, or when somebody changed something. After a failure, a
 * pause or whatever else came between, nobody knows how old it is: at once. An actor without a snapshot knows nothing, either,
 * and there may be as many of them as objects: within a spread.
 */
function tokenTimes(
  view: View,
  { nowMs, context }: { readonly nowMs: number; readonly context: ActorContext },
  ttlMs: number,
): Pick<Facts, 'tokenDue' | 'tokenCheckInMs'> {
  const { row, wakeAtMs } = context;
  const { config, remembered } = view;
  const isLookedAfter = storedFact(view) !== 'no' && hasTokenToKeep(view);
  const isTouched = isLookedAfter && remembered.touch > 0;
  if (row === null) {
    const spreadMs = spreadOf(config.metadata.uid ?? '', Math.floor(ttlMs / FIRST_LOOK_PART_OF_TTL));
    return { tokenDue: isTouched, tokenCheckInMs: spreadMs };
  }
  const isKnown = tokenLookRows.includes(row) || tokenLookRows.includes(restingRow(row));
  const lookAtMs = isKnown && wakeAtMs !== null ? wakeAtMs : nowMs;
  const leftMs = Math.min(Math.floor(ttlMs / 3), Math.max(0, lookAtMs - nowMs));
  return { tokenDue: isTouched || (isLookedAfter && leftMs === 0), tokenCheckInMs: leftMs };
}

/** Whether there is a token in the data that some node still needs, or will need. */
function hasTokenToKeep({ config, owner }: View): boolean {
  return hasTokenDiscovery(config) && specToken(config) !== '' && (owner.kind === 'MachinePool' || !owner.hasJoined);
}

/** A time up to `maxMs` that is another one for each life, and the same at every look (FNV-1a). */
function spreadOf(uid: string, maxMs: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < uid.length; index += 1) hash = Math.imul(hash ^ uid.charCodeAt(index), 0x01000193) >>> 0;
  return Math.floor((hash / 2 ** 32) * maxMs);
}
