// A dialogue: requests in order, whose answers are compared with those of a real kube-apiserver, recorded once.
//
// What differs from run to run is replaced: the namespace, uids, resourceVersions (kept apart by order of appearance), times and
// continue tokens. Where a real server adds defaults of built-in kinds that nobody here needs, `show` names what is compared.
import type { Target } from './target.js';

/** One request. Texts may hold `{ns}` and `{saved.path.to.value}`. */
export interface Step {
  readonly do: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly user?: string;
  readonly userAgent?: string;
  /** Keeps the answer for later steps. */
  readonly save?: string;
  /** Dotted paths of the answer that are compared; everything otherwise, nothing but the status when empty. */
  readonly show?: readonly string[];
}

/** A story of requests. */
export interface Dialogue {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** What is compared and recorded of one step. */
export interface Shown {
  readonly step: string;
  readonly status: number;
  readonly warning?: string;
  readonly body?: unknown;
}

/** Plays a dialogue in a namespace. */
export async function play(target: Target, dialogue: Dialogue, namespace: string): Promise<Shown[]> {
  const saved = new Map<string, unknown>();
  const symbols = createSymbols(namespace);
  const shown: Shown[] = [];
  for (const step of dialogue.steps) {
    const fill = (text: string): string => filled(text, namespace, saved);
    const body =
      step.body === undefined ? undefined : fill(typeof step.body === 'string' ? step.body : JSON.stringify(step.body));
    const received = await target.send({
      method: step.do,
      path: fill(step.path),
      ...(body === undefined ? {} : { body }),
      ...(step.contentType === undefined ? {} : { contentType: step.contentType }),
      ...(step.accept === undefined ? {} : { accept: step.accept }),
      ...(step.user === undefined ? {} : { user: step.user }),
      ...(step.userAgent === undefined ? {} : { userAgent: step.userAgent }),
    });
    const value = parsed(received.text);
    if (step.save !== undefined) saved.set(step.save, value);
    const { warning } = received.headers;
    shown.push({
      step: `${step.do} ${step.path}`,
      status: received.status,
      ...(warning === undefined ? {} : { warning }),
      ...(step.show?.length === 0 ? {} : { body: symbols(picked(value, step.show)) }),
    });
  }
  return shown;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((current, key) => (current as Record<string, unknown> | undefined)?.[key], value);
}

function filled(text: string, namespace: string, saved: ReadonlyMap<string, unknown>): string {
  return text.replace(/\{([a-z]\w*)((?:\.\w+)*)\}/g, (whole, name: string, path: string) => {
    if (name === 'ns') return namespace;
    if (!saved.has(name)) return whole;
    return String(valueAt(saved.get(name), path.split('.').slice(1)));
  });
}

function picked(value: unknown, show: readonly string[] | undefined): unknown {
  if (show === undefined) return value;
  return Object.fromEntries(show.map((path) => [path, valueAt(value, path.split('.')) ?? null]));
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Replaces what no two runs share; the same value is the same symbol within a dialogue. */
function createSymbols(namespace: string): (value: unknown) => unknown {
  const uids = new Map<string, string>();
  const versions = new Map<string, string>();
  const symbol = (known: Map<string, string>, kind: string, value: string): string => {
    const found = known.get(value) ?? `<${kind}-${known.size + 1}>`;
    known.set(value, found);
    return found;
  };
  const text = (value: string): string =>
    value
      .replaceAll(namespace, '{ns}')
      .replace(uid, (found) => symbol(uids, 'uid', found))
      .replace(time, '<time>')
      .replace(
        /(ResourceVersion in record )\((\d+)\)/,
        (_, words: string, version: string) => `${words}(${symbol(versions, 'rv', version)})`,
      );
  const replace = (value: unknown, key: string): unknown => {
    if (key === 'resourceVersion' && typeof value === 'string' && value !== '') return symbol(versions, 'rv', value);
    if (key === 'continue' && value !== '') return '<continue>';
    if (typeof value === 'string') return text(value);
    if (key.endsWith('causes') && Array.isArray(value)) return value.map((item) => replace(item, '')).sort(byText);
    if (Array.isArray(value)) return value.map((item) => replace(item, ''));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      members(value as Record<string, unknown>).map(([name, member]) => [text(name), replace(member, name)]),
    );
  };
  return (value) => replace(value, '');
}

/** Sorted by name; metadata comes first, so that symbols do not depend on the order of keys. */
function members(value: Record<string, unknown>): [string, unknown][] {
  const isNoise = ([name, member]: [string, unknown]): boolean =>
    (name === 'continue' && member === '') ||
    (name === 'creationTimestamp' && member === null) ||
    (name === 'message' && 'causes' in asDetails(value));
  return Object.entries(value)
    .filter((entry) => !isNoise(entry))
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The message of a failure with several causes joins them in an order that is not fixed. */
function asDetails(value: Record<string, unknown>): object {
  const { details } = value;
  if (typeof details !== 'object' || details === null) return {};
  const { causes } = details as { causes?: unknown };
  return Array.isArray(causes) && causes.length > 1 ? details : {};
}

function byText(left: unknown, right: unknown): number {
  const [a, b] = [JSON.stringify(left), JSON.stringify(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}
