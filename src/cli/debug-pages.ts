// /debug of the diagnostics address: the log level while the process runs, and profiles.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../host/contract.js';
import { requestTarget } from '../http/request-target.js';
import { LOG_LEVEL_BODY_BYTES_MAX, PROFILE_TIME_MAX_S } from '../limits.js';
import type { LogLevel } from '../log.js';
import { createProfiler, type ProfileKind } from './profiles.js';

/** Pages by path. */
export type DebugPages = Readonly<
  Record<string, (request: IncomingMessage, response: ServerResponse) => void | Promise<void>>
>;

/** What a profile takes without `?seconds=`, as Go's. */
const PROFILE_TIME_S = 30;

/** The profiles alone: `--profiler-address`. */
export function profilePages(clock: Pick<Clock, 'schedule'>): DebugPages {
  const take = createProfiler(clock);
  const page =
    (kind: ProfileKind) =>
    async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const text = requestTarget(request.url).query.get('seconds') ?? String(PROFILE_TIME_S);
      const seconds = /^\d+$/.test(text) ? Number(text) : 0;
      if (seconds < 1 || seconds > PROFILE_TIME_MAX_S)
        return plain(response, 400, `seconds: want 1 to ${PROFILE_TIME_MAX_S}\n`);
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const profile = await take(kind, seconds * 1000, gone.signal);
      if (profile === null) return plain(response, 409, 'another profile is being taken\n');
      const name = kind === 'profile' ? 'profile.cpuprofile' : 'heap.heapprofile';
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-disposition': `attachment; filename="${name}"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      response.end(profile);
    };
  return { '/debug/pprof/profile': page('profile'), '/debug/pprof/heap': page('heap') };
}

/** The log level, as the Go manager changes it: `PUT` with the number as the body. */
export function logLevelPage(level: LogLevel, onChange: (value: number) => void): DebugPages {
  return {
    async '/debug/flags/v'(request, response) {
      if (request.method !== 'PUT') return plain(response, 406, 'unsupported http method');
      const text = await bodyOf(request);
      const value = text !== null && /^[-+]?\d{1,9}$/.test(text) ? Number(text) : null;
      if (value === null) return plain(response, 400, 'failed to set klog.logging.verbosity: want a whole number');
      level.value = value;
      onChange(value);
      return plain(response, 200, `successfully set klog.logging.verbosity to ${value}`);
    },
  };
}

/** Null for more than a number needs. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > LOG_LEVEL_BODY_BYTES_MAX) return null;
  }
  return text.trim();
}

function plain(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
}
