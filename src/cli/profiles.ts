// Profiles of the running process, taken by V8 and in its formats: .cpuprofile and .heapprofile, which browsers' developer tools open.
//
// Both name functions, places and sizes. A heap snapshot, which holds every text of the process, secrets included, is not offered.

import { Session } from 'node:inspector';
import type { Clock } from '../host/contract.js';

/** What can be profiled. */
export type ProfileKind = 'profile' | 'heap';

/** Takes a profile over a time; ends early with the signal. One at a time: null while another one runs. */
export type TakeProfile = (kind: ProfileKind, ms: number, signal: AbortSignal) => Promise<string | null>;

/** A profiler of this process. */
export function createProfiler(clock: Pick<Clock, 'schedule'>): TakeProfile {
  let isBusy = false;
  return async (kind, ms, signal) => {
    if (isBusy) return null;
    isBusy = true;
    const session = new Session();
    try {
      session.connect();
      return await (kind === 'profile' ? processor : heap)(session, () => waited(clock, ms, signal));
    } finally {
      session.disconnect();
      isBusy = false;
    }
  };
}

async function processor(session: Session, wait: () => Promise<void>): Promise<string> {
  await post(session, 'Profiler.enable');
  await post(session, 'Profiler.start');
  await wait();
  const { profile } = (await post(session, 'Profiler.stop')) as { readonly profile: unknown };
  return JSON.stringify(profile);
}

async function heap(session: Session, wait: () => Promise<void>): Promise<string> {
  await post(session, 'HeapProfiler.startSampling');
  await wait();
  const { profile } = (await post(session, 'HeapProfiler.stopSampling')) as { readonly profile: unknown };
  return JSON.stringify(profile);
}

function post(session: Session, method: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    session.post(method, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

function waited(clock: Pick<Clock, 'schedule'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(ms, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
