// Where acts take place: requests of people and other controllers, past the operators' network.
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import type { Stage } from './acts.js';
import type { createJudge } from './judge.js';
import type { Truth } from './mirror.js';
import { base64, decoded, NAMESPACE, pathOf } from './objects.js';
import type { Plan } from './plan.js';
import type { Trace } from './trace.js';
import type { VirtualTime } from './virtual-time.js';
import type { MovingWorkloads } from './workloads.js';

/** The stage of a run; `exempt` gets the Machines that need no node. */
export function createStage(given: {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly truth: Truth;
  readonly judge: ReturnType<typeof createJudge>;
  readonly management: EmbeddedApiServer;
  readonly workloads: MovingWorkloads;
  readonly exempt: Set<string>;
  readonly trace: Trace;
}): Stage {
  const { time, truth, judge, management, workloads, exempt, trace } = given;
  const callOn = async (
    server: EmbeddedApiServer,
    method: string,
    url: string,
    options: { readonly body?: object | undefined; readonly token?: string },
  ): Promise<number> => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const authorization = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    const headers = {
      accept: 'application/json',
      'content-type': contentType,
      'user-agent': 'somebody',
      ...authorization,
    };
    const { status, body: text } = await server.handle({
      method,
      url,
      headers,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    trace.line(`somebody: ${method} ${url} -> ${status}`);
    if (status === 400 || status === 422)
      throw new Error(`the simulation wrote nonsense: ${method} ${url}: ${String(text)}`);
    return status;
  };
  const call = (method: string, path: string, body?: object): Promise<number> =>
    callOn(management, method, path, { body });
  return {
    time,
    truth,
    judge,
    call,
    async moveWorkload(cluster) {
      const secret = truth.get('secrets', `${cluster}-kubeconfig`);
      const moved = secret === undefined ? null : workloads.move({ namespace: NAMESPACE, name: cluster });
      if (secret === undefined || moved === null) return;
      const value = base64(decoded(secret.data?.['value']).replace(moved.from, moved.to));
      await call('PATCH', pathOf(secret, secret.metadata.name), { data: { value } });
      judge.onMoved(moved.from);
    },
    async callWorkload(cluster, method, path, body) {
      const name = { namespace: NAMESPACE, name: cluster };
      const server = workloads.server(name);
      const token = /token: (\S+)/.exec(workloads.find(name)?.kubeconfig ?? '')?.[1];
      return server === undefined || token === undefined ? 0 : callOn(server, method, path, { body, token });
    },
    workload: (cluster, resource, key) => judge.machines.workload(cluster, resource, key),
    hasMachines: given.plan.world.machines,
    exempt: (machine) => void exempt.add(machine),
    note: (text) => trace.line(`somebody: ${text}`),
  };
}
