import { describe, expect, test } from '@jest/globals';
import { createDaemonSets } from '../../../src/controllers/machine/drain/daemon-sets.js';
import { ApiError, type ApiClient, type ApiFailureKind } from '../../../src/kube/contract.js';

interface Call {
  readonly what: string;
  readonly signal: AbortSignal;
  answer(failure?: ApiFailureKind): void;
}

function scene(): {
  calls: Call[];
  clock: { nowMs: number; monotonicMs(): number };
  ask(name: string, cluster?: string, signal?: AbortSignal): Promise<unknown>;
} {
  const calls: Call[] = [];
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const daemonSets = createDaemonSets(clock);
  const get = ({ namespace, name }: { namespace: string; name: string }, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const fail = (kind: ApiFailureKind): void => {
        const target = { kind: 'DaemonSet', namespace, name };
        reject(
          new ApiError({ kind, status: null, reason: '', message: 'no', retryAfterMs: null, verb: 'get', target }),
        );
      };
      signal.addEventListener('abort', () => fail('Aborted'));
      calls.push({
        what: `${namespace}/${name}`,
        signal,
        answer: (failure) => (failure === undefined ? resolve({}) : fail(failure)),
      });
    });
  const client = { get } as unknown as Pick<ApiClient, 'get'>;
  return {
    calls,
    clock,
    ask: (name, cluster = 'c1', signal = new AbortController().signal) =>
      daemonSets({ client, cluster, namespace: 'kube-system', name, signal }),
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('DaemonSets that drains ask about', () => {
  test('a hundred drains that ask at once about twelve -> twelve calls', async () => {
    const { calls, ask } = scene();
    const names = Array.from({ length: 12 }, (_, at) => `d${at}`);
    const answers = Promise.all(Array.from({ length: 100 }, () => Promise.all(names.map((name) => ask(name)))));
    await settled();
    expect(calls).toHaveLength(12);
    calls.forEach((call, at) => call.answer(at === 3 ? 'NotFound' : undefined));
    const [first, ...others] = await answers;
    expect(first?.map(String)).toEqual(names.map((_, at) => (at === 3 ? 'missing' : 'exists')));
    expect(others.every((each) => String(each) === String(first))).toBe(true);
  });

  test('an answer -> counts for some seconds, then is asked for again', async () => {
    const { calls, clock, ask } = scene();
    const first = ask('d');
    calls[0]?.answer();
    expect(await first).toBe('exists');
    clock.nowMs = 4_999;
    expect(await ask('d')).toBe('exists');
    expect(calls).toHaveLength(1);
    clock.nowMs = 5_000;
    const second = ask('d');
    calls[1]?.answer('NotFound');
    expect(await second).toBe('missing');
  });

  test('the same name in another cluster -> another answer', async () => {
    const { calls, ask } = scene();
    const answers = Promise.all([ask('d', 'c1'), ask('d', 'c2')]);
    calls[0]?.answer();
    calls[1]?.answer('NotFound');
    expect(await answers).toEqual(['exists', 'missing']);
  });

  test('a failure to read -> told to those who waited for it, and not remembered', async () => {
    const { calls, ask } = scene();
    const first = [ask('d'), ask('d')];
    calls[0]?.answer('Forbidden');
    const problem = { problem: 'failed to get DaemonSet kube-system/d: no' };
    expect(await Promise.all(first)).toEqual([problem, problem]);
    const later = ask('d');
    calls[1]?.answer();
    expect(await later).toBe('exists');
  });

  test('the drain that asks is given up -> the next one asks for itself', async () => {
    const { calls, ask } = scene();
    const controller = new AbortController();
    const first = ask('d', 'c1', controller.signal);
    const second = ask('d');
    controller.abort();
    await expect(first).rejects.toThrow('no');
    await settled();
    calls[1]?.answer();
    expect(await second).toBe('exists');
  });

  test('a drain that waits for another is given up -> it ends at once', async () => {
    const { calls, ask } = scene();
    const controller = new AbortController();
    const first = ask('d');
    const second = ask('d', 'c1', controller.signal);
    controller.abort();
    await expect(second).rejects.toThrow('the drain was given up');
    calls[0]?.answer();
    expect(await first).toBe('exists');
  });
});
