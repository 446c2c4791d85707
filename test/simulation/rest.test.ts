// A settled world is silent: three hundred KubeadmConfigs, a minute of simulated time, and every request looked at.
import { describe, expect, jest, test } from '@jest/globals';
import { makeCas, namesOf } from '../bench/system/manifests.js';
import { initialize, populate, provision } from '../bench/system/world.js';
import { createWorld } from '../unit/kubeadmconfig/world.js';

jest.setTimeout(120_000);

const clusters = namesOf(60, 4);
const configs = 300;

describe('rest', () => {
  test('300 settled KubeadmConfigs: a minute passes -> no request but watches; a restart writes nothing', async () => {
    const world = createWorld();
    // Shorter than the minute, so that the period brings each of them a pass, too.
    const operator = await world.start({ syncPeriodMs: 50_000 });
    await populate(world.user, clusters, { cas: await makeCas(), kubeconfig: 'working' });
    await world.settle(operator);
    await provision(world.user, clusters);
    await world.settle(operator);
    await initialize(world.user, clusters, 0);
    await world.settle(operator);
    const states = operator.host.keys().map((key) => operator.host.rest(key)?.rest.value);
    expect(states).toHaveLength(configs);
    expect(new Set(states)).toEqual(new Set(['Done', 'TokenMonitoring']));

    const requests: string[] = [];
    world.setFaults({
      request: ({ verb, path, userAgent }) => {
        if (verb !== 'watch' && userAgent !== 'somebody') requests.push(`${verb} ${path}`);
        return undefined;
      },
    });
    const passes = operator.transitions.length;
    await world.clock.advance(60_000);
    await world.settle(operator);
    expect(requests).toEqual([]);
    expect(operator.transitions.length - passes).toBeGreaterThanOrEqual(configs);

    await operator.stop();
    const again = await world.start();
    await world.settle(again);
    await world.clock.advance(60_000);
    await world.settle(again);
    expect(again.host.keys()).toHaveLength(configs);
    expect(requests.filter((request) => !request.startsWith('list '))).toEqual([]);
    await again.stop();
  });
});
