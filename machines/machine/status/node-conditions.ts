// What a Machine says about its Node: `NodeReady`, `NodeHealthy`, and the deprecated `NodeHealthy`.
//
// Both conditions say the same unless a Node can be looked at. A connection that is lost for less than the grace period
// changes nothing: what was known stays.

import {
  conditionTime,
  hasCondition,
  type Condition,
  type V1Beta1Condition,
} from '../../../src/conditions/condition.js';
import type { MachineFacts, NodeCondition, NodeReading } from '../facts.js';
import { isDeleting, nodeLossText } from '../guards.js';
import { condition, oldCondition, oldReason, reason, text } from '../names.js';

type FoundNode = Extract<NodeReading, { readonly kind: 'found' }>;
type Status = 'True' | 'False' | 'Unknown';

interface Entry {
  readonly status: Status;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

const entry = (status: Status, why: string, message = ''): Entry => ({ status, reason: why, message });

/** `NodeReady` and `NodeHealthy`; an empty list leaves both as they are. */
export function nodeConditions(facts: MachineFacts): readonly Condition[] {
  const { node } = facts;
  const common = withoutNode(facts);
  if (common === 'keep') return [];
  if (common === 'node' && node.kind === 'found') return [nodeReady(node), nodeHealthy(node)];
  const both = common === 'node' ? entry('Unknown', reason.internalError, text.checkLogs) : common;
  return [
    { type: condition.nodeReady, ...both },
    { type: condition.nodeHealthy, ...both },
  ];
}

/** What both conditions say, whether to look at the Node, or that what was said is kept. */
function withoutNode(facts: MachineFacts): Entry | 'keep' | 'node' {
  const { cluster, connection, node, nowMs } = facts;
  if (cluster?.infrastructureProvisioned !== true) {
    return entry('Unknown', reason.inspectionFailed, text.waitingForClusterInfrastructure);
  }
  if (!cluster.controlPlaneInitialized) return entry('Unknown', reason.inspectionFailed, text.waitingForControlPlane);
  const { lastHeardMs, isDown, graceMs } = connection;
  if (lastHeardMs === null && !isDown) {
    return keptOr(facts, entry('Unknown', reason.connectionDown, text.notConnectedYet));
  }
  const judgedFromMs = Math.max(lastHeardMs ?? 0, cluster.controlPlaneInitializedSinceMs ?? 0);
  const down = entry(
    'Unknown',
    reason.connectionDown,
    lastHeardMs === null ? '' : `Last successful probe at ${conditionTime(lastHeardMs)}`,
  );
  if (nowMs - judgedFromMs > graceMs) return down;
  switch (node.kind) {
    case 'connecting':
    case 'unreachable':
      return keptOr(facts, down);
    case 'ambiguous':
      return entry('Unknown', reason.internalError, text.checkLogs);
    case 'found':
      return 'node';
    default:
      return withoutMatch(facts);
  }
}

function keptOr({ status }: MachineFacts, other: Entry): Entry | 'keep' {
  const known = status.conditions ?? [];
  return hasCondition(known, condition.nodeReady) && hasCondition(known, condition.nodeHealthy) ? 'keep' : other;
}

function withoutMatch(facts: MachineFacts): Entry {
  const { status, machine, infrastructure } = facts;
  const name = status.nodeRef?.name;
  if (isDeleting(facts)) {
    if (name !== undefined) return entry('False', reason.nodeDeleted, `Node ${name} has been deleted`);
    return entry('Unknown', reason.nodeDoesNotExist, text.nodeDoesNotExist);
  }
  // PARITY: Unknown, as the requirement's table says; upstream says False.
  if (name !== undefined) return entry('Unknown', reason.nodeDeleted, nodeLossText(name));
  return entry(
    'Unknown',
    reason.inspectionFailed,
    machine.providerId !== ''
      ? `Waiting for a Node with spec.providerID ${machine.providerId} to exist`
      : `Waiting for ${infrastructure.objectKind} to report spec.providerID`,
  );
}

function nodeReady({ conditions }: FoundNode): Condition {
  const ready = conditions.find(({ type }) => type === 'Ready');
  const state: Entry =
    ready === undefined
      ? entry('Unknown', reason.nodeReadyUnknown, `* Node.Ready: ${text.notYetReported}`)
      : {
          ...reported(ready),
          ...(ready.lastTransitionTime === null ? {} : { lastTransitionTime: ready.lastTransitionTime }),
        };
  return { type: condition.nodeReady, ...state };
}

function reported({ status, message }: NodeCondition): Entry {
  const line = message === '' ? '' : `* Node.Ready: ${message}`;
  if (status === 'True') return entry('True', reason.nodeReady);
  return status === 'False'
    ? entry('False', reason.nodeNotReady, line)
    : entry('Unknown', reason.nodeReadyUnknown, line);
}

/** Conditions of a Node that its health is made of, with the status that is good. */
const healthConditions = [
  ['Ready', 'True'],
  ['MemoryPressure', 'False'],
  ['DiskPressure', 'False'],
  ['PIDPressure', 'False'],
] as const;

function nodeHealthy({ conditions }: FoundNode): Condition {
  const lines: string[] = [];
  const messages: string[] = [];
  let failed = 0;
  let unknown = 0;
  for (const [type, good] of healthConditions) {
    const found = conditions.find((each) => each.type === type);
    if (found === undefined) {
      unknown += 1;
      lines.push(`* Node.${type}: ${text.notYetReported}`);
      continue;
    }
    if (found.status === good) continue;
    if (found.status === 'Unknown') unknown += 1;
    else failed += 1;
    const message = found.message === '' ? `Condition is ${found.status}` : found.message;
    messages.push(message);
    lines.push(`* Node.${type}: ${message}`);
  }
  const isOneStory = messages.length > 1 && messages.every((message) => message === messages[0]);
  const message = isOneStory ? `* Node.AllConditions: ${messages[0] ?? ''}` : lines.join('\n');
  const state =
    failed > 0
      ? entry('False', reason.nodeNotHealthy, message)
      : unknown > 0
        ? entry('Unknown', reason.nodeHealthyUnknown, message)
        : entry('True', reason.nodeHealthy);
  return { type: condition.nodeHealthy, ...state };
}

/** The deprecated `NodeHealthy`; null leaves it as it is. */
export function oldNodeHealthy(facts: MachineFacts): V1Beta1Condition | null {
  const { node, machine, status, infrastructure } = facts;
  const type = oldCondition.nodeHealthy;
  const isFalse = (severity: string, why: string, message = ''): V1Beta1Condition => ({
    type,
    status: 'False',
    severity,
    reason: why,
    message,
  });
  switch (node.kind) {
    case 'unsought':
      return machine.providerId === '' ? isFalse('Info', oldReason.waitingForNodeRef) : null;
    case 'ambiguous':
      return { type, status: 'Unknown', reason: oldReason.nodeInspectionFailed, message: text.nodeInspectionFailed };
    case 'missing':
      if (isDeleting(facts)) return null;
      if (status.nodeRef !== undefined) return isFalse('Error', oldReason.nodeNotFound);
      return isFalse('Warning', oldReason.nodeProvisioning, text.nodeProvisioning);
    case 'found':
      if (infrastructure.kind !== 'found' || infrastructure.isDeleting) return isFalse('Info', oldReason.deleting);
      return { type, ...oldHealth(node) };
    default:
      return null;
  }
}

/** True with up to three unknown conditions, as readers of this list have always seen it. */
function oldHealth({ conditions }: FoundNode): Omit<V1Beta1Condition, 'type'> {
  const bad = conditions.filter(({ type, status }) => {
    const good = healthConditions.find(([name]) => name === type)?.[1];
    return good !== undefined && status !== good;
  });
  const message = bad.map(({ type, status }) => `Node condition ${type} is ${status}`).join('. ');
  const unknown = bad.filter(({ status }) => status === 'Unknown').length;
  if (unknown < bad.length)
    return { status: 'False', severity: 'Warning', reason: oldReason.nodeConditionsFailed, message };
  if (unknown < healthConditions.length) return { status: 'True' };
  return { status: 'Unknown', reason: oldReason.nodeConditionsFailed, message };
}
