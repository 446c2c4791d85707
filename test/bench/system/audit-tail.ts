// Follows the API server's audit log: every answered request, with the server's own times. It costs the servers nothing.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** One answered request. */
export interface Call {
  readonly user: string;
  readonly verb: string;
  /** `secrets`, or `kubeadmconfigs/status`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly uri: string;
  readonly receivedMs: number;
  readonly doneMs: number;
}

/** A log that is being followed. */
export interface AuditTail {
  /** All calls so far, watches included; reads what is new. */
  calls(): readonly Call[];
}

interface Line {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** Follows the log of a server started with `audit: true`. */
export function tailAudit(folder: string): AuditTail {
  const file = join(folder, 'audit.log');
  const calls: Call[] = [];
  let offset = 0;
  let rest = '';
  return {
    calls() {
      if (!existsSync(file)) return calls;
      const handle = openSync(file, 'r');
      const chunk = Buffer.alloc(1 << 20);
      try {
        for (let read = readSync(handle, chunk, 0, chunk.length, offset); read > 0;) {
          offset += read;
          const lines = (rest + chunk.toString('latin1', 0, read)).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) calls.push(callOf(JSON.parse(line) as Line));
          read = readSync(handle, chunk, 0, chunk.length, offset);
        }
      } finally {
        closeSync(handle);
      }
      return calls;
    },
  };
}

function callOf(line: Line): Call {
  const { resource = '', subresource = '', namespace = '', name = '' } = line.objectRef ?? {};
  return {
    user: line.user.username,
    verb: line.verb,
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    code: line.responseStatus?.code ?? 0,
    uri: line.requestURI,
    receivedMs: timeMs(line.requestReceivedTimestamp),
    doneMs: timeMs(line.stageTimestamp),
  };
}

/** RFC 3339 with microseconds, which Date cuts off. */
function timeMs(text: string): number {
  const [, seconds = '', fraction = '0'] = /^(.*?)(?:\.(\d+))?Z$/.exec(text) ?? [];
  return Date.parse(`${seconds}Z`) + Number(`0.${fraction}`) * 1000;
}
