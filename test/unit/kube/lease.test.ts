import { afterEach, describe, expect, test } from '@jest/globals';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import type { EmbeddedApiServer, RequestFault, RequestInfo } from '../../../src/embedded/types.js';
import { createInProcessClient } from '../../../src/kube/in-process-client.js';
import { createLeaseElector, leaseHolder, leaseIdentity, type LeaseElector } from '../../../src/kube/lease-elector.js';
import { microTime, type Lease } from '../../../src/kube/lease-state.js';
import { createTestClock, fixedRandom, type TestClock } from './test-clock.js';

interface Contender {
  readonly elector: LeaseElector;
  readonly log: string[];
}

interface World {
  readonly clock: TestClock;
  readonly server: EmbeddedApiServer;
  readonly requests: { user: string; verb: string; atMs: number }[];
  contender(name: string): Contender;
  lease(): Lease | undefined;
  fail(decide: (info: RequestInfo) => RequestFault | undefined): void;
}

const worlds: { readonly server: EmbeddedApiServer; readonly electors: LeaseElector[]; readonly clock: TestClock }[] =
  [];
afterEach(async () => {
  for (const { server, electors, clock } of worlds.splice(0)) {
    server.setFaults(undefined);
    const stopping = electors.map((elector) => elector.stop());
    await clock.advance(10_000);
    await Promise.all(stopping);
    await server.close();
  }
});

function createWorld(): World {
  const clock = createTestClock();
  const requests: World['requests'] = [];
  const server = createEmbeddedApiServer({
    clock,
    random: fixedRandom(),
    onRequest: ({ userAgent, verb, resource }) => {
      if (resource === 'leases') requests.push({ user: userAgent, verb, atMs: clock.monotonicMs() });
    },
  });
  const electors: LeaseElector[] = [];
  worlds.push({ server, electors, clock });
  return {
    clock,
    server,
    requests,
    contender(name) {
      const log: string[] = [];
      const elector = createLeaseElector({
        client: createInProcessClient({ handle: server.handle, clock, timeoutMs: 5_000, userAgent: name }),
        namespace: 'default',
        name: 'lock',
        identity: name,
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2_000,
        clock,
        random: fixedRandom(0.5),
        onAcquired: () => log.push(`acquired@${clock.monotonicMs()}`),
        onLost: () => log.push(`lost@${clock.monotonicMs()}`),
        observer: {
          onHolder: (holder) => log.push(`holder ${holder}`),
          onFailure: ({ kind }) => log.push(`failure ${kind}`),
        },
      });
      electors.push(elector);
      return { elector, log };
    },
    lease: () => server.store.get('leases.coordination.k8s.io', 'default', 'lock') as Lease | undefined,
    fail: (decide) => server.setFaults({ request: decide }),
  };
}

describe('lease: one contender', () => {
  test('no Lease -> created and held, with the fields that other programs read', async () => {
    const { clock, contender, lease } = createWorld();
    const { elector, log } = contender('a');
    elector.start();
    await clock.settle();
    expect([log, elector.isLeader()]).toEqual([['acquired@0'], true]);
    expect(lease()?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: microTime(clock.nowMs()),
      renewTime: microTime(clock.nowMs()),
    });
    expect(microTime(1_700_000_000_123)).toBe('2023-11-14T22:13:20.123000Z');
  });

  test('held -> renewed every 2 s by one write each, nothing is read', async () => {
    const { clock, contender, requests, lease } = createWorld();
    contender('a').elector.start();
    await clock.advance(60_000);
    const later = requests.filter(({ atMs }) => atMs > 0).map(({ verb }) => verb);
    expect(later).toEqual(Array(30).fill('update'));
    expect(lease()?.spec).toMatchObject({
      acquireTime: microTime(clock.nowMs() - 60_000),
      renewTime: microTime(clock.nowMs()),
    });
  });

  test('write gate -> open while renewed, closed by the clock at the renew deadline, before any timer', async () => {
    const { clock, contender, fail } = createWorld();
    const { elector, log } = contender('a');
    expect(elector.remainingMs()).toBe(0);
    elector.start();
    await clock.advance(4_000);
    expect(elector.remainingMs()).toBe(15_000);
    fail(({ resource }) => (resource === 'leases' ? { kind: 'status', code: 503 } : undefined));
    await clock.advance(9_999);
    expect([elector.remainingMs(), elector.isLeader()]).toEqual([5_001, true]);
    await clock.advance(1);
    expect([elector.remainingMs(), elector.isLeader(), log.at(-1)]).toEqual([0, false, 'lost@14000']);
  });

  test('process that was stopped past the renew deadline -> lost when it wakes, without one more request', async () => {
    const { clock, contender, requests } = createWorld();
    const { elector, log } = contender('a');
    elector.start();
    await clock.advance(4_500);
    const sent = requests.length;
    clock.pause(60_000);
    expect(elector.remainingMs()).toBe(0);
    await clock.advance(30_000);
    expect(requests.slice(sent)).toEqual([]);
    expect(log.filter((line) => line.startsWith('lost'))).toEqual(['lost@64500']);
  });

  test('server that does not answer -> lost at the renew deadline, told once', async () => {
    const { clock, contender, fail } = createWorld();
    const { elector, log } = contender('a');
    elector.start();
    await clock.advance(2_000);
    fail(({ resource }) => (resource === 'leases' ? { kind: 'hang-before' } : undefined));
    await clock.advance(60_000);
    expect(log.filter((line) => line.startsWith('lost'))).toEqual(['lost@12000']);
  });

  test('one renewal whose answer is lost -> still held, with a read in between', async () => {
    const { clock, contender, fail, requests } = createWorld();
    const { elector, log } = contender('a');
    elector.start();
    await clock.advance(1_000);
    let dropped = false;
    fail(({ verb }) => {
      if (verb !== 'update' || dropped) return undefined;
      dropped = true;
      return { kind: 'drop-after' };
    });
    await clock.advance(10_000);
    expect([
      elector.isLeader(),
      log.filter((line) => line.startsWith('lost')),
      requests.filter(({ verb }) => verb === 'get').length,
    ]).toEqual([true, [], 2]);
  });

  test('somebody else wrote into the held Lease without taking it -> still held', async () => {
    const { clock, contender, server, lease } = createWorld();
    const { elector } = contender('a');
    elector.start();
    await clock.advance(1_000);
    const client = createInProcessClient({ handle: server.handle, clock });
    const target = {
      resource: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true },
      namespace: 'default',
      name: 'lock',
    };
    await client.mergePatch(target, { metadata: { labels: { a: 'b' } } });
    await clock.advance(20_000);
    expect([elector.isLeader(), lease()?.metadata.labels]).toEqual([true, { a: 'b' }]);
  });

  test('Lease taken from us -> lost at the next renewal', async () => {
    const { clock, contender, server } = createWorld();
    const { elector, log } = contender('a');
    elector.start();
    await clock.advance(1_000);
    const client = createInProcessClient({ handle: server.handle, clock });
    const target = {
      resource: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true },
      namespace: 'default',
      name: 'lock',
    };
    await client.mergePatch(target, { spec: { holderIdentity: 'thief' } });
    await clock.advance(2_000);
    expect([elector.isLeader(), log.at(-1)]).toEqual([false, 'lost@2000']);
  });

  test('Lease deleted under us -> created again, never lost', async () => {
    const { clock, contender, server, lease } = createWorld();
    const { elector, log } = contender('a');
    elector.start();
    await clock.advance(1_000);
    await createInProcessClient({ handle: server.handle, clock }).delete({
      resource: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true },
      namespace: 'default',
      name: 'lock',
    });
    await clock.advance(2_000);
    expect([lease()?.spec?.holderIdentity, log]).toEqual(['a', ['acquired@0']]);
  });
});

describe('lease: two contenders', () => {
  test('released -> the other has it at once', async () => {
    const { clock, contender, lease } = createWorld();
    const [one, two] = [contender('one'), contender('two')];
    one.elector.start();
    await clock.settle();
    two.elector.start();
    await clock.advance(30_500);
    expect([two.elector.isLeader(), two.log]).toEqual([false, ['holder one']]);
    await one.elector.stop();
    await clock.settle();
    expect([two.elector.isLeader(), two.log.at(-1), one.elector.remainingMs()]).toEqual([true, 'acquired@30500', 0]);
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  test('holder that died -> the other has it when the Lease has run out on its own clock, not before', async () => {
    const { clock, contender, fail } = createWorld();
    const [one, two] = [contender('one'), contender('two')];
    one.elector.start();
    await clock.settle();
    two.elector.start();
    await clock.advance(20_000);
    fail(({ userAgent }) => (userAgent === 'one' ? { kind: 'drop-before' } : undefined));
    await clock.advance(14_000);
    expect(two.elector.isLeader()).toBe(false);
    await clock.advance(6_000);
    expect([one.elector.isLeader(), two.elector.isLeader()]).toEqual([false, true]);
    const lostAt = Number(one.log.find((line) => line.startsWith('lost'))?.slice(5));
    const acquiredAt = Number(two.log.find((line) => line.startsWith('acquired'))?.slice(9));
    expect(lostAt).toBeLessThanOrEqual(acquiredAt);
  });

  test('holder whose clock is an hour behind -> is not robbed', async () => {
    const { clock, contender, server } = createWorld();
    const client = createInProcessClient({ handle: server.handle, clock });
    const target = {
      resource: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true },
      namespace: 'default',
      name: 'lock',
    };
    const spec = (): object => ({
      holderIdentity: 'slow',
      leaseDurationSeconds: 15,
      acquireTime: microTime(clock.nowMs() - 3_600_000),
      renewTime: microTime(clock.nowMs() - 3_600_000),
      leaseTransitions: 3,
    });
    await client.create(target.resource, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'lock', namespace: 'default' },
      spec: spec(),
    });
    const { elector } = contender('a');
    elector.start();
    for (let round = 0; round < 20; round += 1) {
      await clock.advance(2_000);
      await client.mergePatch(target, { spec: spec() });
    }
    expect(elector.isLeader()).toBe(false);
    await clock.advance(20_000);
    expect(elector.isLeader()).toBe(true);
  });

  test('no permission to watch -> handed over all the same, within a retry period', async () => {
    const { clock, contender, fail } = createWorld();
    fail(({ verb }) => (verb === 'watch' || verb === 'list' ? { kind: 'status', code: 403 } : undefined));
    const [one, two] = [contender('one'), contender('two')];
    one.elector.start();
    await clock.settle();
    two.elector.start();
    await clock.advance(20_000);
    await one.elector.stop();
    await clock.advance(4_400);
    expect(two.elector.isLeader()).toBe(true);
  });

  test('many start at once -> one leader', async () => {
    const { clock, contender } = createWorld();
    const all = Array.from({ length: 10 }, (_, index) => contender(`c${index}`));
    for (const { elector } of all) elector.start();
    await clock.advance(30_000);
    expect(all.filter(({ elector }) => elector.isLeader())).toHaveLength(1);
    expect(all.flatMap(({ log }) => log.filter((line) => line.startsWith('acquired')))).toHaveLength(1);
  });
});

describe('lease: stopping', () => {
  test('server that does not answer -> stops within two seconds', async () => {
    const { clock, contender, fail } = createWorld();
    const { elector } = contender('a');
    elector.start();
    await clock.advance(1_000);
    fail(() => ({ kind: 'hang-before' }));
    await clock.advance(1_500);
    let stopped = false;
    void elector.stop().then(() => (stopped = true));
    await clock.advance(2_000);
    expect(stopped).toBe(true);
  });

  test('standby -> leaves the Lease alone', async () => {
    const { clock, contender, lease } = createWorld();
    const [one, two] = [contender('one'), contender('two')];
    one.elector.start();
    await clock.settle();
    two.elector.start();
    await clock.advance(5_000);
    await two.elector.stop();
    expect(lease()?.spec?.holderIdentity).toBe('one');
  });
});

describe('lease: looking', () => {
  test('held, run out, released and absent -> its holder, or null', async () => {
    const { clock, contender, server } = createWorld();
    const client = createInProcessClient({ handle: server.handle, clock });
    const look = (nowMs = clock.nowMs()): Promise<string | null> =>
      leaseHolder(client, { namespace: 'default', name: 'lock' }, { nowMs, signal: new AbortController().signal });
    expect(await look()).toBeNull();
    const { elector } = contender('a');
    elector.start();
    await clock.settle();
    expect([await look(), await look(clock.nowMs() + 15_001)]).toEqual(['a', null]);
    await elector.stop();
    expect(await look()).toBeNull();
  });

  test('identity -> host name and random digits', () => {
    expect(leaseIdentity('host', fixedRandom())).toBe('host_07070707-0707-0707-0707-070707070707');
  });
});
