// What a living Machine waits for: data, infrastructure or its Node, whichever comes first; or what made it fail.

import type { WaitsFor } from '../kit/row.js';
import type { MachineFacts } from './facts.js';
import { nodeName } from './guards.js';
import { cluster, connection, external, self, type Wait } from './waits.js';

const byItself = 'Nothing is needed: the operator does it at its next look. If it cannot, its log says why.';
const expiryAnnotation = 'machine.cluster.x-k8s.io/certificates-expiry';

/** Data, infrastructure or the Node. */
export const waitForLife: Wait = (facts) => {
  const { bootstrap, infrastructure, machine } = facts;
  if (infrastructure.kind === 'missing' || infrastructure.kind === 'unreadable')
    return missing(facts, 'infrastructure');
  if (bootstrap?.kind === 'missing' || bootstrap?.kind === 'unreadable') return missing(facts, 'bootstrap');
  if (bootstrap?.kind === 'found' && !bootstrap.isCompleted && machine.dataSecretName === null) {
    return {
      ...external(facts, 'bootstrap'),
      what: 'status.initialization.dataSecretCreated to be true',
      remedy: `See what the conditions of ${bootstrap.objectKind} ${bootstrap.objectName} say.`,
    };
  }
  if (infrastructure.kind === 'found' && (!infrastructure.isCompleted || infrastructure.providerId === '')) {
    const field = infrastructure.isCompleted ? 'spec.providerID' : 'status.initialization.provisioned';
    return {
      ...external(facts, 'infrastructure'),
      what: infrastructure.isCompleted ? `${field} to be set` : `${field} to be true`,
      remedy: `See what the conditions of ${infrastructure.objectKind} ${infrastructure.objectName} say.`,
    };
  }
  return waitForNode(facts);
};

function missing(facts: MachineFacts, which: 'bootstrap' | 'infrastructure'): WaitsFor {
  const reading = facts[which];
  const message = reading?.kind === 'unreadable' ? reading.message : '';
  return {
    ...external(facts, which),
    what: message === '' ? 'to exist' : 'to be readable',
    remedy: message === '' ? `Create ${reading?.objectKind ?? ''} ${reading?.objectName ?? ''}.` : message,
  };
}

/** An external object is not the Machine's yet, or cannot be used. */
export const waitForObject =
  (which: 'bootstrap' | 'infrastructure'): Wait =>
  (facts) => {
    const reading = facts[which];
    if (reading?.kind !== 'found') return missing(facts, which);
    return reading.problem === null
      ? { ...external(facts, which), what: 'to be owned by the Machine', remedy: byItself }
      : {
          ...external(facts, which),
          what: `its fields to be usable: ${reading.problem}`,
          remedy: `Correct this field of ${reading.objectKind} ${reading.objectName}, or see why its own controller does not.`,
        };
  };

/** The Node is not there, cannot be looked at, or is not in line. */
export const waitForNode: Wait = (facts) => {
  const { machine, node, certificatesExpiry } = facts;
  const of = { apiVersion: 'v1', kind: 'Node', namespace: '', name: nodeName(facts) ?? '' };
  switch (node.kind) {
    case 'unreachable':
    case 'connecting':
      return connection(facts);
    case 'ambiguous':
      return {
        ...of,
        what: `to be the only one with spec.providerID ${machine.providerId}`,
        remedy: 'Delete the Node that is not this machine.',
      };
    case 'found':
      if (node.problem !== null)
        return { ...of, what: `to take over what the Machine brings: ${node.problem}`, remedy: node.problem };
      if (certificatesExpiry.kind === 'invalid') {
        const remedy = `Correct the annotation ${expiryAnnotation}: ${certificatesExpiry.message}`;
        return { ...self(facts), what: `the annotation ${expiryAnnotation} to be a date`, remedy };
      }
      return { ...of, what: 'to have the labels, annotations and taints of the Machine', remedy: byItself };
    default:
  }
  if (facts.cluster?.infrastructureProvisioned === false) {
    return {
      ...cluster(facts),
      what: 'status.initialization.infrastructureProvisioned to be true',
      remedy: `See what the conditions of Cluster ${machine.clusterName} say.`,
    };
  }
  return {
    ...of,
    what: `to exist with spec.providerID ${machine.providerId}`,
    remedy: 'See the console of the machine: its kubelet has not registered a Node with this provider ID.',
  };
};

/** The infrastructure is gone for good. */
export const waitForLostInfrastructure: Wait = (facts) => ({
  ...external(facts, 'infrastructure'),
  what: 'to exist: it was deleted after it had been provisioned',
  remedy: 'Replace the Machine: its infrastructure is never made again.',
});

/** A failure field is set. */
export const waitForFailure: Wait = (facts) => {
  const fields = 'status.deprecated.v1beta1.failureReason and failureMessage';
  for (const which of ['infrastructure', 'bootstrap'] as const) {
    const reading = facts[which];
    if (reading?.kind !== 'found' || (reading.failureReason === '' && reading.failureMessage === '')) continue;
    return {
      ...external(facts, which),
      what: 'status.failureReason and status.failureMessage to be empty',
      remedy: `Replace the Machine, or repair ${reading.objectKind} ${reading.objectName} and then empty ${fields} of the Machine.`,
    };
  }
  return {
    ...self(facts),
    what: `${fields} to be empty`,
    remedy: `Replace the Machine, or empty ${fields} once their cause is gone.`,
  };
};

/** An update in place runs. */
export const waitForUpdate: Wait = (facts) => ({
  ...self(facts),
  what: 'the annotations of the update in place to be removed',
  remedy: 'See the owner of the Machine: it carries out the update and removes them.',
});
