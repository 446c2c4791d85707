// Cells of `kubectl get`: paths of CustomResourceDefinitions, ages in words, and the columns of built-in kinds.
import { at, isObject, listAt, textAt } from '../json.js';
import type { ApiObject } from '../types.js';
import type { Column } from './definition.js';

/** Every table starts with the name. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  cell: (object) => object.metadata.name,
};

/** The age as built-in kinds show it. */
export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  cell: (object, nowMs) => age(object.metadata.creationTimestamp, nowMs),
};

/** A column of a CustomResourceDefinition. */
export function pathColumn(spec: Readonly<Record<string, unknown>>): Column {
  const type = textAt(spec, 'type');
  const path = compilePath(textAt(spec, 'jsonPath'));
  return {
    name: textAt(spec, 'name'),
    type,
    ...(typeof spec.format === 'string' ? { format: spec.format } : {}),
    ...(typeof spec.description === 'string' ? { description: spec.description } : {}),
    ...(typeof spec.priority === 'number' ? { priority: spec.priority } : {}),
    cell(object, nowMs) {
      const value = path(object);
      if (value === undefined || value === null) return null;
      return type === 'date' ? age(String(value), nowMs) : cellOf(value, type);
    },
  };
}

function cellOf(value: unknown, type: string): unknown {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}

type Step = (value: unknown) => unknown;

const pathToken =
  /\.([A-Za-z0-9_-]+)|\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]|\[\?\(@\.([A-Za-z0-9_.]+)\s*==\s*["']([^"']*)["']\)\]/y;

/** Compiles the subset of JSONPath that column definitions use: members, indexes, and a filter by equality. */
export function compilePath(path: string): (object: unknown) => unknown {
  const steps: Step[] = [];
  pathToken.lastIndex = 0;
  let position = 0;
  while (position < path.length) {
    const match = pathToken.exec(path);
    if (match === null) return () => undefined;
    position = pathToken.lastIndex;
    const [, member, quoted, index, filterKey, filterValue] = match;
    const key = member ?? quoted?.replace(/\\(.)/g, '$1');
    if (key !== undefined) steps.push((value) => (isObject(value) ? value[key] : undefined));
    else if (index !== undefined) steps.push((value) => (Array.isArray(value) ? value[Number(index)] : undefined));
    else if (filterKey !== undefined) steps.push(filterStep(filterKey.split('.'), filterValue ?? ''));
  }
  return (object) => steps.reduce((value, step) => step(value), object);
}

function filterStep(path: readonly string[], wanted: string): Step {
  return (value) => (Array.isArray(value) ? value.find((item) => at(item, ...path) === wanted) : undefined);
}

/** The time since a timestamp as Kubernetes words it. */
export function age(timestamp: string | undefined, nowMs: number): string {
  const then = timestamp === undefined ? NaN : Date.parse(timestamp);
  return Number.isNaN(then) ? '<unknown>' : humanDuration(nowMs - then);
}

function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

function text(name: string, cell: Column['cell'], priority?: number): Column {
  return { name, type: 'string', cell, ...(priority === undefined ? {} : { priority }) };
}

function count(name: string, cell: Column['cell']): Column {
  return { name, type: 'integer', cell };
}

function size(value: unknown): number {
  return isObject(value) ? Object.keys(value).length : 0;
}

function podReady(object: ApiObject): string {
  const statuses = listAt(object, 'status', 'containerStatuses');
  const ready = statuses.filter((status) => at(status, 'ready') === true).length;
  return `${ready}/${listAt(object, 'spec', 'containers').length}`;
}

function nodeStatus(object: ApiObject): string {
  const conditions = listAt(object, 'status', 'conditions');
  const ready = conditions.find((condition) => at(condition, 'type') === 'Ready');
  const word = ready === undefined ? 'Unknown' : at(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(object, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

function nodeRoles(object: ApiObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(object.metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return roles.length === 0
    ? '<none>'
    : roles
        .map((label) => label.slice(prefix.length))
        .sort()
        .join(',');
}

function eventLastSeen(object: ApiObject, nowMs: number): string {
  return age(
    textAt(object, 'lastTimestamp') || textAt(object, 'eventTime') || object.metadata.creationTimestamp,
    nowMs,
  );
}

/** Columns of built-in kinds between name and age; kinds that are not here show these two. */
export const builtinColumns: Readonly<Record<string, readonly Column[]>> = {
  secrets: [text('Type', (object) => textAt(object, 'type')), count('Data', (object) => size(object.data))],
  configmaps: [count('Data', (object) => size(object.data) + size(object.binaryData))],
  namespaces: [text('Status', (object) => textAt(object, 'status', 'phase'))],
  nodes: [
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    text('Version', (object) => textAt(object, 'status', 'nodeInfo', 'kubeletVersion')),
  ],
  pods: [
    text('Ready', podReady),
    text('Status', (object) => (object.metadata.deletionTimestamp ? 'Terminating' : textAt(object, 'status', 'phase'))),
    text('Node', (object) => textAt(object, 'spec', 'nodeName') || '<none>', 1),
  ],
  leases: [text('Holder', (object) => textAt(object, 'spec', 'holderIdentity'))],
  poddisruptionbudgets: [
    text('Min Available', (object) => String(at(object, 'spec', 'minAvailable') ?? 'N/A')),
    text('Max Unavailable', (object) => String(at(object, 'spec', 'maxUnavailable') ?? 'N/A')),
    count('Allowed Disruptions', (object) => at(object, 'status', 'disruptionsAllowed') ?? 0),
  ],
};

/** Events start with when they were last seen and have no name column. */
export const eventColumns: readonly Column[] = [
  text('Last Seen', eventLastSeen),
  text('Type', (object) => textAt(object, 'type')),
  text('Reason', (object) => textAt(object, 'reason')),
  text(
    'Object',
    (object) => `${textAt(object, 'involvedObject', 'kind').toLowerCase()}/${textAt(object, 'involvedObject', 'name')}`,
  ),
  text('Message', (object) => textAt(object, 'message').trim()),
];

/** Definitions show when they were created, not how old they are. */
export const definitionColumns: readonly Column[] = [
  nameColumn,
  { name: 'Created At', type: 'date', cell: (object) => object.metadata.creationTimestamp ?? null },
];
