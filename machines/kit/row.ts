// The vocabulary of a transition table (KRTT) as data.
//
// A machine of this project is a list of rows. Chart, tests, diagrams, `explain` and the requirement document are all
// made from the same rows, so they cannot disagree. A row refuses to act: it only names what should happen.
//
//   T1. Rows are read in order; the first row whose `on` and `guard` fit decides. Exactly one row decides.
//   T2. The last OBSERVED row and the last row of every reply always fit: the table is total.
//   T3. A guard is pure, total and never throws.

/** The event that a look at the cluster makes. Every machine has it. */
export type Observed = 'OBSERVED';
/** The event that the host makes of an effect which did not get its work done. Every machine has it. */
export type EffectFailed = 'EFFECT_FAILED';

/**
 * A wish to look again although nothing changed. A wish is kept until due: neither the same row nor another row that has the
 * very same Requeue object pushes it, so rows that mean one timer share one object.
 */
export interface Requeue<Facts> {
  /** How long from now, in milliseconds; null when these facts need no look. */
  readonly afterMs: (facts: Facts) => number | null;
  /** Why, for people: `tokens are checked every TTL/3`. */
  readonly why: string;
}

/** What a row says about one condition. `null` text fields are not allowed: the API requires them. */
export interface ConditionIntent {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** The deprecated v1beta1 twin of the same type; absent leaves the twin alone. */
  readonly v1beta1?: {
    readonly status: 'True' | 'False' | 'Unknown';
    readonly reason?: string;
    readonly severity?: 'Error' | 'Warning' | 'Info';
    readonly message?: string;
  };
  /** Set only when the object has no condition of this type yet (KC-075 and its like). */
  readonly onlyIfAbsent?: boolean;
  /** Sets only the v1beta1 twin and leaves the v1beta2 condition alone, or the other way round. */
  readonly only?: 'v1beta1' | 'v1beta2';
}

/** One line of the table. `State`, `Request` and `Reply` are unions of string literals. */
export interface Row<
  State extends string,
  Facts,
  Request extends string,
  Reply extends string = never,
  Guard extends string = string,
> {
  /** Stable id of the machine row, shown on arrows and by `explain`: `K07`. */
  readonly id: string;
  /** Ids of the requirement rows that it implements: `KC-017`. */
  readonly requirements: readonly string[];
  /** A short noun phrase for lists and arrows. */
  readonly title: string;
  /** One or two sentences for people: what this means and what ends it. */
  readonly description: string;
  /** The event that the row answers. */
  readonly on: Observed | EffectFailed | Reply;
  /** States whose life includes this arrow: drawn there. The root table answers it from everywhere else. */
  readonly from: readonly State[];
  /** The guard by its name, as on the chart: `isInfrastructureMissing`. */
  readonly guard: Guard;
  /** The state afterwards, one without children; null leaves the state alone. */
  readonly target: State | null;
  /** The one effect that is asked for; null asks for nothing. */
  readonly request: Request | null;
  /** When to look again. After a failed effect the last row's requeue replaces the error backoff; without one the turn is an error. */
  readonly requeue: Requeue<Facts> | null;
  /** The row only interrupts what was going on, and wishes for no look itself: the wake-up that was set before stays until it is due. */
  readonly isInterruption?: true;
  /** What this row says about conditions, in order. Types that it does not name stay as they are. */
  readonly conditions: (facts: Facts) => readonly ConditionIntent[];
  /**
   * What would end this wait, for `explain` and the inspector: an object and what about it. Null where nothing is waited for.
   * `remedy` is a sentence a person can act on.
   */
  readonly waitsFor?: (facts: Facts) => WaitsFor | null;
}

/** What somebody waits for. */
export interface WaitsFor {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly what: string;
  readonly remedy: string;
}

/** Why an effect did not get its work done. Never holds a secret. */
export interface Failure<Request extends string = string> {
  readonly request: Request;
  /** Closed per machine, for guards: `CertificatesMissing`, `FileSecretMissing`, `WorkloadUnreachable`, `Api`, ... */
  readonly kind: string;
  /** Normalised text: no ports, times, request ids or resourceVersions. */
  readonly message: string;
  /** The object that the error names: only its change (or the actor's own objects') ends the backoff early. */
  readonly object?: Pick<WaitsFor, 'apiVersion' | 'kind' | 'namespace' | 'name'>;
  /** Where in that object: a field or a key. Or where else: an object of a workload cluster. */
  readonly place?: string;
}

/** Facts of every machine: what the last effect of this turn left behind. */
export interface BaseFacts<Request extends string = string> {
  /** The failure of this turn's last effect, or null. */
  readonly failure: Failure<Request> | null;
}

/** Context of every actor, as it is persisted: what cannot be read again from the cluster. Never a secret, never a copy of an object. */
export interface ActorContext {
  /** Id of the row that decided last; null before the first look. */
  readonly row: string | null;
  /** When the present state was entered, epoch milliseconds. */
  readonly sinceMs: number;
  /** When the actor wants to look again, epoch milliseconds; null for never. A wake-up set for a row is kept until due. */
  readonly wakeAtMs: number | null;
}

/** Every event an actor can get. */
export interface ActorEvent<Facts, Reply extends string = never> {
  readonly type: Observed | EffectFailed | Reply;
  readonly nowMs: number;
  readonly facts: Facts;
}

/** What an actor emits to be carried out: the name of an effect. */
export interface EffectRequest<Request extends string> {
  readonly type: Request;
}

/** What an actor emits of each row that decided, with the facts that it saw. */
export interface RowNote<Facts> {
  readonly type: 'decided';
  readonly row: string;
  readonly facts: Facts;
}

/** A whole table with the words that go with it. */
export interface Table<State extends string, Facts, Request extends string, Reply extends string = never> {
  /** Machine id, kebab-case or a plain word: `kubeadmconfig`. */
  readonly id: string;
  readonly initial: State;
  /** Every state with its description, in story order. A parent's first child is its initial state. */
  readonly states: Readonly<Record<State, { readonly description: string; readonly parent?: string }>>;
  readonly rows: readonly Row<State, Facts, Request, Reply>[];
  /** The predicates that rows name. Pure, total, and without an order of their own. */
  readonly guards: Readonly<Record<string, (facts: Facts) => boolean>>;
  /** What each request does, one sentence: for charts. */
  readonly requests: Readonly<Record<Request, string>>;
}
