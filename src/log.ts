// Structured logging: a constant message with fields, as klog's text or as JSON of Kubernetes' shape, on stderr.
//
// Values never go into the message, and secrets never go into a line: every text passes `scrubSecrets`. That is the second
// line of defence; the first is that callers log names, not contents.
//
//   L1. One call is one line, written at once, whatever the fields contain.
//   L2. A logger never throws.

import pino from 'pino';
import { scrubSecrets } from './scrub.js';

/** What a line says beside its message. Objects with namespace and name are printed as `namespace/name`. */
export type Fields = Readonly<Record<string, unknown>>;

/** A logger. Levels are klog's: 0 always, 2 by default, 4 and more for debugging. */
export interface Logger {
  /** V(0). */
  info(message: string, fields?: Fields): void;
  /** Printed when the level of the process is at least `level`. */
  verbose(level: number, message: string, fields?: Fields): void;
  warning(message: string, fields?: Fields): void;
  /** Put the cause into the field `err`. */
  error(message: string, fields?: Fields): void;
  /** The same logger with fields on every line. */
  with(fields: Fields): Logger;
  enabled(level: number): boolean;
}

/** A level that may change while the process runs. */
export interface LogLevel {
  value: number;
}

/** How a logger is made. */
export interface LoggerOptions {
  readonly format: 'text' | 'json';
  readonly level: number | LogLevel;
  readonly nowMs: () => number;
  /** Where finished lines go; stderr when absent. */
  readonly write?: (line: string) => void;
}

type Severity = 'I' | 'W' | 'E';

/** The logger of a process. */
export function createLogger(options: LoggerOptions): Logger {
  const destination = options.write === undefined ? pino.destination({ fd: 2, sync: true }) : { write: options.write };
  const write = options.format === 'json' ? jsonWriter(destination, options) : textWriter(destination, options);
  return loggerWith({}, write, typeof options.level === 'number' ? { value: options.level } : options.level);
}

/** A logger that prints nothing. */
export const silentLogger: Logger = Object.freeze({
  info: () => undefined,
  verbose: () => undefined,
  warning: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
  enabled: () => false,
});

type Write = (severity: Severity, level: number, message: string, fields: Fields) => void;

function loggerWith(bound: Fields, write: Write, threshold: Readonly<LogLevel>): Logger {
  const line = (severity: Severity, level: number, message: string, fields: Fields | undefined): void => {
    try {
      write(severity, level, message, { ...bound, ...fields });
    } catch {
      // A line that cannot be written must not break what it reports (L2).
    }
  };
  return Object.freeze({
    info: (message: string, fields?: Fields) => line('I', 0, message, fields),
    verbose: (level: number, message: string, fields?: Fields) => {
      if (level <= threshold.value) line('I', level, message, fields);
    },
    warning: (message: string, fields?: Fields) => line('W', 0, message, fields),
    error: (message: string, fields?: Fields) => line('E', 0, message, fields),
    with: (fields: Fields) => loggerWith({ ...bound, ...fields }, write, threshold),
    enabled: (level: number) => level <= threshold.value,
  });
}

function jsonWriter(destination: pino.DestinationStream, { nowMs }: LoggerOptions): Write {
  const logger = pino(
    {
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"ts":${nowMs()}`,
      formatters: { level: (label) => ({ severity: label }) },
    },
    destination,
  );
  return (severity, level, message, fields) => {
    const clean = plainFields(fields);
    if (severity === 'E') logger.error(clean, message);
    else if (severity === 'W') logger.warn({ v: level, ...clean }, message);
    else logger.info({ v: level, ...clean }, message);
  };
}

function textWriter(destination: pino.DestinationStream, { nowMs }: LoggerOptions): Write {
  const thread = String(process.pid).padStart(7);
  return (severity, _level, message, fields) => {
    const { logger = 'main', ...rest } = fields;
    const values = Object.entries(plainFields(rest)).map(([name, value]) => ` ${name}=${textOf(value)}`);
    const time = klogTime(nowMs());
    destination.write(
      `${severity}${time} ${thread} ${String(logger)}:1] ${JSON.stringify(message)}${values.join('')}\n`,
    );
  };
}

/** `1121 08:11:55.123000`, local time as klog has it. */
function klogTime(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${two(at.getMonth() + 1)}${two(at.getDate())} ${clock}.${String(at.getMilliseconds()).padStart(3, '0')}000`;
}

function textOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? String(value)
    : JSON.stringify(value);
}

function plainFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, plain(value, 0)]),
  );
}

const DEPTH_MAX = 5;
const ITEMS_MAX = 100;
const TEXT_CHARS_MAX = 4_000;

function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return scrubSecrets(value).slice(0, TEXT_CHARS_MAX);
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return typeof value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return scrubSecrets(value.message).slice(0, TEXT_CHARS_MAX);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (depth >= DEPTH_MAX) return '...';
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => plain(item, depth + 1));
  const reference = referenceText(value);
  if (reference !== null) return reference;
  const entries = Object.entries(value).slice(0, ITEMS_MAX);
  return Object.fromEntries(entries.map(([name, item]) => [name, plain(item, depth + 1)]));
}

/** `namespace/name` for an object reference and nothing else. */
function referenceText(value: object): string | null {
  const { namespace, name, ...rest } = value as { namespace?: unknown; name?: unknown };
  if (typeof name !== 'string' || typeof namespace !== 'string' || Object.keys(rest).length > 0) return null;
  return namespace === '' ? name : `${namespace}/${name}`;
}
