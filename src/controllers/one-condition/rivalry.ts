// Notices when another manager changes our condition back, and stops before two programs write for ever.
//
//   V1. The same entry of the same generation is written, changed back, written again, changed back: then it is left alone.
//   V2. Another generation, or another thing to say, starts again.
//   V3. It is told once, on the object, with the other manager's name.

import type { Condition } from '../../conditions/condition.js';
import type { Key } from '../../host/contract.js';
import type { ApiClient, KubeObject, Target } from '../../kube/contract.js';

/** How often an entry may be changed back. */
export const CHANGED_BACK_MAX = 2;

/** What to do about an entry that has to be written. */
export type RivalryAnswer = 'write' | 'stop' | 'stopped';

/** Remembers what was written last, by key. */
export interface Rivalry {
  /** `stop` the first time that it is left alone, `stopped` afterwards. */
  ask(key: Key, object: KubeObject, entry: Condition): RivalryAnswer;
  /** The entry was written. */
  wrote(key: Key, object: KubeObject, entry: Condition): void;
  forget(key: Key): void;
}

interface Written {
  readonly text: string;
  changedBack: number;
  isTold: boolean;
}

/** An empty memory. */
export function createRivalry(): Rivalry {
  const written = new Map<Key, Written>();
  return {
    ask(key, object, entry) {
      const last = written.get(key);
      if (last === undefined || last.text !== textOf(object, entry)) return 'write';
      last.changedBack += 1;
      if (last.changedBack < CHANGED_BACK_MAX) return 'write';
      if (last.isTold) return 'stopped';
      last.isTold = true;
      return 'stop';
    },
    wrote(key, object, entry) {
      const text = textOf(object, entry);
      if (written.get(key)?.text !== text) written.set(key, { text, changedBack: 0, isTold: false });
    },
    forget: (key) => void written.delete(key),
  };
}

function textOf({ metadata: { uid, generation } }: KubeObject, { status, reason, message }: Condition): string {
  return JSON.stringify([uid, generation, status, reason, message]);
}

interface WithManagers {
  readonly metadata: { readonly managedFields?: readonly ManagedFields[] };
}

interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly fieldsV1?: unknown;
}

/** Who else wrote the condition last, read live; empty when that cannot be found out. */
export async function otherManager(
  client: Pick<ApiClient, 'get'>,
  target: Target,
  {
    type,
    fieldManager,
    signal,
  }: { readonly type: string; readonly fieldManager: string; readonly signal: AbortSignal },
): Promise<string> {
  try {
    const object = (await client.get(target, { signal })) as KubeObject & WithManagers;
    const others = (object.metadata.managedFields ?? [])
      .filter(({ manager, fieldsV1 }) => manager !== fieldManager && ownsCondition(fieldsV1, type))
      .toSorted((one, other) => ((one.time ?? '') < (other.time ?? '') ? 1 : -1));
    return others[0]?.manager ?? '';
  } catch {
    return '';
  }
}

/** Whether a record of fields names the condition, or the list as a whole. */
function ownsCondition(fields: unknown, type: string): boolean {
  const conditions = fieldOf(fieldOf(fields, 'f:status'), 'f:conditions');
  if (conditions === undefined) return false;
  return Object.keys(conditions as object).length === 0 || fieldOf(conditions, `k:{"type":"${type}"}`) !== undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
