// What a process holds, counted from outside: bytes after a garbage collection, and the entries of every Map and Set that lives.
//
// The inspector's protocol finds them all, whoever has them and however private they are: nothing in the product knows of it.
import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What lives. */
export interface Held {
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly mapEntries: number;
  readonly setEntries: number;
  /** The largest: how many entries, and one key. */
  readonly largest: readonly string[];
  /** Keys of Maps and members of Sets that name a cluster which is no more. */
  readonly dead: readonly string[];
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Counts. `alive` are the clusters that are there; names of clusters look like `fleet12-d3`. */
export async function held(alive: Iterable<string>): Promise<Held> {
  const counted = await countCollections([...alive]);
  await new Promise((resolve) => void setImmediate(resolve));
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return { heapBytes: heapUsed, externalBytes: external, ...counted };
}

type Counted = Pick<Held, 'mapEntries' | 'setEntries' | 'largest' | 'dead'>;

async function countCollections(alive: readonly string[]): Promise<Counted> {
  const session = new Session();
  session.connect();
  try {
    const contextId = await ownContext(session);
    const prototypes = await Promise.all(
      ['Map.prototype', 'Set.prototype'].map((expression) => evaluate(session, contextId, expression)),
    );
    const found = await Promise.all(
      prototypes.map((prototypeObjectId) => session.post('Runtime.queryObjects', { prototypeObjectId })),
    );
    const [maps, sets] = found.map(({ objects }) => objects.objectId ?? '');
    const { result, exceptionDetails } = await session.post('Runtime.callFunctionOn', {
      objectId: maps ?? '',
      functionDeclaration: count.toString(),
      arguments: [{ objectId: sets ?? '' }, { value: JSON.stringify(alive) }],
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as Counted;
  } finally {
    session.disconnect();
  }
}

/** Jest runs each file in a context of its own, with its own Map. */
async function ownContext(session: Session): Promise<number> {
  const mark = `soak${process.hrtime.bigint()}`;
  const contexts: number[] = [];
  session.on('Runtime.executionContextCreated', ({ params }) => void contexts.push(params.context.id));
  await session.post('Runtime.enable');
  (globalThis as Record<string, unknown>)[mark] = true;
  try {
    for (const contextId of contexts) {
      const { result } = await session.post('Runtime.evaluate', {
        expression: `globalThis.${mark} === true`,
        contextId,
      });
      if (result.value === true) return contextId;
    }
  } finally {
    delete (globalThis as Record<string, unknown>)[mark];
    await session.post('Runtime.disable');
  }
  throw new Error('the context of this test was not found');
}

async function evaluate(session: Session, contextId: number, expression: string): Promise<string> {
  const { result } = await session.post('Runtime.evaluate', { expression, contextId });
  return result.objectId ?? '';
}

/** Runs inside the inspected context, on the arrays of all Maps and Sets: it may use nothing from here. */
function count(this: readonly Map<unknown, unknown>[], sets: readonly Set<unknown>[], aliveJson: string): Counted {
  const alive = new Set(JSON.parse(aliveJson) as string[]);
  const dead: string[] = [];
  const largest: [number, string][] = [];
  const sizeOf = (thing: { readonly size: number }): number => {
    try {
      return thing.size;
    } catch {
      return 0;
    }
  };
  const entriesOf = (things: readonly { readonly size: number; keys(): Iterable<unknown> }[], what: string): number => {
    let entries = 0;
    for (const thing of things) {
      // What only inherits from Map.prototype is none.
      if (Object.prototype.toString.call(thing) !== `[object ${what}]`) continue;
      const size = sizeOf(thing);
      let last: unknown = '';
      if (size === 0) continue;
      for (const key of thing.keys()) {
        last = key;
        for (const name of typeof key === 'string' ? (key.match(/\bfleet\d+-d\d+/g) ?? []) : [])
          if (!alive.has(name))
            dead.push(
              `${String(key).slice(0, 120)} (${what} of ${size}) ${what === 'Map' ? (JSON.stringify((thing as Map<unknown, unknown>).get(key)) ?? 'undefined').slice(0, 80) : ''}`,
            );
      }
      entries += size;
      if (size >= 100) largest.push([size, `${what} ${typeof last === 'string' ? last.slice(0, 60) : typeof last}`]);
    }
    return entries;
  };
  const mapEntries = entriesOf(this, 'Map');
  const setEntries = entriesOf(sets, 'Set');
  largest.sort((one, other) => other[0] - one[0]);
  return { mapEntries, setEntries, largest: largest.slice(0, 25).map(([size, what]) => `${size} ${what}`), dead };
}
