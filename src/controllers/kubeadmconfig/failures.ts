// From what goes wrong in effects to the failures that the table knows. No text here holds a secret.
import type { FailureKind } from '../../../machines/kubeadmconfig/facts.js';
import type { Refused } from '../../bootstrap/bootstrap-types.js';
import { EffectFailure } from '../../host/effect-failure.js';
import { isApiError } from '../../kube/failures.js';
import { scrubSecrets } from '../../scrub.js';
import { objectName } from './objects.js';
import type { View } from './view.js';

type Named = ReturnType<typeof objectName>;

/** A failure of a kind that the table knows. */
export function failure(kind: FailureKind, message: string, object?: Named, place?: string): EffectFailure {
  return new EffectFailure(kind, scrubSecrets(message), object, place);
}

/**
 * A failure of that kind for an API error that somebody must act on. Conflicts, aborts and unknown outcomes keep their own
 * kind: they are tried again and say nothing about the object.
 */
export function failureOfApi(
  given: { readonly kind: FailureKind; readonly prefix: string; readonly object?: Named; readonly place?: string },
  error: unknown,
): EffectFailure | Error {
  const { kind, prefix, object, place } = given;
  if (!isApiError(error)) return error instanceof Error ? error : new Error(String(error));
  if (['Conflict', 'Aborted', 'Unknown'].includes(error.failure.kind)) return error;
  return failure(kind, `${prefix}${error.failure.message}`, object, place);
}

/** The failure of a refusal to make bootstrap data. `phase` tells refusals before the certificates from later ones. */
export function failureOfRefusal(
  refused: Refused,
  { view, mode, phase }: { readonly view: View; readonly mode: 'init' | 'join'; readonly phase: 'prepare' | 'render' },
): EffectFailure {
  const { object, place } = whereOf(refused, view);
  return failure(kindOf(refused, mode, phase), refused.cause, object, place);
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

/** What the refusal is about, so that its change ends the backoff: a Secret, the owner, the Cluster, or the object itself. */
function whereOf({ field }: Refused, view: View): { readonly object: Named; readonly place?: string } {
  const { config, owner, cluster } = view;
  const { namespace = '', name } = config.metadata;
  const [, secretName, , key] = /^Secret [^/\s]+\/([^,\s]+)(, (.*))?$/.exec(field) ?? [];
  if (secretName !== undefined) {
    return { object: objectName('secret', namespace, secretName), ...(key === undefined ? {} : { place: key }) };
  }
  const [, ownField, holder] = /^(\S+) of the (owner|Cluster)$/.exec(field) ?? [];
  if (ownField !== undefined && holder === 'Cluster' && cluster !== null) {
    return { object: objectName('cluster', namespace, cluster.metadata.name), place: ownField };
  }
  if (ownField !== undefined && holder === 'owner') {
    const isPool = owner.kind === 'MachinePool';
    const place = isPool ? `spec.template.${ownField}` : ownField;
    return { object: objectName(isPool ? 'machinePool' : 'machine', namespace, owner.name), place };
  }
  const source = sourceOf(field, view);
  if (source === null) return { object: objectName('kubeadmConfig', namespace, name), place: field };
  return { object: objectName('secret', namespace, source.secret), place: `${field} for ${source.wanted}` };
}

/** The Secret that a file or a user refers to, from the path of the reference, and what it is wanted for. */
function sourceOf(field: string, { config }: View): { readonly secret: string; readonly wanted: string } | null {
  const [, list, index] = /^spec\.(files|users)\[(\d+)\]\.\w+\.secret$/.exec(field) ?? [];
  const file = list === 'files' ? config.spec?.files?.[Number(index)] : undefined;
  const user = list === 'users' ? config.spec?.users?.[Number(index)] : undefined;
  const secret = (file?.contentFrom ?? user?.passwdFrom)?.secret?.name ?? '';
  if (secret === '') return null;
  return { secret, wanted: file === undefined ? `user ${user?.name}` : file.path };
}
