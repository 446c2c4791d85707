// Looks after the token of stored data: refreshed while nodes are missing, judged by age in a pool that is complete, and made
// again when it is lost.
//
// What follows from what is found is the table's to decide; here it is only found out, and extended.
import { annotation } from '../../../api/names.js';
import { isApiError } from '../../../kube/failures.js';
import { failure, failureOfApi } from '../failures.js';
import { kinds, targetOf, type StoredSecret } from '../objects.js';
import { tokenIdInData } from '../stored-data.js';
import { isTokenMarked, specToken } from '../view.js';
import type { ApiClient } from '../../../kube/contract.js';
import { markToken } from './config-patch.js';
import { answer, orNull, type Answer, type Work } from './context.js';
import {
  createToken,
  endsSoon,
  extendToken,
  parseToken,
  readToken,
  secretName,
  TOKEN_DESCRIPTION,
  tokenPlace,
  workloadClient,
  type Token,
  type WorkloadToken,
} from './workload-token.js';

/** TOKEN_KEPT, TOKEN_EXTENDED, TOKEN_MISSING, TOKEN_TAKEN or DATA_TOKEN_DIFFERS. */
export async function refreshToken(work: Work): Promise<Answer> {
  const { ports } = work;
  const found = await lookAtToken(work);
  if ('type' in found) return found;
  const { token, known, client, isOurs } = found;
  if (known.expiresAtMs === null) {
    // PARITY: upstream gives the user's eternal tokens an expiry, too (docs/parity.md, Q-26).
    if (!isOurs) return looked(work, 'TOKEN_KEPT', isOurs);
    ports.log.info('Token has no valid value for expiration, writing new expiration timestamp', {
      Secret: secretName(token),
    });
  } else if (!endsSoon(work, known)) {
    ports.log.verbose(3, 'Token needs no refresh', {
      Secret: secretName(token),
      tokenExpiresInSeconds: (known.expiresAtMs - work.nowMs()) / 1000,
    });
    return looked(work, 'TOKEN_KEPT', isOurs);
  }
  const isExtended = await extendToken(work, client, token, known);
  return isExtended ? looked(work, 'TOKEN_EXTENDED', isOurs) : missing(work, token);
}

/** TOKEN_KEPT or TOKEN_OLD; else as refreshing. */
export async function checkTokenAge(work: Work): Promise<Answer> {
  work.ports.log.verbose(2, 'Config is owned by a MachinePool, checking if token should be rotated');
  const found = await lookAtToken(work);
  if ('type' in found) return found;
  const { known, isOurs } = found;
  if (known.expiresAtMs === null) return looked(work, isOurs ? 'TOKEN_OLD' : 'TOKEN_KEPT', isOurs);
  const isOld = known.expiresAtMs < work.nowMs() + work.ports.settings.tokenTtlMs / 2;
  return looked(work, isOld ? 'TOKEN_OLD' : 'TOKEN_KEPT', isOurs);
}

/** Makes the same token again: TOKEN_RESTORED, or TOKEN_TAKEN when another one has its id. */
export async function restoreToken(work: Work): Promise<Answer> {
  const token = parseToken(specToken(work.turn.config));
  const client = await workloadClient(work);
  if (!(await createToken(work, client, token))) {
    const known = await readToken(work, client, token);
    if (known !== null && known.secret !== token.secret) return answer('TOKEN_TAKEN');
  }
  return looked(work, 'TOKEN_RESTORED', true);
}

interface Found {
  readonly token: Token;
  readonly known: WorkloadToken;
  readonly client: ApiClient;
  readonly isOurs: boolean;
}

async function lookAtToken(work: Work): Promise<Found | Answer> {
  const { turn } = work;
  const token = parseToken(specToken(turn.config));
  if (work.facts.dataToken === 'unknown' && (await isDataDifferent(work, token))) {
    return answer('DATA_TOKEN_DIFFERS', { dataToken: 'different' });
  }
  const client = await workloadClient(work);
  const known = await readKnown(work, client, token);
  work.memory.tokenLooked(work.key, work.view.remembered.touch);
  if (known === null) return missing(work, token);
  if (known.secret !== token.secret) return answer('TOKEN_TAKEN', { dataToken: 'same' });
  let isOurs = isTokenMarked(turn.config);
  if (!isOurs && known.description === TOKEN_DESCRIPTION) {
    await markToken(work, token.text);
    isOurs = true;
  }
  return { token, known, client, isOurs };
}

async function readKnown(work: Work, client: ApiClient, token: Token): Promise<WorkloadToken | null> {
  try {
    return await readToken(work, client, token);
  } catch (error) {
    const prefix = 'failed to get bootstrap token secret in order to refresh it: ';
    throw failureOfApi({ kind: 'TokenFailed', prefix, ...tokenPlace(work, token) }, error);
  }
}

/** The token is not there. Without `--recreate-lost-tokens` that is upstream's error for a Machine. */
function missing(work: Work, token: Token): Answer {
  const { facts } = work;
  if (facts.owner === 'Machine' && !facts.recreateLostTokens) {
    const { object, place } = tokenPlace(work, token);
    const message = `failed to get bootstrap token secret in order to refresh it: secrets "${secretName(token)}" not found`;
    throw failure('TokenLost', message, object, place);
  }
  return answer('TOKEN_MISSING', { dataToken: 'same' });
}

function looked(
  work: Work,
  type: 'TOKEN_KEPT' | 'TOKEN_EXTENDED' | 'TOKEN_OLD' | 'TOKEN_RESTORED',
  isOurs: boolean,
): Answer {
  work.memory.tokenLooked(work.key, work.view.remembered.touch);
  return answer(type, { dataToken: 'same', tokenDue: false, isTokenOurs: isOurs });
}

/** Whether the data holds another token: its Secret has no annotation, so the data itself is read, once per process. */
async function isDataDifferent(work: Work, token: Token): Promise<boolean> {
  const { client, call, turn, memory, view } = work;
  const { namespace = '', name } = turn.config.metadata;
  const dataSecretName = turn.config.status?.dataSecretName || name;
  let secret: StoredSecret | null;
  try {
    secret = await orNull(client.get<StoredSecret>(targetOf(kinds.secret, namespace, dataSecretName), call));
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return false;
    throw error;
  }
  const marked = secret?.metadata.annotations?.[annotation.token];
  const text = Buffer.from(secret?.data?.['value'] ?? '', 'base64').toString('latin1');
  const id = marked ?? tokenIdInData(text);
  memory.rememberDataToken(work.key, view.dataSecret, id);
  return id !== '' && id !== token.id;
}
