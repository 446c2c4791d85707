// The process's only source of keys.
//
//   K1. At most KEYS_RUNNING_MAX keys are being made at any time, whoever asks: libuv's threads also serve DNS and files.
//   K2. The owner (cluster) with the fewest running keys comes first, and of several the one that asked first: a cluster of 4096-bit
//       keys leaves the other places to others, and in a burst sets are finished one after the other and not all at last.
//   K3. Keys that are waited for come before keys made ahead of need.
//   K4. A key is handed out once. A key nobody waits for any more is kept only within a prepared set, else dropped.
//   K5. At most PREPARED_SETS_MAX sets are made ahead of need.
//
// A running generation cannot be stopped: after an abort its place stays taken until it ends, so that K1 stays true.
import { DEFAULT_KEYS_PER_SET, KEYS_RUNNING_MAX, PREPARED_SETS_MAX } from './key-pool-limits.js';
import type {
  EncryptionAlgorithm,
  GeneratedKey,
  KeyGenerator,
  KeyPool,
  KeyPoolAnswer,
  KeyPoolLoad,
  KeyRequest,
} from './types.js';

/** One request that is not answered yet. */
interface Demand {
  readonly count: number;
  readonly keys: GeneratedKey[];
  readonly answer: (answer: KeyPoolAnswer) => void;
}

/** What is known about one owner and one algorithm. Lanes are visited in insertion order: who asks goes last. */
interface Lane {
  readonly owner: string;
  readonly algorithm: EncryptionAlgorithm;
  readonly demands: Demand[];
  running: number;
  /** How many keys to hold ahead of need; 0: none. */
  preparedTarget: number;
  prepared: GeneratedKey[];
}

/** Makes a pool around a generator. Tests pass a deterministic one. */
export function createKeyPool(options: { readonly generate: KeyGenerator; readonly runningMax?: number }): KeyPool {
  const runningMax = options.runningMax ?? KEYS_RUNNING_MAX;
  const lanes = new Map<string, Lane>();
  let running = 0;
  let isClosed = false;

  function laneOf(owner: string, algorithm: EncryptionAlgorithm): Lane {
    const id = `${algorithm} ${owner}`;
    const known = lanes.get(id);
    if (known !== undefined) return known;
    const lane: Lane = { owner, algorithm, demands: [], running: 0, preparedTarget: 0, prepared: [] };
    lanes.set(id, lane);
    return lane;
  }

  function startWhatFits(): void {
    while (running < runningMax) {
      const lane = nextLane(lanes.values());
      if (lane === null) return;
      void run(lane);
    }
  }

  function moveLast(lane: Lane): void {
    const id = `${lane.algorithm} ${lane.owner}`;
    lanes.delete(id);
    lanes.set(id, lane);
  }

  async function run(lane: Lane): Promise<void> {
    running += 1;
    lane.running += 1;
    let key: GeneratedKey | null = null;
    let message = '';
    try {
      key = await options.generate(lane.algorithm);
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    running -= 1;
    lane.running -= 1;
    if (key === null) refuse(lane, message);
    else deliver(lane, key);
    settle(lane);
  }

  /** Drops a lane that nobody needs, and uses the place that became free. */
  function settle(lane: Lane): void {
    if (lane.demands.length === 0 && lane.running === 0 && lane.preparedTarget === 0) {
      lanes.delete(`${lane.algorithm} ${lane.owner}`);
    }
    startWhatFits();
  }

  function take({ owner, algorithm, count, signal }: KeyRequest): Promise<KeyPoolAnswer> {
    if (isClosed || signal.aborted) return Promise.resolve({ kind: 'aborted' });
    const lane = laneOf(owner, algorithm);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        const at = lane.demands.indexOf(demand);
        if (at !== -1) lane.demands.splice(at, 1);
        demand.answer({ kind: 'aborted' });
        settle(lane);
      };
      const demand: Demand = {
        count,
        keys: [],
        answer: (answer) => {
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (lane.demands.push(demand) === 1) moveLast(lane);
      // The prepared set was for this moment; what is left of it is not needed again.
      const prepared = lane.prepared;
      lane.prepared = [];
      lane.preparedTarget = 0;
      answerFullDemands(lane);
      for (const key of prepared) deliver(lane, key);
      settle(lane);
    });
  }

  return {
    take,
    prepare(owner, algorithm) {
      if (isClosed) return false;
      const isKnown = lanes.get(`${algorithm} ${owner}`);
      if (isKnown !== undefined && (isKnown.preparedTarget > 0 || isKnown.demands.length > 0)) return true;
      if (preparedSets(lanes.values()) >= PREPARED_SETS_MAX) return false;
      laneOf(owner, algorithm).preparedTarget = DEFAULT_KEYS_PER_SET;
      startWhatFits();
      return true;
    },
    forget(owner) {
      for (const lane of [...lanes.values()]) {
        if (lane.owner !== owner) continue;
        lane.preparedTarget = 0;
        lane.prepared = [];
        settle(lane);
      }
    },
    close() {
      isClosed = true;
      for (const lane of [...lanes.values()]) {
        lane.preparedTarget = 0;
        lane.prepared = [];
        for (const demand of lane.demands.splice(0)) demand.answer({ kind: 'aborted' });
        settle(lane);
      }
    },
    load: (): KeyPoolLoad => ({
      running,
      waiting: [...lanes.values()].reduce((sum, lane) => sum + wantedByDemands(lane), 0),
      preparedSets: preparedSets(lanes.values()),
    }),
  };
}

/** Of the lanes that wait, the one with the fewest keys in the making; if none waits, one whose prepared set is not full. */
function nextLane(lanes: Iterable<Lane>): Lane | null {
  let waiting: Lane | null = null;
  let ahead: Lane | null = null;
  for (const lane of lanes) {
    if (wantedByDemands(lane) > 0 && (waiting === null || lane.running < waiting.running)) waiting = lane;
    if (ahead === null && lane.prepared.length + lane.running < lane.preparedTarget) ahead = lane;
  }
  return waiting ?? ahead;
}

/** How many more generations must be started for the requests that wait. */
function wantedByDemands(lane: Lane): number {
  const missing = lane.demands.reduce((sum, demand) => sum + demand.count - demand.keys.length, 0);
  return Math.max(0, missing - lane.running);
}

function deliver(lane: Lane, key: GeneratedKey): void {
  const demand = lane.demands[0];
  if (demand !== undefined) {
    demand.keys.push(key);
    answerFullDemands(lane);
  } else if (lane.prepared.length < lane.preparedTarget) {
    lane.prepared.push(key);
  }
}

function answerFullDemands(lane: Lane): void {
  for (let first = lane.demands[0]; first !== undefined && first.keys.length >= first.count; first = lane.demands[0]) {
    lane.demands.shift();
    first.answer({ kind: 'generated', keys: first.keys });
  }
}

function refuse(lane: Lane, message: string): void {
  lane.preparedTarget = 0;
  lane.prepared = [];
  lane.demands.shift()?.answer({ kind: 'failed', message: `${lane.algorithm} key generation failed: ${message}` });
}

function preparedSets(lanes: Iterable<Lane>): number {
  return [...lanes].filter((lane) => lane.preparedTarget > 0).length;
}
