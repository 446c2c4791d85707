import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import { createMachine as createMachine5 } from 'xstate';
import { WebSocket } from 'ws';
import { LAYOUTS } from '../../src/charts/layouts.js';
import { ALL_TABLES } from '../../src/charts/tables.js';
import { someFacts, someNote, startPage } from './page-fixture.js';

interface Receiver {
  subscribe(next: (event: ReceivedEvent) => void): { unsubscribe(): void };
  subscribe(observer: { next: (event: ReceivedEvent) => void }): { unsubscribe(): void };
}
interface ReceivedEvent {
  readonly type: string;
  readonly sessionId?: string;
  readonly name?: string;
  readonly definition?: string;
  readonly snapshot?: { readonly value: unknown };
  readonly machine?: {
    readonly id: string;
    resolveState(state: unknown): { readonly value: unknown; readonly nextEvents: readonly string[] };
  };
  readonly state?: { readonly value: unknown };
}

const open: (() => Promise<void> | void)[] = [];
const sockets: WebSocket[] = [];

beforeAll(() => {
  // Node 20 has no global WebSocket; both receivers are made for browsers.
  class Remembered extends WebSocket {
    constructor(address: string) {
      super(address);
      sockets.push(this);
    }
  }
  Object.assign(globalThis, { WebSocket: Remembered });
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  for (const close of open.splice(0)) await close();
});

async function start() {
  const { inspector, url } = await startPage();
  open.push(() => inspector.close());
  return { inspector, host: url.replace('http://', '') };
}

/** Collects events until `isEnough`. */
function collect(
  receiver: Receiver,
  isEnough: (events: readonly ReceivedEvent[]) => boolean,
): Promise<readonly ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  return new Promise((resolve) => {
    receiver.subscribe({
      next(event: ReceivedEvent) {
        events.push(event);
        if (isEnough(events)) resolve(events);
      },
    });
  });
}

describe('Stately’s receiver', () => {
  test('a late joiner: actors that were there before -> announced with their snapshot, then live', async () => {
    const { inspector, host } = await start();
    inspector.store.note(someNote('c1-cp-0', 'K37', 'WaitingInfra', 'AcquiringLock'));
    const { createWebSocketReceiver } = (await import('@statelyai/inspect')) as unknown as {
      createWebSocketReceiver(options: { server: string }): Receiver;
    };
    const received = collect(createWebSocketReceiver({ server: `ws://${host}/stately` }), (events) => {
      if (events.length === 1)
        inspector.store.note(someNote('c1-cp-0', 'K40', 'AcquiringLock', 'Initializing', { event: 'LOCK_ACQUIRED' }));
      return events.length >= 3;
    });
    const [actor, event, snapshot] = await received;
    expect(actor).toMatchObject({
      type: '@xstate.actor',
      name: 'team-a/c1-cp-0',
      snapshot: { value: 'AcquiringLock' },
    });
    expect(event).toMatchObject({ type: '@xstate.event', sessionId: 'kubeadmconfig/uid-c1-cp-0' });
    expect(snapshot).toMatchObject({ type: '@xstate.snapshot', snapshot: { value: 'Initializing' } });
    const machine = createMachine5(JSON.parse(actor?.definition ?? '{}') as never);
    expect(Object.keys(machine.states)).toEqual([
      'WaitingInfra',
      'WaitingCPInit',
      'AcquiringLock',
      'Initializing',
      'Joining',
      'TokenMonitoring',
      'Rotating',
      'Done',
    ]);
  });
});

describe('the receiver of @xstate/inspect 0.8', () => {
  test('hello: registered actors and live states -> decoded by its own receiver with XState 4', async () => {
    const { inspector, host } = await start();
    inspector.store.note(someNote('c1-cp-0', 'K37', 'WaitingInfra', 'AcquiringLock'));
    const load = createRequire(new URL('../../visualizations/package.json', import.meta.url));
    const { createWebSocketReceiver } = load('@xstate/inspect') as {
      createWebSocketReceiver(options: { server: string }): Receiver;
    };
    const received = collect(createWebSocketReceiver({ server: `${host}/xstate-inspect` }), (events) => {
      if (events.length === 1)
        inspector.store.note(someNote('c1-cp-0', 'K40', 'AcquiringLock', 'Initializing', { event: 'LOCK_ACQUIRED' }));
      return events.some((event) => event.type === 'service.state');
    });
    const events = await received;
    const registered = events.find((event) => event.type === 'service.register');
    expect(registered?.machine?.id).toBe('kubeadmconfig');
    const resolved = registered?.machine?.resolveState(registered.state);
    expect(resolved?.value).toBe('AcquiringLock');
    expect(resolved?.nextEvents).toEqual(expect.arrayContaining(['OBSERVED', 'LOCK_ACQUIRED', 'LOCK_HELD']));
    expect(events.find((event) => event.type === 'service.state')?.state?.value).toBe('Initializing');
  });
});

describe('viewers', () => {
  test('remote control and garbage: frames of a viewer -> ignored, the next viewer is served', async () => {
    const { inspector, host } = await start();
    inspector.store.note(someNote('c1-cp-0', 'K37', 'WaitingInfra', 'AcquiringLock'));
    const bad = new WebSocket(`ws://${host}/xstate-inspect`);
    await new Promise((resolve) => bad.once('open', resolve));
    bad.send('{"type":"xstate.event","service":"kubeadmconfig/uid-c1-cp-0","event":"{\\"name\\":\\"DATA_STORED\\"}"}');
    bad.send('not JSON');
    bad.send(JSON.stringify({ type: 'xstate.inspecting' }));
    const frame = await new Promise<string>((resolve) => bad.once('message', (data) => resolve(String(data))));
    expect(JSON.parse(frame)).toMatchObject({ type: 'service.register' });
    expect(inspector.store.rows()[0]).toMatchObject({ state: 'AcquiringLock', transitions: 1 });
    bad.terminate();
  });

  test('a canary: secrets in facts and errors -> in no frame, answer or export', async () => {
    const { inspector, host } = await start();
    const canary = 'abcdef.0123456789abcdef';
    const facts = someFacts('c1', true, {
      token: canary,
      kubeconfig: canary,
      failure: { kind: 'Api', message: `token ${canary} refused` },
      owner: `Machine ${canary}`,
    });
    const stately = new WebSocket(`ws://${host}/stately`);
    const old = new WebSocket(`ws://${host}/xstate-inspect`);
    const frames: string[] = [];
    for (const socket of [stately, old]) socket.on('message', (data) => frames.push(String(data)));
    await Promise.all([stately, old].map((socket) => new Promise((resolve) => socket.once('open', resolve))));
    old.send(JSON.stringify({ type: 'xstate.inspecting' }));
    const isEnough = new Promise<void>((resolve) => {
      stately.on('message', () => frames.filter((frame) => frame.includes('@xstate.snapshot')).length > 0 && resolve());
    });
    inspector.store.note(someNote('c1-cp-0', 'K37', 'WaitingInfra', 'AcquiringLock', { facts }));
    await isEnough;
    const paths = [
      '/api/charts',
      '/api/actors/kubeadmconfig/uid-c1-cp-0',
      '/api/actors/kubeadmconfig/uid-c1-cp-0/history.json',
      '/api/timeline?ns=team-a&cluster=c1',
      '/text',
      ...['svg', 'mmd', 'puml', 'scxml', 'json'].map((extension) => `/charts/kubeadmconfig.${extension}`),
    ];
    const bodies = await Promise.all(paths.map(async (path) => (await fetch(`http://${host}${path}`)).text()));
    expect(bodies.every((body) => body.length > 0)).toBe(true);
    expect([...frames, ...bodies].join('\n')).not.toContain('0123456789abcdef');
    stately.terminate();
    old.terminate();
  });

  test('layouts: every machine -> has a finished one', () => {
    for (const table of ALL_TABLES) expect(LAYOUTS[table.id]?.width).toBeGreaterThan(100);
  });
});
