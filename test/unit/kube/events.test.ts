import { describe, expect, test } from '@jest/globals';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import type { EmbeddedApiServer, RequestFault, RequestInfo } from '../../../src/embedded/types.js';
import { createEventRecorder, type EventNote, type EventRecorder } from '../../../src/kube/event-recorder.js';
import { createInProcessClient } from '../../../src/kube/in-process-client.js';
import { createTestClock, fixedRandom, type TestClock } from './test-clock.js';

const object = {
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfig',
  namespace: 'default',
  name: 'c1',
  uid: 'u1',
};
const note = (more: Partial<EventNote> = {}): EventNote => ({
  object,
  type: 'Warning',
  reason: 'Waiting',
  message: 'for the lock',
  ...more,
});

interface StoredEvent {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly count: number;
  readonly message: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

function createWorld(): {
  clock: TestClock;
  recorder: EventRecorder;
  server: EmbeddedApiServer;
  events: () => StoredEvent[];
  dropped: string[];
  requests: string[];
  fail(decide: (info: RequestInfo) => RequestFault | undefined): void;
} {
  const clock = createTestClock();
  const requests: string[] = [];
  const server = createEmbeddedApiServer({
    clock,
    random: fixedRandom(),
    onRequest: ({ verb }) => requests.push(verb),
  });
  const dropped: string[] = [];
  const recorder = createEventRecorder({
    client: createInProcessClient({ handle: server.handle, clock }),
    clock,
    component: 'kubeadm-bootstrap-operator',
    onDropped: (reason) => dropped.push(reason),
  });
  return {
    clock,
    recorder,
    server,
    dropped,
    requests,
    events: () => server.store.list('events') as unknown as StoredEvent[],
    fail: (request) => server.setFaults({ request }),
  };
}

describe('events', () => {
  test('one -> on the object, with what kubectl describe shows', async () => {
    const { recorder, events, clock } = createWorld();
    recorder.record(note());
    await recorder.flush();
    const at = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z/, 'Z');
    expect(events()).toEqual([
      expect.objectContaining({
        kind: 'Event',
        involvedObject: object,
        type: 'Warning',
        reason: 'Waiting',
        message: 'for the lock',
        count: 1,
        source: { component: 'kubeadm-bootstrap-operator' },
        reportingComponent: 'kubeadm-bootstrap-operator',
        firstTimestamp: at,
        lastTimestamp: at,
        metadata: expect.objectContaining({
          namespace: 'default',
          name: expect.stringMatching(/^c1\.[0-9a-f]+$/) as unknown,
        }) as unknown,
      }),
    ]);
  });

  test('the same again and again -> one object, its count written at most once a minute, none lost', async () => {
    const { recorder, events, clock, requests } = createWorld();
    for (let round = 0; round < 130; round += 1) {
      recorder.record(note());
      await clock.advance(1_000);
    }
    expect(events().map(({ count }) => count)).toEqual([121]);
    expect(requests).toEqual(['create', 'patch', 'patch']);
  });

  test('the same after ten quiet minutes, other texts and other objects -> objects of their own', async () => {
    const { recorder, events, clock } = createWorld();
    recorder.record(note());
    recorder.record(note({ message: 'for the endpoint' }));
    recorder.record(note({ object: { ...object, uid: 'u2' } }));
    await clock.advance(600_000);
    recorder.record(note());
    await recorder.flush();
    expect(events().map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  });

  test('Event that the server forgot -> written anew with its count', async () => {
    const { recorder, events, clock, server } = createWorld();
    recorder.record(note());
    await clock.advance(60_000);
    const name = events()[0]?.metadata.name ?? '';
    const resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
    await createInProcessClient({ handle: server.handle, clock }).delete({ resource, namespace: 'default', name });
    recorder.record(note());
    await recorder.flush();
    expect(events().map(({ count }) => count)).toEqual([2]);
  });

  test('secrets and long texts -> scrubbed and cut', async () => {
    const { recorder, events } = createWorld();
    recorder.record(note({ message: `token abcdef.0123456789abcdef ${'x'.repeat(2_000)}` }));
    await recorder.flush();
    expect(events()[0]?.message).toMatch(/^token abcdef\.\[removed\] x+$/);
    expect(events()[0]?.message).toHaveLength(1_024);
  });

  test('what was recorded about an object -> by its uid, with counts, whether it could be written or not', async () => {
    const { recorder, clock, fail } = createWorld();
    fail(() => ({ kind: 'status', code: 403 }));
    recorder.record(note());
    recorder.record(note({ object: { ...object, uid: 'u2' }, message: 'another object' }));
    await clock.advance(2_000);
    recorder.record(note());
    expect(recorder.about('u1')).toEqual([
      { type: 'Warning', reason: 'Waiting', message: 'for the lock', count: 2, lastAtMs: clock.nowMs() },
    ]);
    expect(recorder.about('u3')).toEqual([]);
  });

  test('object without a namespace -> the Event is in default', async () => {
    const { recorder, events } = createWorld();
    recorder.record(note({ object: { ...object, namespace: '' } }));
    await recorder.flush();
    expect(events()[0]?.metadata.namespace).toBe('default');
  });

  test('server that is away for a while, and an answer that is lost -> written once', async () => {
    const { recorder, events, clock, fail, dropped } = createWorld();
    let round = 0;
    fail(() => [{ kind: 'status', code: 503 } as const, { kind: 'drop-after' } as const, undefined][round++]);
    recorder.record(note());
    await clock.advance(10_000);
    await recorder.flush();
    expect([events().length, dropped]).toEqual([1, []]);
  });

  test('server that does not allow it -> dropped and told, nobody is held up', async () => {
    const { recorder, events, fail, dropped } = createWorld();
    fail(() => ({ kind: 'status', code: 403 }));
    recorder.record(note());
    await recorder.flush();
    expect([events(), dropped]).toEqual([[], ['Forbidden']]);
  });

  test('more than the queue holds -> the rest is dropped and counted', async () => {
    const { recorder, dropped, clock, fail } = createWorld();
    fail(() => ({ kind: 'hang-before' }));
    for (let index = 0; index < 1_100; index += 1) recorder.record(note({ message: String(index) }));
    await clock.settle();
    expect(dropped.length).toBe(99);
    recorder.stop();
    recorder.record(note({ message: 'after the end' }));
    expect(dropped.length).toBe(99);
  });
});
