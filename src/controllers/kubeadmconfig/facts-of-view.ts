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
import { failedRows, restingRow, tokenLookRows } from '../../../machines/kubeadmconfig/table.js';
import { tokenId } from '../../bootstrap/bootstrap-token.js';
import { isControlPlaneInitialized } from '../../bootstrap/cluster-facts.js';
import { annotation, resources } from '../../api/names.js';
import { isHeldBy, isHolderGone } from './lock-view.js';
import { isKubeadmConfigReference, textOf } from './objects.js';
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
  const controller = view.dataSecret === null ? undefined : controllerOf(view.dataSecret);
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
    dataSecretController: controller === undefined ? '' : `${controller.kind} ${controller.name}`,
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

function dataSecretFact({ config, dataSecret }: View): DataSecretFact {
  if (dataSecret === null) return 'none';
  if (dataSecret.metadata.deletionTimestamp !== undefined) return 'ending';
  const controller = controllerOf(dataSecret);
  if (controller === undefined) return 'unowned';
  if (!isKubeadmConfigReference(controller)) return 'foreign';
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

/** When the token is to be looked at: at the wake-up that was set for it, after a failure, or when somebody changed something. */
function tokenTimes(
  { remembered }: View,
  { nowMs, context }: { readonly nowMs: number; readonly context: ActorContext },
  ttlMs: number,
): Pick<Facts, 'tokenDue' | 'tokenCheckInMs'> {
  const intervalMs = Math.floor(ttlMs / 3);
  const lastRow = context.row === null ? '' : context.row;
  const isKnown = tokenLookRows.includes(lastRow) || tokenLookRows.includes(restingRow(lastRow));
  const wakeAtMs = isKnown ? context.wakeAtMs : null;
  const hasFailed = failedRows.includes(lastRow);
  const tokenDue = remembered.touch > 0 || hasFailed || (wakeAtMs !== null && wakeAtMs <= nowMs);
  const leftMs = wakeAtMs === null ? intervalMs : Math.min(intervalMs, Math.max(0, wakeAtMs - nowMs));
  return { tokenDue, tokenCheckInMs: hasFailed ? 0 : leftMs };
}
