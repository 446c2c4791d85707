// From what goes wrong in effects to the failures that the table knows. No text here holds a secret.
import type { FailureKind } from '../../../machines/kubeadmconfig/facts.js';
import type { Refused } from '../../bootstrap/bootstrap-types.js';
import { EffectFailure } from '../../host/effect-failure.js';
import { isApiError } from '../../kube/failures.js';
import { scrubSecrets } from '../../log.js';
import { objectName } from './objects.js';
import type { View } from './view.js';

type Named = ReturnType<typeof objectName>;

/** A failure of a kind that the table knows. */
export function failure(kind: FailureKind, message: string, object?: Named): EffectFailure {
  return new EffectFailure(kind, scrubSecrets(message), object);
}

/**
 * A failure of that kind for an API error that somebody must act on. Conflicts, aborts and unknown outcomes keep their own
 * kind: they are tried again and say nothing about the object.
 */
export function failureOfApi(kind: FailureKind, prefix: string, error: unknown, object?: Named): EffectFailure | Error {
  if (!isApiError(error)) return error instanceof Error ? error : new Error(String(error));
  if (['Conflict', 'Aborted', 'Unknown'].includes(error.failure.kind)) return error;
  return failure(kind, `${prefix}${error.failure.message}`, object);
}

/** The failure of a refusal to make bootstrap data. `phase` tells refusals before the certificates from later ones. */
export function failureOfRefusal(
  refused: Refused,
  { view, mode, phase }: { readonly view: View; readonly mode: 'init' | 'join'; readonly phase: 'prepare' | 'render' },
): EffectFailure {
  return failure(kindOf(refused, mode, phase), refused.cause, objectOf(refused, view));
}

function kindOf(refused: Refused, mode: 'init' | 'join', phase: 'prepare' | 'render'): FailureKind {
  if (refused.conditionType === 'CertificatesAvailable') {
    return mode === 'init' ? 'InitCertificates' : 'JoinCertificates';
  }
  if (refused.message === refused.cause) return phase === 'prepare' ? 'SpecRefused' : 'DataRefused';
  if (refused.message.startsWith('Failed to read content')) return 'FilesUnreadable';
  if (refused.message.startsWith('Failed to prepare')) return 'FilesUnprepared';
  if (refused.message.startsWith('Failed to read password')) return 'UsersUnreadable';
  return 'DiscoveryFile';
}

/** The Secret that the refusal is about, so that its appearance ends the backoff. */
function objectOf({ field }: Refused, view: View): Named | undefined {
  const { namespace = '', name } = view.config.metadata;
  const direct = /^Secret ([^/\s]+)\/([^,\s]+)/.exec(field);
  if (direct?.[2] !== undefined) return objectName('secret', namespace, direct[2]);
  const source = sourceSecret(field, view);
  return source === '' ? objectName('kubeadmConfig', namespace, name) : objectName('secret', namespace, source);
}

/** The Secret that a file or a user refers to, from the path of the reference. */
function sourceSecret(field: string, { config }: View): string {
  const [, list, index] = /^spec\.(files|users)\[(\d+)\]\.\w+\.secret$/.exec(field) ?? [];
  if (list === 'files') return config.spec?.files?.[Number(index)]?.contentFrom?.secret?.name ?? '';
  if (list === 'users') return config.spec?.users?.[Number(index)]?.passwdFrom?.secret?.name ?? '';
  return '';
}
