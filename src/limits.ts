// Every bound of the program, each with the reason for its size.
//
// A bound that is hit is told to somebody: as a failure, a metric or a log line. Nothing here is a tuning knob of the
// machines: requeue times and TTLs belong to their rows and flags. Units come last in a name.

/** Effects that one turn may carry out: the longest story (a Machine's deletion right after a restart) needs nine; more is a bug. */
export const TURN_STEPS_MAX = 10;

/**
 * Reconciles of one object in a row that ask for the next one at once: repairs follow each other a few times, and two that undo each
 * other do so without end. From here on the backoff of errors applies.
 */
export const AT_ONCE_IN_A_ROW_MAX = 10;

/** Keys in a queue: ten times the largest fleet we were asked for. More is a leak. */
export const QUEUE_KEYS_MAX = 200_000;

/** A persisted actor: small enough that thousands cost nothing in etcd, far more than an envelope needs. */
export const SNAPSHOT_BYTES_MAX = 1024;

/** One effect, as the Go manager's reconcile timeout. */
export const EFFECT_TIME_MAX_MS = 60_000;

/** Objects per list page, as client-go: a page is parsed in a few milliseconds, so the event loop stays answerable. */
export const LIST_PAGE_MAX = 500;

/** An effect whose signal was aborted gets this long to say how it ended; then it is taken for hung. */
export const EFFECT_ABORT_GRACE_MS = 1_000;

/** First retry of a failed turn, as the Go manager's rate limiter; it doubles with each failure. */
export const BACKOFF_FIRST_MS = 5;

/** Longest retry of a failed turn, as the Go manager's rate limiter. */
export const BACKOFF_MAX_MS = 1_000_000;

/** Running effects may finish for this long after SIGTERM: the last step of a token's order must be taken. */
export const STOP_GRACE_MS = 5_000;

/** A turn that nobody waits for begins this late at most where others run, and then only some at a time: longer than a burst of a few dozen takes. */
export const LOW_TURN_WAIT_MS = 1_000;

/** Distinct causes remembered for one key between two turns: beyond it only how many kinds there were is lost. */
export const WAKE_CAUSES_MAX = 32;

/** Own versions remembered for one key: more than one turn writes. */
export const OWN_VERSIONS_MAX = 16;

/** How often a view is looked at again where its cache cannot tell that it caught up. */
export const STALE_VIEW_POLL_MS = 20;

/** Text of a cause in a condition: conditions stay readable, and far below the API's limit. */
export const CAUSE_CHARS_MAX = 1_000;

/** Text of which secrets are taken out, before it is cut to what a reader gets: a few key blocks may stand before what is worth reading. */
export const SCRUBBED_CHARS_MAX = 16 * 1024;

/** A server's own words about a refusal: its longest are lists of invalid fields, and a condition shows the first thousand characters. */
export const SERVER_TEXT_CHARS_MAX = 4 * 1024;

/** Causes of one refusal that are kept: nobody reads more, and a stranger's server sends them. */
export const SERVER_CAUSES_MAX = 100;

/** One call to the management API server: far above what a healthy server takes, below an effect's deadline. */
export const API_CALL_TIMEOUT_MS = 30_000;

/** One call to a workload API server, as upstream's ClusterCache. */
export const WORKLOAD_CALL_TIMEOUT_MS = 10_000;

/** Reachability check of a workload API server, as upstream's health probe. */
export const WORKLOAD_PROBE_TIMEOUT_MS = 5_000;

/** A workload cluster that answers nothing for this long is down: upstream's five health probes, ten seconds apart. */
export const WORKLOAD_DOWN_AFTER_MS = 50_000;

/** Nodes that cannot be read for this long count as unreachable though their server answers: that, the longest pause of a watch and a call. */
export const WORKLOAD_NODES_DOWN_AFTER_MS = 90_000;

/** A workload cluster that fails is asked again this often, as upstream's health probe; a down one as often as its connection. */
export const WORKLOAD_PROBE_EVERY_MS = 10_000;

/** A live attempt that failed this recently stands for the next one, so that turns do not queue up before a silent cluster: probe and its timeout. */
export const WORKLOAD_ATTEMPT_FRESH_MS = 15_000;

/** Turns that wait for one silent workload cluster at a time, beside those that give something up afterwards: a fifth of the usual ten. */
export const WORKLOAD_WAITING_MAX = 2;

/** TCP, proxy and TLS handshakes together: one lost packet is survived, a black hole is noticed before the call's end. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Sockets for requests to one API server: HTTP/1.1 answers one at a time, and more would only wait in the server, out of order. */
export const REQUEST_SOCKETS_MAX = 16;

/** Sockets for requests to one workload API server: a fleet has many, and each costs a TLS handshake on both sides. */
export const WORKLOAD_SOCKETS_MAX = 2;

/** The second of them is opened when requests have waited for the first this long: a token's takes less time than a handshake. */
export const WORKLOAD_FURTHER_SOCKET_MS = 500;

/** Connections to one API server that are made at once: handshakes of a burst would keep its first requests from being sent. */
export const CONNECTING_MAX = 4;

/** Idle sockets are closed by us first: kube-apiserver closes after 90 s, and a write that meets its close has an unknown outcome. */
export const SOCKET_IDLE_MAX_MS = 45_000;

/** Head of one answer, and of what surrounds its chunks: far above what an API server sends; more is none. */
export const ANSWER_HEAD_BYTES_MAX = 64 * 1024;

/** Size line of a chunk with its extensions: API servers send none. */
export const CHUNK_LINE_BYTES_MAX = 256;

/** Page of a list, or any other answer of the management cluster. Lists that are longer are read in smaller pages. */
export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;

/** Answer of a workload cluster that is no list: an object of etcd's largest size. */
export const WORKLOAD_ANSWER_BYTES_MAX = 1_572_864;

/** Values in it: reading a value takes longer than its three bytes tell. The largest Node or Pod has some thousands. */
export const WORKLOAD_ANSWER_VALUES_MAX = 50_000;

/** Values in a page of a list: five hundred Pods of a thousand values each. */
export const WORKLOAD_LIST_VALUES_MAX = 500_000;

/** Brackets within each other in such an answer: the API's own types stay below fifty. */
export const WORKLOAD_ANSWER_DEPTH_MAX = 1_000;

/** A refusal that is read for its reason: a Status has some hundred characters; what is longer is told by its HTTP status alone. */
export const STATUS_CHARS_MAX = 64 * 1024;

/** Values in such a refusal, and brackets within each other: a Status has a dozen and four. */
export const STATUS_VALUES_MAX = 5_000;
export const STATUS_DEPTH_MAX = 100;

/** Page of Nodes, Pods and the like of a workload cluster: a few hundred objects. */
export const WORKLOAD_LIST_BYTES_MAX = 64 * 1024 * 1024;

/** Event of a watch of a workload cluster. */
export const WORKLOAD_LINE_BYTES_MAX = 4 * 1024 * 1024;

/** What all workload clusters together may have under way in answers: they belong to tenants, and the process to all of them. */
export const WORKLOAD_BYTES_MAX = 256 * 1024 * 1024;

/** Of these one workload cluster has no more than a third: its longest list, and the lines of its watches. */
export const WORKLOAD_SHARE_BYTES_MAX = 80 * 1024 * 1024;

/** What each workload cluster may keep besides, whatever others do: enough for the answer to a call about one object. */
export const WORKLOAD_OWN_BYTES = 64 * 1024;

/** A watch that is read more slowly than it comes keeps this much; then its connection waits. */
export const STREAM_BUFFER_BYTES_MAX = 1024 * 1024;

/** One watch event: etcd's 1.5 MiB object as JSON with room for escapes. */
export const WATCH_LINE_BYTES_MAX = 16 * 1024 * 1024;

/** Tries of one call that the server asked to repeat later (429 with Retry-After). */
export const CALL_TRIES_MAX = 5;

/** A Retry-After above this is not waited for inside a call: the caller's own backoff knows better what to do meanwhile. */
export const RETRY_AFTER_WAIT_MAX_MS = 10_000;

/** The bucket's share that requests which may wait leave to the others: those of a burst that somebody waits for. */
export const LOW_REQUEST_BUCKET_SHARE = 0.75;

/** A request that may wait does so no longer than this, far below its deadline. */
export const LOW_REQUEST_WAIT_MAX_MS = 5_000;

/** Watches without a byte for this long are taken for dead: bookmarks come about once a minute. */
export const WATCH_IDLE_MAX_MS = 150_000;

/** Least length of a watch asked for, as client-go; up to as much again is added at random so that they do not end together. */
export const WATCH_TIMEOUT_SECONDS = 300;

/** Backoff of list and watch, as client-go: 0.8 s doubling to 30 s. */
export const WATCH_BACKOFF_MIN_MS = 800;
/** See WATCH_BACKOFF_MIN_MS. */
export const WATCH_BACKOFF_MAX_MS = 30_000;

/** Watches that end at once without an event this many times in a row are no accident and back off. */
export const WATCH_SHORT_CLOSES_MAX = 3;

/** A receipt that no cache shows after this long is settled by a live read. */
export const STALE_VIEW_MAX_MS = 60_000;

/** An idle workload connection is closed after this long. */
export const CONNECTION_IDLE_MAX_MS = 60_000;

/** Backoff of failed workload connections, with jitter. */
export const CONNECTION_BACKOFF_MIN_MS = 1_000;
/** See CONNECTION_BACKOFF_MIN_MS. */
export const CONNECTION_BACKOFF_MAX_MS = 30_000;

/**
 * Workload connections at once, those that watch Nodes included: far above the largest fleet, as whoever comes after the last gets
 * no Nodes and no tokens. The idle one that was used least lately gives way.
 */
export const CONNECTIONS_MAX = 20_000;

/** A kubeconfig in a Secret: room for a bundle of a hundred CA certificates. */
export const KUBECONFIG_CHARS_MAX = 256 * 1024;

/** Punctuation and line ends of a kubeconfig in a Secret: what the YAML parser's work grows with. A hundred folded certificates have 4,000. */
export const KUBECONFIG_MARKS_MAX = 8 * 1024;

/** Nesting of a kubeconfig in a Secret, as its text lets one guess it: a kubeconfig has six levels, twice as many where it is folded. */
export const KUBECONFIG_DEPTH_MAX = 64;

/** The address of an API server, or of a proxy before it. */
export const SERVER_URL_CHARS_MAX = 2 * 1024;

/** Headers of the user, groups and extra that a kubeconfig impersonates; every request carries them. */
export const IMPERSONATION_CHARS_MAX = 64 * 1024;

/** Whether a DaemonSet exists is asked once in so long for all drains of a cluster: each Node has a Pod of each. */
export const DAEMON_SET_ANSWER_AGE_MAX_MS = 5_000;

/** DaemonSets of all workload clusters whose existence is remembered; they are a few dozen in each cluster that is drained. */
export const DAEMON_SET_ANSWERS_MAX = 10_000;

/** What is logged, at level 4, of an answer that is no Kubernetes API's: enough to tell a login page from a load balancer. */
export const FOREIGN_ANSWER_CHARS_MAX = 200;

/** What a proxy may answer before it passes bytes on: a head of headers. */
export const PROXY_ANSWER_BYTES_MAX = 64 * 1024;

/** Token and CA files are read again after this long, as client-go. */
export const CREDENTIALS_AGE_MAX_MS = 60_000;

/** A credential plugin that says nothing for this long is given up. */
export const CREDENTIALS_TIME_MAX_MS = 60_000;

/** Distinct Events remembered for counting repeats, as client-go. */
export const EVENT_MEMORY_MAX = 4_096;

/** A repeated Event within this window raises the count of the first instead of becoming another, as client-go. */
export const EVENT_WINDOW_MS = 600_000;

/** Repeats of one Event are written at most once in this time; the count loses nothing. */
export const EVENT_REPEAT_MIN_MS = 60_000;

/** Event messages: the API server refuses longer ones. */
export const EVENT_MESSAGE_CHARS_MAX = 1_024;

/** Events waiting to be sent: beyond it they are dropped and counted, because an overloaded server needs no more of them. */
export const EVENT_QUEUE_MAX = 1_000;

/** Watches of kinds that are named at run time (infrastructure of Machines): a fleet has a handful. */
export const ON_DEMAND_WATCHES_MAX = 200;

/** The CRD of Machines is asked for again after this long where it could not be read: until then an older release is assumed. */
export const MACHINE_DEFINITION_RETRY_MS = 60_000;

/** A watch that nobody holds any more is kept this long, since its next holder usually comes within a turn or two. */
export const ON_DEMAND_IDLE_MAX_MS = 60_000;

/** Body of an admission request, as controller-runtime: two objects of etcd's largest size with room for escapes. */
export const ADMISSION_BYTES_MAX = 7 * 1024 * 1024;

/**
 * Body of a conversion request: the API server converts a list in one request, and lists that a client asks for without pages come
 * whole: 20,000 objects of 6 KiB. More would hold the event loop for longer than a probe waits.
 */
export const CONVERSION_BYTES_MAX = 128 * 1024 * 1024;

/** Webhook certificates are looked at again after this long, whatever the file system tells, as controller-runtime. */
export const CERTIFICATE_POLL_MS = 10_000;

/** How often the library of metrics wakes the process to watch its event loop: once a day, as each time costs and nothing reads it. */
export const EVENT_LOOP_WATCH_MS = 86_400_000;

/** A change of certificate files is awaited this long until it is complete: two files are replaced one after the other. */
export const CERTIFICATE_SETTLE_MS = 100;

/** Objects that the CRD migrator remembers as migrated, so that a second try does not write them again. */
export const MIGRATED_OBJECTS_MAX = 50_000;

/** Shortest rest after a turn in shadow mode: a write that is not made asks for the next look again and again. */
export const SHADOW_REST_MIN_MS = 60_000;

/** Growth of the heap before V8 collects: less costs processor time, more costs memory that a burst of a minute leaves behind. */
export const HEAP_GROWTH_PERCENT = 60;

/**
 * Bytes of bytecode that a function runs through before V8 optimises it: eight times V8's own number. Less costs memory and processor
 * time for code that a burst uses for a moment only; what runs all the time gets there within minutes.
 */
export const CODE_OPTIMISED_AFTER_BYTES = 8 * 66 * 1024;

/** Connections to one port of ours: far above what probes, scrapers, viewers and API servers open, far below a process's files. */
export const LISTENER_CONNECTIONS_MAX = 500;

/**
 * Connections to the webhooks' port: a rollout's admission requests that come at once, each over a connection of its own, with those
 * of several API servers beside them.
 */
export const WEBHOOK_CONNECTIONS_MAX = 2_000;

/** A connection whose handshake, head or body is younger is on its way, and does not make room for another. */
export const CONNECTION_YOUNG_MS = 3_000;

/** Head of a request, as Node's own bound: a token of Kubernetes with room to spare. */
export const LISTENER_HEAD_BYTES_MAX = 16 * 1024;

/** A head, or a TLS handshake, takes a round trip or two; who needs longer holds a connection open. */
export const LISTENER_HEAD_TIME_MAX_MS = 10_000;

/** A request arrives within this time, its body included: an API server gives up on a webhook after at most 30 s. */
export const LISTENER_REQUEST_TIME_MAX_MS = 30_000;

/** An answer is taken within this time after its last byte was written: who asked gave up by then, and its bytes are ours to keep. */
export const LISTENER_ANSWER_TIME_MAX_MS = 30_000;

/** Connections to the health port: a few probes and people; each that a stranger holds costs what a request costs. */
export const HEALTH_CONNECTIONS_MAX = 100;

/** A profile or a list of metrics is taken within this time after it was written: many megabytes on a slow line, as long as the longest profile. */
export const PROFILE_ANSWER_TIME_MAX_MS = 300_000;

/** How often connections are held against these times. */
export const LISTENER_CHECK_MS = 5_000;

/** Bodies, and answers not yet taken, that all webhook requests together may hold: the largest conversion, its answer, and admissions beside it. */
export const WEBHOOK_BYTES_IN_FLIGHT_MAX = 300 * 1024 * 1024;

/** Values of a JSON body: a page of 500 objects with 8,000 values each. Empty objects are three bytes here and fifty in memory. */
export const JSON_VALUES_MAX = 4_000_000;

/** Values of an admission review: an object and what it was before, each at the request limit of 3 MiB, with twenty bytes for a value. */
export const ADMISSION_VALUES_MAX = 300_000;

/** Values of one object of a conversion: more than etcd's 1.5 MiB hold, at four bytes for the shortest valid item of a list. */
export const CONVERSION_OBJECT_VALUES_MAX = 500_000;

/** A conversion of more values than this waits for its turn and rests between objects; one of fewer takes a few milliseconds. */
export const CONVERSION_AT_ONCE_VALUES_MAX = 5_000;

/**
 * Items of a described list, or entries of a dictionary: ten times the longest that the API allows, since objects that were stored
 * before a bound was made must be readable. More is refused before an item is looked at.
 */
export const LIST_ITEMS_MAX = 10_000;

/** Faults of one object that are told: nobody reads more, and each quotes what is wrong. */
export const FIELD_ERRORS_MAX = 100;

/** Levels of a JSON body: what the API server's own reader takes, so everything that it can have stored can be converted. */
export const JSON_DEPTH_MAX = 10_000;

/** Levels up to which the engine's own JSON writer is used: it recurses, and its stack ends at about 4,000. */
export const JSON_RECURSION_MAX = 1_000;

/** States of a regular expression of a flag: far above what somebody writes, and each character of a label's key meets at most so many. */
export const GO_REGEXP_SIZE_MAX = 10_000;

/** Least grace for what a workload cluster last said, as upstream: a silent cluster is found unreachable well before. */
export const REMOTE_CONDITIONS_GRACE_MIN_MS = 120_000;

/** Part of the sync period over which the passes of a fleet spread: herds dissolve within a few periods, and every object comes within each. */
export const SYNC_PERIOD_SPREAD = 0.2;

/** Caches that have no first list after this time end the process, as the Go manager's CacheSyncTimeout. */
export const CACHE_SYNC_TIME_MAX_MS = 300_000;

/** One question of the look before the start: what hangs may wait for our own conversion webhook, and is not waited for. */
export const PREFLIGHT_CALL_TIMEOUT_MS = 5_000;

/** Longest profile: what is asked for by mistake ends by itself, and no profile of a busy process grows without end. */
export const PROFILE_TIME_MAX_S = 300;

/** Body of a request that sets the log level: a number. */
export const LOG_LEVEL_BODY_BYTES_MAX = 64;
