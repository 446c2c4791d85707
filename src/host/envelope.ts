// The persisted actor as text: one condition, one annotation or one ConfigMap, under 1 KiB (style: snapshots).
//
// What cannot be derived again is not in it: deleting every snapshot costs time and nothing else. A snapshot of another life
// (uid), an unknown version, or one that does not restore is discarded; we re-derive, we never migrate.

import { SNAPSHOT_BYTES_MAX } from '../limits.js';
import { isTime, leafState, statePath, type Rest } from '../../machines/kit/step.js';
import { objectText } from '../../machines/kit/failure-text.js';
import type { Failure } from '../../machines/kit/row.js';
import type { Envelope, RecordedFailure } from './contract.js';

/** The envelope of an actor at rest. */
export function envelopeOf(uid: string, rest: Rest, failed?: RecordedFailure): Envelope {
  return {
    v: 1,
    uid,
    since: rfc3339Seconds(rest.context.sinceMs),
    snapshot: { value: rest.value, context: rest.context },
    ...(failed === undefined ? {} : { failed }),
  };
}

/**
 * The envelope of what is remembered: its row is the one that the next look decides by, so that looking again, or a restart,
 * writes nothing.
 */
export function atRest(envelope: Envelope | null, restingRow: (row: string) => string): Envelope | null {
  if (envelope === null) return null;
  const { snapshot } = envelope;
  const row = snapshot.context.row === null ? null : restingRow(snapshot.context.row);
  return { ...envelope, snapshot: { ...snapshot, context: { ...snapshot.context, row } } };
}

/** The envelope with what the last turn failed with, as far as there is room: the message is cut first. */
export function withFailure(envelope: Envelope, failure: Failure | null): Envelope {
  if (failure === null) return envelope;
  const { request, kind, message, object, place } = failure;
  const rest = {
    ...(object === undefined ? {} : { object: objectText(object) }),
    ...(place === undefined ? {} : { place }),
  };
  for (let chars = Math.min(message.length, SNAPSHOT_BYTES_MAX); chars > 0; chars = Math.floor(chars / 2)) {
    const text = chars < message.length ? `${message.slice(0, chars)}…` : message;
    const whole = { ...envelope, failed: { request, kind, message: text, ...rest } };
    if (Buffer.byteLength(JSON.stringify(whole)) <= SNAPSHOT_BYTES_MAX) return whole;
  }
  return envelope;
}

/** The envelope as JSON. A text above the bound is a bug: contexts are nearly empty. */
export function envelopeText(envelope: Envelope): string {
  const text = JSON.stringify(envelope);
  if (Buffer.byteLength(text) > SNAPSHOT_BYTES_MAX)
    throw new Error(`a snapshot has ${Buffer.byteLength(text)} bytes, more than ${SNAPSHOT_BYTES_MAX}`);
  return text;
}

/** Why a stored envelope was not used. */
export type Discarded = 'too large' | 'not JSON' | 'unknown version' | 'another object’s life' | 'broken';

/** Reads a stored envelope of this object's life. */
export function readEnvelope(
  text: string,
  uid: string,
): { readonly rest: Rest; readonly failed?: RecordedFailure } | { readonly discarded: Discarded } {
  if (Buffer.byteLength(text) > SNAPSHOT_BYTES_MAX) return { discarded: 'too large' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { discarded: 'not JSON' };
  }
  if (typeof value !== 'object' || value === null) return { discarded: 'broken' };
  const envelope = value as Partial<Envelope>;
  if (envelope.v !== 1) return { discarded: 'unknown version' };
  if (envelope.uid !== uid) return { discarded: 'another object’s life' };
  const snapshot = envelope.snapshot;
  if (typeof snapshot?.context !== 'object' || snapshot.context === null || leafState(snapshot.value) === '')
    return { discarded: 'broken' };
  const { row, sinceMs, wakeAtMs } = snapshot.context;
  if (!isTime(sinceMs) || (wakeAtMs !== null && !isTime(wakeAtMs))) return { discarded: 'broken' };
  const rest = { value: snapshot.value, context: { row, sinceMs, wakeAtMs } };
  return envelope.failed === undefined ? { rest } : { rest, failed: envelope.failed };
}

/** True when two envelopes differ in what is worth a write: life, state, row or failure. A wake-up alone is not. */
export function isWorthWriting(before: Envelope | null, after: Envelope): boolean {
  if (before === null || before.uid !== after.uid || before.since !== after.since) return true;
  return (
    statePath(before.snapshot.value) !== statePath(after.snapshot.value) ||
    before.snapshot.context.row !== after.snapshot.context.row ||
    JSON.stringify(before.failed) !== JSON.stringify(after.failed)
  );
}

/** A stored envelope as a value, for comparing; null when it is none. */
export function parseEnvelope(text: string | null, uid: string): Envelope | null {
  if (text === null) return null;
  const read = readEnvelope(text, uid);
  return 'rest' in read ? envelopeOf(uid, read.rest, read.failed) : null;
}

/** Epoch milliseconds as RFC 3339 seconds. */
export function rfc3339Seconds(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
