// What a bootstrap or infrastructure object tells its Machine, as facts. Pure: objects in, readings out.
//
// The first field that cannot be used is the phase's problem, with upstream's text; what comes after it is not taken over.

import type { ContractReference } from '../../../api/core.js';
import type { BootstrapReading, ExternalObject, InfrastructureReading } from '../../../../machines/machine/facts.js';
import { keyOf, type ExternalObjectJson, type StoredCluster, type StoredMachine } from '../objects.js';
import type { Contract } from './contract-version.js';
import { addressesField, flagField, problemOf, textField, valueOr, type Field } from './field.js';
import { ownershipOf } from './ownership.js';
import { oldReadyReading, readyReading } from './ready-reading.js';

/** What a cache shows of a referenced object. */
export type ExternalLook =
  | { readonly kind: 'unwatched' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'found'; readonly object: ExternalObjectJson; readonly contract: Contract };

/** Whose object it is. */
export interface ReadingContext {
  readonly machine: StoredMachine;
  /** Null where no cache shows it; then nothing is adopted. */
  readonly cluster: StoredCluster | null;
}

/** Name of the field with which a bootstrap object says that its data exists. */
export function createdPath(contract: Contract): readonly string[] {
  return contract === 'v1beta2' ? ['status', 'initialization', 'dataSecretCreated'] : ['status', 'ready'];
}

/** Name of the field with which an infrastructure object says that it is there. */
export function provisionedPath(contract: Contract): readonly string[] {
  return contract === 'v1beta2' ? ['status', 'initialization', 'provisioned'] : ['status', 'ready'];
}

/** The bootstrap object. */
export function bootstrapReading(
  reference: ContractReference,
  look: ExternalLook,
  context: ReadingContext,
): BootstrapReading {
  const base = baseOf(reference, look);
  if (look.kind !== 'found') return { ...base, ...look };
  const common = commonOf(look, createdPath(look.contract), context);
  if ('message' in common) return { ...base, ...common };
  const name = textField(look.object, ['status', 'dataSecretName']);
  const problems = [
    common.problem,
    ...(common.isCompleted && !common.isDeleting && context.machine.spec.bootstrap.dataSecretName === undefined
      ? [secretNameProblem(name, look.object)]
      : []),
  ];
  // A Machine that has its data asks its bootstrap object nothing more than whether it has failed.
  const hasData = context.machine.spec.bootstrap.dataSecretName !== undefined;
  const problem = hasData && common.isMisread !== true ? null : firstOf(problems);
  return { ...base, ...common, problem, dataSecretName: valueOr(name, '') };
}

function secretNameProblem(name: Field<string>, object: ExternalObjectJson): string | null {
  const what = `${object.kind} ${keyOf(object)}`;
  if (name.is === 'wrong') return `failed to read dataSecretName from ${what}: ${name.problem}`;
  if (name.is === 'absent') {
    return `failed to read dataSecretName from ${what}: failed to get .status.dataSecretName from object: field not found`;
  }
  return name.value === '' ? `got empty status.dataSecretName field from ${what}` : null;
}

/** The infrastructure object. */
export function infrastructureReading(
  reference: ContractReference,
  look: ExternalLook,
  context: ReadingContext,
): InfrastructureReading {
  const base = baseOf(reference, look);
  if (look.kind !== 'found') return { ...base, ...look };
  const common = commonOf(look, provisionedPath(look.contract), context);
  if ('message' in common) return { ...base, ...common };
  const { object } = look;
  const what = `${object.kind} ${keyOf(object)}`;
  const providerId = textField(object, ['spec', 'providerID']);
  const addresses = addressesField(object, ['status', 'addresses']);
  const specDomain = textField(object, ['spec', 'failureDomain']);
  const failureDomain = textField(object, ['status', 'failureDomain']);
  const isTaken = common.isCompleted || context.machine.status?.initialization?.infrastructureProvisioned === true;
  const problems = [
    read('spec.providerID', what, providerId),
    ...(valueOr(providerId, '') === ''
      ? []
      : [
          read('addresses', what, addresses),
          read('spec.failureDomain', what, specDomain),
          read('status.failureDomain', what, failureDomain),
        ]),
  ];
  return {
    ...base,
    ...common,
    problem: firstOf([common.problem, ...(isTaken && !common.isDeleting ? problems : [])]),
    providerId: valueOr(providerId, ''),
    ...(addresses.is === 'set' ? { addresses: addresses.value } : {}),
    ...(failureDomain.is === 'set' ? { failureDomain: failureDomain.value } : {}),
  };
}

/** `spec.failureDomain` of an infrastructure object, which goes to the Machine's spec; undefined where it has none. */
export function specFailureDomain(object: ExternalObjectJson): string | undefined {
  const found = textField(object, ['spec', 'failureDomain']);
  return found.is === 'set' ? found.value : undefined;
}

/** `status.interruptible` of an infrastructure object, or why it cannot be read. */
export function interruptible(object: ExternalObjectJson): {
  readonly value: boolean;
  readonly problem: string | null;
} {
  const found = flagField(object, ['status', 'interruptible']);
  const problem = problemOf(found);
  return {
    value: valueOr(found, false),
    problem:
      problem === null ? null : `failed to get status interruptible from infra machine ${keyOf(object)}: ${problem}`,
  };
}

function baseOf(
  { apiGroup, kind, name }: ContractReference,
  look: ExternalLook,
): { readonly objectKind: string; readonly objectName: string; readonly apiVersion: string } {
  return { objectKind: kind, objectName: name, apiVersion: look.kind === 'found' ? look.object.apiVersion : apiGroup };
}

function commonOf(
  { object }: Extract<ExternalLook, { readonly kind: 'found' }>,
  completedPath: readonly string[],
  { machine, cluster }: ReadingContext,
): ExternalObject | { readonly kind: 'unreadable'; readonly message: string } {
  const ownership = cluster === null ? null : ownershipOf(object, { machine, cluster });
  if (ownership?.kind === 'foreign') return { kind: 'unreadable', message: ownership.problem };
  const completed = flagField(object, completedPath);
  const failureReason = textField(object, ['status', 'failureReason']);
  const failureMessage = textField(object, ['status', 'failureMessage']);
  const gvk = `${object.apiVersion}, Kind=${object.kind}`;
  const name = object.metadata.name;
  const message = valueOr(failureMessage, '');
  return {
    kind: 'found',
    isDeleting: object.metadata.deletionTimestamp !== undefined,
    finalizers: object.metadata.finalizers ?? [],
    isAdopted: ownership?.kind === 'right',
    isMisread: failureReason.is === 'wrong' || failureMessage.is === 'wrong',
    problem: firstOf([
      determine('failureReason', gvk, name, failureReason),
      determine('failureMessage', gvk, name, failureMessage),
      problemOf(completed),
    ]),
    isCompleted: valueOr(completed, false),
    ready: readyReading(object.kind, object.status),
    oldReady: oldReadyReading(object.status),
    failureReason: valueOr(failureReason, ''),
    failureMessage:
      message === '' ? '' : `Failure detected from referenced resource ${gvk} with name "${name}": ${message}`,
  };
}

function determine(field: string, gvk: string, name: string, found: Field<string>): string | null {
  return found.is === 'wrong' ? `failed to determine ${field} on ${gvk} "${name}": ${found.problem}` : null;
}

function read(field: string, what: string, found: Field<unknown>): string | null {
  return found.is === 'wrong' ? `failed to read ${field} from ${what}: ${found.problem}` : null;
}

function firstOf(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}
