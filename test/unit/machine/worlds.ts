// Worlds that end with their test, and the faults that tests put into them.
import { afterEach } from '@jest/globals';
import type { Settings } from '../../../src/controllers/machine/ports.js';
import type { FaultPlan, RequestFault, RequestInfo } from '../../../src/embedded/types.js';
import { putCluster } from './objects.js';
import { createWorld, type Operator, type World, type WorldOptions } from './world.js';

/** A world with a running operator. */
export interface Started {
  readonly world: World;
  readonly operator: Operator;
}

interface StartOptions extends WorldOptions {
  readonly settings?: Partial<Settings>;
  /** What the Cluster `c1` has beside the usual; null for no Cluster. */
  readonly cluster?: Readonly<Record<string, unknown>> | null;
}

/** Gives what starts worlds with a Cluster; their operators end with the test. */
export function useWorlds(): (options?: StartOptions) => Promise<Started> {
  const operators: Operator[] = [];
  afterEach(() => {
    for (const operator of operators.splice(0)) operator.kill();
  });
  return async ({ settings, cluster = {}, ...options } = {}) => {
    const world = createWorld(options);
    const operator = await world.start(settings);
    operators.push(operator);
    if (cluster !== null) await putCluster(world, cluster);
    await world.settle();
    return { world, operator };
  };
}

/** Breaks some calls of the operator. */
export function breaking(matches: (info: RequestInfo) => boolean, fault: RequestFault): FaultPlan {
  return {
    request: (info) =>
      info.userAgent.startsWith('operator-under-test') && info.isResource && matches(info) ? fault : undefined,
  };
}

/** Calls of one verb on one kind. */
export const calls =
  (verb: string, resource: string, subresource = '') =>
  (info: RequestInfo): boolean =>
    info.verb === verb && info.resource === resource && info.subresource === subresource;

/** What the operator wrote, in order. */
export function writesOf({ seen }: World): readonly string[] {
  return seen
    .filter(({ verb, status }) => !['get', 'list', 'watch'].includes(verb) && status < 400)
    .map(({ verb, what }) => `${verb} ${what}`);
}

/** The rows that decided about a Machine, in order. */
export function rowsOf({ transitions }: Operator, name = 'w-0'): readonly string[] {
  return transitions.filter(({ key }) => key === `default/${name}`).map(({ row }) => row);
}

/** The state in which a Machine rests. */
export function stateOf({ host }: Operator, name = 'w-0'): unknown {
  return host.rest(`default/${name}`)?.rest.value;
}

/** In how many milliseconds a Machine is looked at again; null for not by itself. */
export function againInMs({ clock }: World, { host }: Operator, name = 'w-0'): number | null {
  const wakeAtMs = host.rest(`default/${name}`)?.rest.context.wakeAtMs ?? null;
  return wakeAtMs === null ? null : wakeAtMs - clock.nowMs();
}

/** Messages of the errors that were logged. */
export function errorsOf({ logs }: Operator): readonly string[] {
  return logs
    .filter(({ severity, msg }) => severity === 'error' && msg === 'Reconciler error')
    .map(({ err }) => String(err));
}
